// The rows of order options and terms in a commit batch: one row for each order that was accepted with options, or was
// triggered, amended or reduced, in the batch. If this happens to an order more than once, its row has the latest
// terms. There are few such orders, so a map finds their rows by order id.

import type { OrderTable } from "../../engine/state/orders/order-table.ts";
import type { OrderDetailColumns } from "../../ports/journal/event-store.ts";

export class OrderDetails {
  readonly #orders: OrderTable;
  /** Row of the batch by order id. */
  readonly #rows = new Map<number, number>();

  constructor(orders: OrderTable) {
    this.#orders = orders;
  }

  /** Writes the current terms of the order in `slot` to its row of `columns`, new or existing. */
  note(slot: number, columns: OrderDetailColumns): void {
    const orders = this.#orders;
    const orderId = orders.orderId[slot] ?? 0;
    const row = this.#rows.get(orderId) ?? columns.orderId.length;
    this.#rows.set(orderId, row);
    const options = orders.optionsOf(slot);
    columns.orderId[row] = orderId;
    columns.price[row] = orders.price[slot] ?? 0;
    columns.qty[row] = orders.qty[slot] ?? 0;
    columns.flags[row] = (options.isReduceOnly ? 1 : 0) | (options.closesPosition ? 2 : 0);
    columns.stpMode[row] = options.stpMode;
    columns.quoteQty[row] = options.quoteQty;
    columns.goodTillUs[row] = options.goodTillUs;
    columns.triggerPrice[row] = options.triggerPrice;
    columns.workingPrice[row] = options.workingPrice;
    columns.trailingBps[row] = options.trailingBps;
    columns.activationPrice[row] = options.activationPrice;
    columns.triggeredUs[row] = orders.triggeredUsOf(slot);
  }

  /** Starts a new batch without rows. */
  reset(): void {
    this.#rows.clear();
  }
}
