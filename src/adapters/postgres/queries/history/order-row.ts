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

export interface OrderRow {
  readonly order_id: string;
  readonly created_us: string;
  readonly updated_us: string;
  readonly price: string;
  readonly qty: string;
  readonly filled_qty: string;
  readonly filled_quote: string;
  readonly account: number;
  readonly market: number;
  readonly side: number;
  readonly type: number;
  readonly time_in_force: number;
  readonly status: number;
  readonly client_id: string | null;
  readonly flags: number;
  readonly stp_mode: number;
  readonly quote_qty: string;
  readonly good_till_us: string;
  readonly trigger_price: string;
  readonly working_price: number;
  readonly trailing_bps: number;
  readonly activation_price: string;
  readonly triggered_us: string;
}

export function orderOf(row: OrderRow): OrderRecord {
  const orderId = Number(row.order_id);
  return {
    orderId,
    account: row.account,
    market: row.market,
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
    trailingBps: row.trailing_bps,
    activationPrice: Number(row.activation_price),
    triggeredUs: Number(row.triggered_us),
    acceptedUs: Number(row.created_us),
    updatedUs: Number(row.updated_us),
  };
}
