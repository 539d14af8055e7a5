// Cancels every order of a market that stopped trading, a bounded number per step. A restart continues the cancels,
// because the market status, which is journaled, shows that they are due.

import { numberAt } from "../../../core/assert.ts";
import { ownStepsMax } from "../../../core/limits.ts";
import { MarketStatus } from "../../../core/markets.ts";
import { CloseReason } from "../../../core/orders.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MassCancels } from "./mass-cancels.ts";

export class MarketHaltCancels {
  readonly #state: VenueState;
  readonly #massCancels: MassCancels;
  /** Ids of orders to cancel, starting at #head. */
  #orderIds: number[] = [];
  #head = 0;

  constructor(state: VenueState, massCancels: MassCancels) {
    this.#state = state;
    this.#massCancels = massCancels;
    for (const { id } of state.table.markets) this.close(id);
  }

  /** Orders not yet cancelled. */
  get waiting(): number {
    return this.#orderIds.length - this.#head;
  }

  /** Starts cancelling the market's orders if the market does not trade. */
  close(market: number): void {
    const { orders } = this.#state;
    if (this.#state.marketStatus[market] === MarketStatus.trading) return;
    for (const slot of orders.openSlots()) {
      if (orders.market[slot] === market) this.#orderIds.push(numberAt(orders.orderId, slot));
    }
  }

  /** Adds an order that reached the book, or began to wait, in a market that does not trade. */
  add(orderId: number): void {
    this.#orderIds.push(orderId);
  }

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
