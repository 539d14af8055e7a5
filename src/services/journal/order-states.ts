// Columns of the terms and states of orders that are written together: appended from the order table or from other
// columns. A row has the values of its moment; who appends it decides whether they may still change.

import type { OrderStatus } from "../../core/orders.ts";
import type { OrderTable } from "../../engine/state/orders/order-table.ts";
import type { OrderStateColumns } from "../../ports/journal/event-store.ts";

export function emptyOrderStates(): OrderStateColumns {
  return {
    orderId: [],
    price: [],
    qty: [],
    filledQty: [],
    filledQuote: [],
    status: [],
    updatedUs: [],
  };
}

/** Appends terms and state of the order in `slot` to `to`. */
export function addOrderState(
  to: OrderStateColumns,
  orders: OrderTable,
  slot: number,
  status: OrderStatus,
): void {
  to.orderId.push(orders.orderId[slot] ?? 0);
  to.price.push(orders.price[slot] ?? 0);
  to.qty.push(orders.qty[slot] ?? 0);
  to.filledQty.push(orders.filledQty[slot] ?? 0);
  to.filledQuote.push(orders.filledQuote[slot] ?? 0n);
  to.status.push(status);
  to.updatedUs.push(orders.updatedUs[slot] ?? 0);
}

/** Appends row `row` of `from` to `to`. */
export function copyOrderState(from: OrderStateColumns, row: number, to: OrderStateColumns): void {
  to.orderId.push(from.orderId[row] ?? 0);
  to.price.push(from.price[row] ?? 0);
  to.qty.push(from.qty[row] ?? 0);
  to.filledQty.push(from.filledQty[row] ?? 0);
  to.filledQuote.push(from.filledQuote[row] ?? 0n);
  to.status.push(from.status[row] ?? 0);
  to.updatedUs.push(from.updatedUs[row] ?? 0);
}

/** A copy of the rows from index `from` on. */
export function orderStatesFrom(columns: OrderStateColumns, from: number): OrderStateColumns {
  return {
    orderId: columns.orderId.slice(from),
    price: columns.price.slice(from),
    qty: columns.qty.slice(from),
    filledQty: columns.filledQty.slice(from),
    filledQuote: columns.filledQuote.slice(from),
    status: columns.status.slice(from),
    updatedUs: columns.updatedUs.slice(from),
  };
}
