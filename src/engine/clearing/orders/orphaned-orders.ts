// Orphaned reduce-only orders: resting reduce-only orders whose position has closed or changed sides. They can never
// trade, so they expire right after the transaction in which the position closed, a bounded number per step. Nothing
// is lost in a crash: orphaned orders are found again from the state.

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
  /** Pairs of account and market to check, as account × marketsMax + market. */
  readonly #due = new Set<number>();

  /** Finds the orders a crash left orphaned. */
  constructor(state: VenueState, massCancels: MassCancels) {
    this.#state = state;
    this.#massCancels = massCancels;
    for (const slot of state.orders.openSlots()) {
      const account = wordAt(state.orders.account, slot);
      const market = byteAt(state.orders.market, slot);
      if (this.#isOrphaned(slot, market)) this.#due.add(account * marketsMax + market);
    }
  }

  /** Pairs of account and market still to be checked. */
  get waiting(): number {
    return this.#due.size;
  }

  /** Called after each trade: either side's position may have closed or changed sides. */
  traded({ account, makerAccount, market, takerSide, qty }: Traded): void {
    const lots = takerSide === Side.buy ? qty : -qty;
    this.changed(account, market, lots);
    this.changed(makerAccount, market, -lots);
  }

  pump(atUs: number): void {
    if (this.#due.size === 0) return;
    let steps = 0;
    for (const index of this.#due) {
      if (steps >= ownStepsMax || this.#massCancels.waiting > 0) return;
      this.#due.delete(index);
      steps += this.#expire(Math.floor(index / marketsMax), index % marketsMax, atUs);
    }
  }

  /**
   * Called when the account's position in the market has changed by signed `lots`; asserts that it changed.
   */
  changed(account: number, market: number, lots: number): void {
    assert(lots !== 0, "the change of the position must not be 0");
    const { orders, positions } = this.#state;
    if (orders.reducingOf(account, market) === 0) return;
    const now = positions.qty(account, market);
    if (Math.sign(now - lots) === Math.sign(now)) return;
    this.#due.add(account * marketsMax + market);
  }

  /** Sends cancels of the account's orphaned orders in the market; returns their number. */
  #expire(account: number, market: number, atUs: number): number {
    const { orders } = this.#state;
    let count = 0;
    let next = -1;
    assert(
      orders.reducingOf(account, market) <= ordersPerMarketPerAccountMax,
      "the number of reduce-only orders must stay within the limit per market and account",
    );
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
