// Cancels every order of a market that no longer trades, a bounded number a step. A restart in the
// middle goes on: the market's status says that its orders are to go.

import { numberAt } from "../../../core/assert.ts";
import { ownStepsMax } from "../../../core/limits.ts";
import { MarketStatus } from "../../../core/markets.ts";
import { CloseReason } from "../../../core/orders.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MassCancels } from "./mass-cancels.ts";

export class MarketHaltCancels {
  readonly #state: VenueState;
  readonly #massCancels: MassCancels;
  /** Ids of orders to cancel, from #head on. */
  #orderIds: number[] = [];
  #head = 0;

  constructor(state: VenueState, massCancels: MassCancels) {
    this.#state = state;
    this.#massCancels = massCancels;
    for (const { id } of state.table.markets) this.close(id);
  }

  /** Orders that are to be cancelled and have not been asked for yet. */
  get waiting(): number {
    return this.#orderIds.length - this.#head;
  }

  /** Begins to cancel the market's orders if it does not trade. */
  close(market: number): void {
    const { orders } = this.#state;
    if (this.#state.marketStatus[market] === MarketStatus.trading) return;
    for (const slot of orders.openSlots()) {
      if (orders.market[slot] === market) this.#orderIds.push(numberAt(orders.orderId, slot));
    }
  }

  /** An order of a market that does not trade has come to its book, or begun to wait. */
  add(orderId: number): void {
    this.#orderIds.push(orderId);
  }

  /** Cancels the next orders. */
  pump(atUs: number): void {
    if (this.#orderIds.length === 0) return;
    for (let steps = 0; steps < ownStepsMax && this.#massCancels.waiting === 0; ) {
      const orderId = this.#orderIds[this.#head];
      if (orderId === undefined) {
        this.#orderIds = [];
        this.#head = 0;
        return;
      }
      this.#head++;
      const slot = this.#state.orders.slotOf(orderId);
      if (slot < 0) continue;
      steps++;
      this.#massCancels.cancelOne(slot, CloseReason.marketClosed, atUs);
    }
  }
}
