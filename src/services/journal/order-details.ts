// The rows of order options in a commit batch: one row for each order that was accepted with options, released, triggered
// or refused in the batch. If this happens to an order more than once, its row has the latest options. There are few such
// orders, so a map finds their rows by order id. Price and quantity are among the order's state.

import type { OrderLists } from "../../engine/state/orders/order-lists.ts";
import { OrderFlag, type OrderTable } from "../../engine/state/orders/order-table.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { OrderDetailColumns } from "../../ports/journal/event-store.ts";

export class OrderDetails {
  readonly #orders: OrderTable;
  readonly #lists: OrderLists;
  /** Row of the batch by order id. */
  readonly #rows = new Map<number, number>();

  constructor({ orders, orderLists }: Pick<VenueState, "orders" | "orderLists">) {
    this.#orders = orders;
    this.#lists = orderLists;
  }

  /** Writes the current options of the order in `slot` to its row of `columns`, new or existing. */
  note(slot: number, columns: OrderDetailColumns): void {
    const orders = this.#orders;
    const orderId = orders.orderId[slot] ?? 0;
    const row = this.#rows.get(orderId) ?? columns.orderId.length;
    this.#rows.set(orderId, row);
    const options = orders.optionsOf(slot);
    columns.orderId[row] = orderId;
    columns.flags[row] =
      (options.isReduceOnly ? 1 : 0) |
      (options.closesPosition ? 2 : 0) |
      (orders.has(slot, OrderFlag.pending) ? 4 : 0) |
      (orders.has(slot, OrderFlag.refused) ? 8 : 0);
    columns.stpMode[row] = options.stpMode;
    columns.quoteQty[row] = options.quoteQty;
    columns.goodTillUs[row] = options.goodTillUs;
    columns.triggerPrice[row] = options.triggerPrice;
    columns.workingPrice[row] = options.workingPrice;
    columns.trailingBps[row] = options.trailingBps;
    columns.activationPrice[row] = options.activationPrice;
    columns.triggeredUs[row] = orders.triggeredUsOf(slot);
    const isListed = orders.has(slot, OrderFlag.listed);
    columns.icebergQty[row] = options.icebergQty === 0 ? null : options.icebergQty;
    columns.listId[row] = isListed ? (this.#lists.of(orderId)?.listId ?? null) : null;
  }

  /** Starts a new batch without rows. */
  reset(): void {
    this.#rows.clear();
  }
}
