// The walk of an incoming order through the other side: best price first, oldest first, stepping
// over resting orders of its own account.
//
// One walk serves trading (`take`) and looking (`look`), so what FOK and post-only expect is what
// happens. It is bounded: needing one more fill after `matchesPerOrderMax`, or meeting one more own
// order after `ownSkipsMax` in a row, ends it. Runs are not remembered between orders: stepping over
// the longest costs 3–5 µs, less than the order's own way through the door, and clearing admits
// fewer open orders of one account than that, so sending orders against one's own run is no lever.

import { MatchOutcome } from "../../core/match-messages.ts";
import { cell } from "./cells.ts";
import type { FillListener, MatchingBounds } from "./order-book.ts";
import { accountWord, nextWord, noSlot, type OrderPool } from "./order-pool.ts";
import type { PriceLadder } from "./price-ladder.ts";

/** How a walk ended; `unfilled` where something is left and nothing more to trade with. */
export type TakeOutcome =
  | typeof MatchOutcome.filled
  | typeof MatchOutcome.unfilled
  | typeof MatchOutcome.matchesPerOrderMax
  | typeof MatchOutcome.ownSkipsMax;

/** The walks of one book's incoming orders, one at a time. */
export class Crossing {
  /** Lots the last walk left over. */
  remaining = 0;
  readonly #pool: OrderPool;
  readonly #listener: FillListener;
  readonly #matchesMax: number;
  readonly #skipsMax: number;
  #trading = false;
  #matches = 0;
  #skips = 0;

  constructor(pool: OrderPool, listener: FillListener, bounds: MatchingBounds) {
    this.#pool = pool;
    this.#listener = listener;
    this.#matchesMax = bounds.matchesPerOrderMax;
    this.#skipsMax = bounds.ownSkipsMax;
  }

  /** Trades `qty` lots for `account` down to rank `limit`. */
  take(ladder: PriceLadder, account: number, limit: number, qty: number): TakeOutcome {
    this.#trading = true;
    return this.#walk(ladder, account, limit, qty);
  }

  /** What `take` would say; nothing changes. */
  look(ladder: PriceLadder, account: number, limit: number, qty: number): TakeOutcome {
    this.#trading = false;
    return this.#walk(ladder, account, limit, qty);
  }

  #walk(ladder: PriceLadder, account: number, limit: number, qty: number): TakeOutcome {
    this.remaining = qty;
    this.#matches = 0;
    this.#skips = 0;
    let rank = ladder.best;
    while (rank >= limit) {
      const outcome = this.#walkLevel(ladder, account, rank);
      if (outcome !== MatchOutcome.unfilled) return outcome;
      // A level taken whole leaves the best right behind it; one with own orders left does not.
      rank = ladder.best < rank ? ladder.best : ladder.nextWorse(rank);
    }
    return MatchOutcome.unfilled;
  }

  #walkLevel(ladder: PriceLadder, account: number, rank: number): TakeOutcome {
    const words = this.#pool.words;
    let slot = ladder.head(rank);
    while (slot !== noSlot) {
      const next = cell(words, (slot << 3) + nextWord);
      const own = cell(words, (slot << 3) + accountWord) === account;
      const outcome = own ? this.#stepOver() : this.#fill(ladder, rank, slot);
      if (outcome !== MatchOutcome.unfilled) return outcome;
      slot = next;
    }
    return MatchOutcome.unfilled;
  }

  #stepOver(): TakeOutcome {
    if (this.#skips === this.#skipsMax) return MatchOutcome.ownSkipsMax;
    this.#skips++;
    return MatchOutcome.unfilled;
  }

  #fill(ladder: PriceLadder, rank: number, slot: number): TakeOutcome {
    if (this.#matches === this.#matchesMax) return MatchOutcome.matchesPerOrderMax;
    this.#matches++;
    this.#skips = 0;
    const open = this.#pool.qty(slot);
    const traded = Math.min(this.remaining, open);
    this.remaining -= traded;
    if (this.#trading) this.#trade(ladder, rank, slot, traded, open);
    return this.remaining === 0 ? MatchOutcome.filled : MatchOutcome.unfilled;
  }

  #trade(ladder: PriceLadder, rank: number, slot: number, traded: number, open: number): void {
    if (traded === open) {
      ladder.remove(rank, slot);
      this.#pool.release(slot);
    } else {
      this.#pool.setQty(slot, open - traded);
    }
    this.#listener.filled(slot, rank < 0 ? -rank : rank, traded);
  }
}
