// What happens in the queues of one book, order by order, as far as the public may see it: only what an order shows, and
// only while it is in the book. Each change has the seq of its event, so a queue built from changes can be compared with
// depth at any update id. An order whose place in the queue changes leaves it and joins again. Spec MBO-2 … MBO-8.

import {
  EventKind,
  type OrderClosed,
  type OrderReduced,
  type Traded,
} from "../../../core/generated/events.ts";
import { opposite, Side } from "../../../core/orders.ts";
import type { Amendment } from "../../../engine/state/apply/order-posting.ts";
import type { OrderTable } from "../../../engine/state/orders/order-table.ts";
import { type Execution, executionOfClose } from "../orders/execution.ts";

/** A change to one order in its queue. */
export interface BookChange {
  /** Seq of the event that made the change. */
  readonly seq: number;
  /**
   * NEW: the order joins the end of the queue of its price. TRADE: it has traded as the resting order. Any other type
   * with lots left: it has lost lots and keeps its place. Without lots left, it has left the queue.
   */
  readonly execution: Execution;
  readonly orderId: number;
  readonly side: Side;
  /** Ticks. */
  readonly price: number;
  /** Lots that the order shows after the change; 0 if it has left the queue. */
  readonly qty: number;
  /** TRADE only: id of the trade and its lots; else 0. */
  readonly tradeId: number;
  readonly tradedQty: number;
}

/** Notes that the order in `slot` has joined the end of its queue. */
export function noteJoined(
  changes: BookChange[],
  orders: OrderTable,
  slot: number,
  seq: number,
): void {
  const qty = orders.shownLots(slot);
  changes.push(changeOf(orders, slot, { seq, execution: "NEW", qty }));
}

/** Notes that the order in `slot` leaves its queue by the event, which has not been applied yet. */
export function noteLeft(
  changes: BookChange[],
  orders: OrderTable,
  slot: number,
  event: OrderClosed | Amendment,
): void {
  const isClosed = event.kind === EventKind.orderClosed;
  const execution = isClosed ? executionOfClose(event.reason) : "REPLACED";
  changes.push(changeOf(orders, slot, { seq: event.seq, execution, qty: 0 }));
}

/** Notes that the order in `slot` shows less by the event and keeps its place. */
export function noteReduced(
  changes: BookChange[],
  orders: OrderTable,
  slot: number,
  event: OrderReduced | Amendment,
): void {
  const isReduced = event.kind === EventKind.orderReduced;
  const execution = isReduced ? "TRADE_PREVENTION" : "REPLACED";
  const qty = orders.shownLots(slot);
  changes.push(changeOf(orders, slot, { seq: event.seq, execution, qty }));
}

/**
 * Notes a trade, which has been applied, on its resting order. An iceberg order whose slice has traded leaves the queue
 * and joins its end with the next one.
 */
export function noteTraded(changes: BookChange[], orders: OrderTable, event: Traded): void {
  const { seq, price, tradeId, qty: tradedQty, makerOrderId: orderId } = event;
  const slot = orders.slotOf(orderId);
  const isOver = slot < 0 || orders.showsNewSlice(slot);
  const qty = isOver ? 0 : orders.shownLots(slot);
  const side = opposite(event.takerSide);
  changes.push({ seq, execution: "TRADE", orderId, side, price, qty, tradeId, tradedQty });
  if (isOver && slot >= 0) noteJoined(changes, orders, slot, seq);
}

function changeOf(
  orders: OrderTable,
  slot: number,
  { seq, execution, qty }: Pick<BookChange, "seq" | "execution" | "qty">,
): BookChange {
  return {
    seq,
    execution,
    orderId: orders.orderId[slot] ?? 0,
    side: orders.side[slot] === Side.buy ? Side.buy : Side.sell,
    price: orders.price[slot] ?? 0,
    qty,
    tradeId: 0,
    tradedQty: 0,
  };
}
