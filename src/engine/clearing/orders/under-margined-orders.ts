// Under-margined resting orders. Each order holds an amount for its loss at the mark, computed when it got its terms.
// When the mark moves away, the hold becomes too small. While some book has a bid above its mark or an ask below it, a
// bounded number of orders is rechecked whenever marks are computed. If the account does not cover the increased loss,
// those orders expire.

import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { slotsPerMarkMax } from "../../../core/limits.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { CloseReason, Side } from "../../../core/orders.ts";
import { available, roomToClose } from "../../risk/margin.ts";
import { lossTicks, lossValue } from "../../state/apply/mark-losses.ts";
import { OrderFlag } from "../../state/orders/order-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { BestPrices } from "../matchers/matcher-lanes.ts";
import type { MassCancels } from "./mass-cancels.ts";

export interface UnderMarginedOrdersParts {
  readonly state: VenueState;
  readonly best: BestPrices;
  readonly massCancels: MassCancels;
}

export class UnderMarginedOrders {
  readonly #parts: UnderMarginedOrdersParts;
  readonly #markets: readonly Market[];
  /** Slot at which the next check starts. */
  #cursor = 0;

  constructor(parts: UnderMarginedOrdersParts) {
    this.#parts = parts;
    this.#markets = parts.state.table.markets.filter(isPerpetual);
  }

  /** Checks the next orders if some book has a bid above its mark or an ask below it. Marks must be fresh. ACC-23. */
  look(atUs: number): void {
    if (!this.#markets.some(({ id }) => this.#isBeyond(id))) return;
    const { orders } = this.#parts.state;
    const found = new Map<number, { account: number; market: number }>();
    const count = Math.min(slotsPerMarkMax, orders.touched);
    for (let looked = 0; looked < count; looked++) {
      if (this.#cursor >= orders.touched) this.#cursor = 0;
      const slot = this.#cursor++;
      if (!this.#isUnderReserved(slot)) continue;
      const [account, market] = [wordAt(orders.account, slot), byteAt(orders.market, slot)];
      found.set(account * this.#parts.state.table.markets.length + market, { account, market });
    }
    // Sorted, because a restarted venue may assign other slots and the result must not depend on them.
    const inOrder = [...found.entries()].sort(([one], [other]) => one - other);
    for (const [, { account, market }] of inOrder) this.#judge(account, market, atUs);
  }

  #isBeyond(market: number): boolean {
    const { state, best } = this.#parts;
    const mark = numberAt(state.mark, market);
    if (mark === 0) return false;
    const ask = best.opposite(market, Side.buy);
    return best.opposite(market, Side.sell) > mark || (ask > 0 && ask < mark);
  }

  /** Whether the order in `slot` would lose more at the current mark than it holds for its loss. */
  #isUnderReserved(slot: number): boolean {
    const { state } = this.#parts;
    const { orders } = state;
    if (!orders.isOnBook(slot)) return false;
    const market = byteAt(orders.market, slot);
    const mark = numberAt(state.mark, market);
    if (mark === 0 || !isPerpetual(state.table.market(market))) return false;
    const side = byteAt(orders.side, slot) as Side;
    return lossTicks(mark, side, wordAt(orders.price, slot)) > wordAt(orders.lossTicks, slot);
  }

  /** Expires the account's under-reserved orders in a market unless the account covers the losses of all of them. */
  #judge(account: number, id: number, atUs: number): void {
    const { state, massCancels } = this.#parts;
    const { orders } = state;
    const market = state.table.market(id);
    const behind: number[] = [];
    let more = 0n;
    let closing = 0;
    let opens = false;
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (orders.market[slot] !== id || !this.#isUnderReserved(slot)) continue;
      behind.push(slot);
      more += this.#growth(slot, market);
      closing += this.#losingLots(slot);
      opens ||= wordAt(orders.marginLots, slot) > 0;
    }
    assert(behind.length > 0, "the account must have an order with too small a reservation");
    const room = opens ? available(state, account) : roomToClose(state, account, market, closing);
    if (more <= room) return;
    for (const slot of behind) massCancels.cancelOne(slot, CloseReason.uncovered, atUs);
  }

  /** Minor units by which the order's loss exceeds its hold. */
  #growth(slot: number, market: Market): bigint {
    const { orders, mark } = this.#parts.state;
    const side = byteAt(orders.side, slot) as Side;
    const ticks = lossTicks(numberAt(mark, market.id), side, wordAt(orders.price, slot));
    return lossValue(market, ticks - wordAt(orders.lossTicks, slot), this.#losingLots(slot));
  }

  #losingLots(slot: number): number {
    const { orders, positions } = this.#parts.state;
    const lots = orders.remaining(slot);
    if (!orders.has(slot, OrderFlag.reduceOnly)) return lots;
    const side = byteAt(orders.side, slot) as Side;
    const market = byteAt(orders.market, slot);
    return Math.min(lots, positions.closable(wordAt(orders.account, slot), market, side));
  }
}
