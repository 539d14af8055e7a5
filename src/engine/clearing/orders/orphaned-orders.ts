// Resting reduce-only orders whose position is gone: closed, or turned to the other side. Nothing can come
// of them, so they expire as soon as the trade that took their position is written, a bounded number a
// step. A crash in between loses nothing: what is orphaned is found again from the state.

import { assert, byteAt, wordAt } from "../../../core/assert.ts";
import type { Traded } from "../../../core/generated/events.ts";
import { marketsMax, ordersPerMarketPerAccountMax, ownStepsMax } from "../../../core/limits.ts";
import { CloseReason, Side } from "../../../core/orders.ts";
import { OrderFlag } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MassCancels } from "./mass-cancels.ts";

export class OrphanedReduceOnlyOrders {
  readonly #state: VenueState;
  readonly #massCancels: MassCancels;
  /** Accounts × markets to look at, as account × marketsMax + market. */
  readonly #due = new Set<number>();

  /** Finds what a crash has left orphaned. */
  constructor(state: VenueState, massCancels: MassCancels) {
    this.#state = state;
    this.#massCancels = massCancels;
    for (const slot of state.orders.openSlots()) {
      const account = wordAt(state.orders.account, slot);
      const market = byteAt(state.orders.market, slot);
      if (this.#isOrphaned(slot, market)) this.#due.add(account * marketsMax + market);
    }
  }

  /** Pairs of account and market that are still to be looked at. */
  get waiting(): number {
    return this.#due.size;
  }

  /** A trade is written: whose position it has closed or turned may have orders orphaned. */
  traded({ account, makerAccount, market, takerSide, qty }: Traded): void {
    const lots = takerSide === Side.buy ? qty : -qty;
    this.changed(account, market, lots);
    this.changed(makerAccount, market, -lots);
  }

  /** Expires the next orders. */
  pump(atUs: number): void {
    if (this.#due.size === 0) return;
    let steps = 0;
    for (const place of this.#due) {
      if (steps >= ownStepsMax || this.#massCancels.waiting > 0) return;
      this.#due.delete(place);
      steps += this.#expire(Math.floor(place / marketsMax), place % marketsMax, atUs);
    }
  }

  /** The account's position in the market is larger by signed `lots` than it was; asserts some. */
  changed(account: number, market: number, lots: number): void {
    assert(lots !== 0, "a position that changed is another");
    const { orders, positions } = this.#state;
    if (orders.reducingOf(account, market) === 0) return;
    const now = positions.qty(account, market);
    if (Math.sign(now - lots) === Math.sign(now)) return;
    this.#due.add(account * marketsMax + market);
  }

  /** Answers how many orders it has asked to be taken out. */
  #expire(account: number, market: number, atUs: number): number {
    const { orders } = this.#state;
    let count = 0;
    let next = -1;
    assert(orders.reducingOf(account, market) <= ordersPerMarketPerAccountMax, "a bounded step");
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = next) {
      next = orders.nextOfAccount(slot);
      if (!this.#isOrphaned(slot, market)) continue;
      count++;
      this.#massCancels.cancelOne(slot, CloseReason.reduceOnly, atUs);
    }
    return count;
  }

  #isOrphaned(slot: number, market: number): boolean {
    const { orders, positions } = this.#state;
    if (orders.market[slot] !== market || !orders.isOnBook(slot)) return false;
    if (!orders.has(slot, OrderFlag.reduceOnly)) return false;
    const side = byteAt(orders.side, slot) as Side;
    return positions.closable(wordAt(orders.account, slot), market, side) === 0;
  }
}
