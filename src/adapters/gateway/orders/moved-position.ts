// Liquidation and deleveraging can move a position to another account without an order. To clients, such a move is
// shown as an order that would have had the same effect. The shown order has no id; its client id gives the reason
// (Binance: `autoclose-…` for the liquidated account, `adl_autoclose` for the deleveraged one). Spec RSK-14.

import { autoclosePrefix, deleveragedClientId, MoveCause } from "../../../core/liquidation.ts";
import { noOptions, OrderStatus, OrderType, Side, TimeInForce } from "../../../core/orders.ts";
import type { MoveRecord, OrderRecord } from "../../../ports/journal/history-store.ts";

/** The fully filled order that represents a move; its id is 0. */
export function orderOfMove(move: MoveRecord): OrderRecord {
  const { seq, tsUs, account, market, price, cause, isTaken } = move;
  const isSale = isTaken ? move.qty < 0 : move.qty > 0;
  const qty = Math.abs(move.qty);
  const isDeleveraged = isTaken && cause === MoveCause.deleveraging;
  return {
    ...noOptions,
    orderId: 0,
    account,
    market,
    side: isSale ? Side.sell : Side.buy,
    type: OrderType.market,
    timeInForce: TimeInForce.ioc,
    price,
    qty,
    filledQty: qty,
    filledQuote: move.value < 0n ? -move.value : move.value,
    status: OrderStatus.filled,
    isReduceOnly: true,
    clientId: isDeleveraged ? deleveragedClientId : `${autoclosePrefix}${seq}`,
    triggeredUs: 0,
    listId: 0,
    isPending: false,
    isRefused: false,
    acceptedUs: tsUs,
    updatedUs: tsUs,
  };
}
