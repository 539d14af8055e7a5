// A row of the table of orders, and the order it tells of.

import type {
  OrderStatus,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../../../core/orders.ts";
import { derivedClientId } from "../../../../core/orders.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import type { Stored } from "../../rows.ts";

export type OrderRow = Stored<
  Omit<OrderRecord, "acceptedUs" | "clientId" | "isReduceOnly" | "closesPosition">
> & { readonly created_us: string; readonly client_id: string | null; readonly flags: number };

export function orderOf(row: OrderRow): OrderRecord {
  const orderId = Number(row.order_id);
  return {
    orderId,
    account: Number(row.account),
    market: Number(row.market),
    side: row.side as Side,
    type: row.type as OrderType,
    timeInForce: row.time_in_force as TimeInForce,
    price: Number(row.price),
    qty: Number(row.qty),
    filledQty: Number(row.filled_qty),
    filledQuote: BigInt(row.filled_quote),
    status: row.status as OrderStatus,
    clientId: row.client_id ?? derivedClientId(orderId),
    isReduceOnly: (row.flags & 1) !== 0,
    closesPosition: (row.flags & 2) !== 0,
    stpMode: row.stp_mode as StpMode,
    quoteQty: BigInt(row.quote_qty),
    goodTillUs: Number(row.good_till_us),
    triggerPrice: Number(row.trigger_price),
    workingPrice: row.working_price as WorkingPrice,
    trailingBps: Number(row.trailing_bps),
    activationPrice: Number(row.activation_price),
    triggeredUs: Number(row.triggered_us),
    acceptedUs: Number(row.created_us),
    updatedUs: Number(row.updated_us),
  };
}
