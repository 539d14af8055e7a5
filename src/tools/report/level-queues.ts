// How many orders wait at each price of each book. The depth of the read model has the lots; this counts the orders, which
// it does not know.

import { numberAt } from "../../core/assert.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";

export class LevelQueues {
  readonly #state: VenueState;
  /** By order id: the level at which it is counted. */
  readonly #levelOf = new Map<number, string>();
  readonly #orders = new Map<string, number>();

  /** Counts the orders that are on the books of `state` now. */
  constructor(state: VenueState) {
    this.#state = state;
    const { orders } = state;
    for (const slot of orders.openSlots()) this.update(numberAt(orders.orderId, slot), 0);
  }

  /** Counts an order where it is after an event: at most once, and not while it is still matched as `incoming`. */
  update(orderId: number, incoming: number): void {
    const level = orderId === incoming ? null : this.#level(orderId);
    const before = this.#levelOf.get(orderId) ?? null;
    if (level === before) return;
    if (before !== null) this.#change(before, -1);
    if (level === null) this.#levelOf.delete(orderId);
    else {
      this.#levelOf.set(orderId, level);
      this.#change(level, 1);
    }
  }

  /** Orders at the level of an order that is on its book, itself included. */
  ordersWith(orderId: number): number {
    return this.#orders.get(this.#levelOf.get(orderId) ?? "") ?? 0;
  }

  #level(orderId: number): string | null {
    const { orders } = this.#state;
    const slot = orders.slotOf(orderId);
    if (slot < 0 || !orders.isOnBook(slot)) return null;
    return `${orders.market[slot]} ${orders.side[slot]} ${orders.price[slot]}`;
  }

  #change(level: string, by: 1 | -1): void {
    const count = (this.#orders.get(level) ?? 0) + by;
    if (count === 0) this.#orders.delete(level);
    else this.#orders.set(level, count);
  }
}
