// Waiting orders indexed by trigger price, so that a price that reaches no trigger costs nothing. Derived from the
// order table; entries of orders that no longer wait are dropped when popped.
//
// Order of triggering: rising triggers from the lowest, falling triggers from the highest, equal ones by
// order id; then trailing orders by order id.

import { byteAt, numberAt, present, wordAt } from "../../../core/assert.ts";
import { OrderType, type Side, type WorkingPrice } from "../../../core/orders.ts";
import { OrderFlag, SlotState } from "../../state/orders/order-table.ts";
import { isReached, isRising, trailingTrigger } from "../../state/orders/trigger-terms.ts";
import type { VenueState } from "../../state/venue-state.ts";
import { DueHeap } from "./due-heap.ts";

const workingPrices = 2;

export class TriggerWatch {
  readonly #state: VenueState;
  /** By market × 4 + working price × 2 + (1 if falling); falling triggers have negative keys. */
  readonly #heaps: readonly DueHeap[];

  /** Loads every waiting order of `state`. */
  constructor(state: VenueState) {
    this.#state = state;
    const count = state.table.markets.length * workingPrices * 2;
    this.#heaps = Array.from(
      { length: count },
      () => new DueHeap((key, orderId) => this.#isWaiting(orderId, Math.abs(key))),
    );
    for (const slot of state.orders.openSlots()) {
      if (state.orders.state[slot] === SlotState.waiting) this.watch(slot);
    }
  }

  /**
   * Watches a waiting order. Trailing orders are not indexed: the state has a list of them. An order that waits for the
   * working order of its list has no trigger yet.
   */
  watch(slot: number): void {
    const { orders } = this.#state;
    if (orders.has(slot, OrderFlag.pending)) return;
    const type = byteAt(orders.type, slot) as OrderType;
    if (type === OrderType.trailingStopMarket) return;
    const rising = isRising(type, byteAt(orders.side, slot) as Side);
    const trigger = wordAt(orders.triggerPrice, slot);
    const working = byteAt(orders.workingPrice, slot) as WorkingPrice;
    const heap = this.#heap(byteAt(orders.market, slot), working, rising);
    heap.push(rising ? trigger : -trigger, numberAt(orders.orderId, slot));
  }

  /** Passes the ids of the orders that `price` triggers to `take`, in order. */
  observe(
    market: number,
    working: WorkingPrice,
    price: number,
    take: (orderId: number) => void,
  ): void {
    if (price === 0) return;
    this.#drain(this.#heap(market, working, true), price, take);
    this.#drain(this.#heap(market, working, false), -price, take);
    const { trailing, orders } = this.#state;
    const followers = trailing.of(market);
    if (followers.length === 0) return;
    for (const slot of followers) {
      if (this.#trails(slot, working, price)) take(numberAt(orders.orderId, slot));
    }
  }

  #drain(heap: DueHeap, key: number, take: (orderId: number) => void): void {
    if (heap.firstKey > key) return;
    for (let id = heap.popUpTo(key); id >= 0; id = heap.popUpTo(key)) take(id);
  }

  #trails(slot: number, working: WorkingPrice, price: number): boolean {
    const { orders } = this.#state;
    if (orders.workingPrice[slot] !== working || orders.state[slot] !== SlotState.waiting) {
      return false;
    }
    const best = wordAt(orders.bestPrice, slot);
    if (best === 0) return false;
    const side = byteAt(orders.side, slot) as Side;
    const trigger = trailingTrigger(best, orders.trailingBps[slot] ?? 0, side);
    return isReached(price, trigger, isRising(OrderType.trailingStopMarket, side));
  }

  #isWaiting(orderId: number, trigger: number): boolean {
    const { orders } = this.#state;
    const slot = orders.slotOf(orderId);
    if (slot < 0 || orders.state[slot] !== SlotState.waiting) return false;
    return orders.has(slot, OrderFlag.special) && orders.triggerPrice[slot] === trigger;
  }

  #heap(market: number, working: WorkingPrice, rising: boolean): DueHeap {
    return present(
      this.#heaps[market * 4 + working * 2 + (rising ? 0 : 1)],
      "the market must have a heap of triggers",
    );
  }
}
