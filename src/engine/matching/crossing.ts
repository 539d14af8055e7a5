// The walk of an incoming order through the other side: best price first, oldest first. What becomes
// of resting orders of its own account is the order's self-trade prevention mode.
//
// One walk serves trading (`take`) and looking (`canFill`, `touches`), so what FOK expects is what
// happens: a look changes nothing but positions, and takes those changes back. It is bounded: needing
// to do something to one more resting order after `matchesPerOrderMax`, or meeting one more own order
// after `ownSkipsMax` in a row, ends it. Runs are not remembered between orders: stepping over the
// longest costs 3–5 µs, less than the order's own way through the door, and clearing admits fewer open
// orders of one account than that, so sending orders against one's own run is no lever.

import { numberAt, wordAt } from "../../core/assert.ts";
import { MatchOutcome, RemovalReason } from "../../core/match-messages.ts";
import { opposite, Side, StpMode } from "../../core/orders.ts";
import type { BookListener, IncomingOrder, MatchingBounds } from "./order-book.ts";
import { accountWord, nextWord, type OrderPool, slotOf } from "./order-pool.ts";
import type { PriceLadder } from "./price-ladder.ts";
import type { SignedPositions } from "./signed-positions.ts";

/** How a walk ended; `unfilled` where something is left and nothing more to trade with. */
export type TakeOutcome =
  | typeof MatchOutcome.filled
  | typeof MatchOutcome.unfilled
  | typeof MatchOutcome.matchesPerOrderMax
  | typeof MatchOutcome.ownSkipsMax
  | typeof MatchOutcome.selfTrade
  | typeof MatchOutcome.reduceOnly
  | typeof MatchOutcome.budgetSpent;

export interface CrossingParts {
  readonly pool: OrderPool;
  /** Null in a spot market. */
  readonly positions: SignedPositions | null;
  readonly listener: BookListener;
  readonly bounds: MatchingBounds;
}

/** The walks of one book's incoming orders, one at a time. */
export class Crossing {
  /** Lots the last `take` left over. */
  remaining = 0;
  readonly #pool: OrderPool;
  readonly #positions: SignedPositions | null;
  readonly #listener: BookListener;
  readonly #matchesMax: number;
  readonly #skipsMax: number;
  #isTrading = false;
  #matches = 0;
  #skips = 0;
  #slot = 0;
  #account = 0;
  #stpMode: StpMode = StpMode.skip;
  /** Whether budget or positions may stop a fill short of what both orders have open. */
  #isLimited = false;
  /** Ticks × lots still to be spent. */
  #budget = 0;
  #makerSide: Side = Side.sell;
  /** Lots the incoming order may still trade before its position is flat. */
  #reducible = 0;
  /** Positions a look has changed, in order, to be taken back. */
  readonly #moved: Int32Array;
  readonly #movedBy: Float64Array;
  #moves = 0;

  constructor({ pool, positions, listener, bounds }: CrossingParts) {
    this.#pool = pool;
    this.#positions = positions;
    this.#listener = listener;
    this.#matchesMax = bounds.matchesPerOrderMax;
    this.#skipsMax = bounds.ownSkipsMax;
    this.#moved = new Int32Array(positions === null ? 0 : 2 * bounds.matchesPerOrderMax);
    this.#movedBy = new Float64Array(this.#moved.length);
  }

  /** Trades the order down to rank `limit`; it has something to reduce if it only reduces. */
  take(ladder: PriceLadder, order: IncomingOrder, limit: number): TakeOutcome {
    this.#isTrading = true;
    this.#prepare(order);
    return this.#walk(ladder, limit);
  }

  /** Whether `take` would trade the whole order; nothing changes. */
  canFill(ladder: PriceLadder, order: IncomingOrder, limit: number): boolean {
    this.#isTrading = false;
    this.#prepare(order);
    const outcome = this.#walk(ladder, limit);
    this.#takeBackMoves();
    return outcome === MatchOutcome.filled;
  }

  /** Whether an order of another account stands in reach, or too many of its own to tell. */
  touches(ladder: PriceLadder, account: number, limit: number): boolean {
    this.#isTrading = false;
    this.#account = account;
    this.#stpMode = StpMode.skip;
    this.#isLimited = false;
    this.remaining = 1;
    return this.#walk(ladder, limit) !== MatchOutcome.unfilled;
  }

  #prepare(order: IncomingOrder): void {
    this.#slot = order.slot;
    this.#account = order.account;
    this.#stpMode = order.stpMode;
    this.remaining = order.qty;
    const positions = this.#positions;
    this.#isLimited = order.budget !== 0 || positions !== null;
    this.#budget = order.budget === 0 ? Number.MAX_VALUE : order.budget;
    if (!this.#isLimited) return;
    this.#makerSide = opposite(order.side);
    this.#reducible =
      order.isReduceOnly && positions !== null
        ? positions.reducible(order.account, order.side)
        : Number.MAX_VALUE;
  }

  #walk(ladder: PriceLadder, limit: number): TakeOutcome {
    this.#matches = 0;
    this.#skips = 0;
    let rank = ladder.best;
    while (rank >= limit) {
      const outcome = this.#walkLevel(ladder, rank);
      if (outcome !== MatchOutcome.unfilled) return outcome;
      // A level taken whole leaves the best right behind it; one with own orders left does not.
      rank = ladder.best < rank ? ladder.best : ladder.nextWorse(rank);
    }
    return MatchOutcome.unfilled;
  }

  #walkLevel(ladder: PriceLadder, rank: number): TakeOutcome {
    const words = this.#pool.words;
    const account = this.#account;
    const end = ladder.end(rank);
    let line = wordAt(words, end + nextWord);
    while (line !== end) {
      const next = wordAt(words, line + nextWord);
      const own = wordAt(words, line + accountWord) === account;
      const outcome = own ? this.#meetOwn(ladder, rank, line) : this.#meet(ladder, rank, line);
      if (outcome !== MatchOutcome.unfilled) return outcome;
      line = next;
    }
    return MatchOutcome.unfilled;
  }

  #meetOwn(ladder: PriceLadder, rank: number, line: number): TakeOutcome {
    if (this.#stpMode !== StpMode.skip) return this.#prevent(ladder, rank, line);
    if (this.#skips === this.#skipsMax) return MatchOutcome.ownSkipsMax;
    this.#skips++;
    return MatchOutcome.unfilled;
  }

  /** What the incoming order's mode does instead of a trade of the account with itself. */
  #prevent(ladder: PriceLadder, rank: number, line: number): TakeOutcome {
    const mode = this.#stpMode;
    const isTakerSpared = mode === StpMode.expireMaker;
    // Whatever takes from the incoming order leaves it unable to fill whole.
    if (!(this.#isTrading || isTakerSpared)) return MatchOutcome.selfTrade;
    if (this.#matches === this.#matchesMax) return MatchOutcome.matchesPerOrderMax;
    this.#matches++;
    if (mode === StpMode.expireTaker) {
      this.#listener.met(this.#slot, slotOf(line));
      return MatchOutcome.selfTrade;
    }
    if (mode === StpMode.decrement) return this.#decrement(ladder, rank, line);
    if (this.#isTrading) this.#remove(ladder, rank, line, RemovalReason.selfTrade);
    return isTakerSpared ? MatchOutcome.unfilled : MatchOutcome.selfTrade;
  }

  #decrement(ladder: PriceLadder, rank: number, line: number): TakeOutcome {
    const open = this.#pool.qty(line);
    const lost = Math.min(this.remaining, open, this.#affordable(rank));
    if (lost === 0) return MatchOutcome.budgetSpent;
    this.remaining -= lost;
    this.#budget -= lost * Math.abs(rank);
    this.#shrink(ladder, rank, line, open - lost);
    this.#listener.reduced(this.#slot, slotOf(line), lost);
    if (this.remaining === 0) return MatchOutcome.selfTrade;
    return this.#affordable(rank) === 0 ? MatchOutcome.budgetSpent : MatchOutcome.unfilled;
  }

  #meet(ladder: PriceLadder, rank: number, line: number): TakeOutcome {
    if (this.#matches === this.#matchesMax) return MatchOutcome.matchesPerOrderMax;
    this.#matches++;
    this.#skips = 0;
    if (this.#isLimited) return this.#meetLimited(ladder, rank, line);
    const open = this.#pool.qty(line);
    const traded = Math.min(this.remaining, open);
    this.remaining -= traded;
    if (this.#isTrading) this.#trade(ladder, rank, line, traded, open);
    return this.remaining === 0 ? MatchOutcome.filled : MatchOutcome.unfilled;
  }

  /** A fill that budget or positions may stop short. */
  #meetLimited(ladder: PriceLadder, rank: number, line: number): TakeOutcome {
    const open = this.#pool.qty(line);
    const makerReducible = this.#makerReducible(line);
    if (makerReducible === 0) {
      if (this.#isTrading) this.#remove(ladder, rank, line, RemovalReason.reduceOnly);
      return MatchOutcome.unfilled;
    }
    const affordable = this.#affordable(rank);
    if (affordable === 0) return MatchOutcome.budgetSpent;
    const traded = Math.min(this.remaining, open, makerReducible, affordable, this.#reducible);
    this.remaining -= traded;
    this.#budget -= traded * Math.abs(rank);
    this.#reducible -= traded;
    this.#movePositions(line, traded);
    if (this.#isTrading) {
      this.#trade(ladder, rank, line, traded, open);
      const isSpent = traded === makerReducible && traded < open;
      if (isSpent) this.#remove(ladder, rank, line, RemovalReason.reduceOnly);
    }
    if (this.remaining === 0) return MatchOutcome.filled;
    if (this.#reducible === 0) return MatchOutcome.reduceOnly;
    return this.#affordable(rank) === 0 ? MatchOutcome.budgetSpent : MatchOutcome.unfilled;
  }

  /** Lots that what is left of the budget pays for at this price. */
  #affordable(rank: number): number {
    return Math.floor(this.#budget / Math.abs(rank));
  }

  /** Lots the resting order may trade before its account is flat; all if it is not reduce-only. */
  #makerReducible(line: number): number {
    const pool = this.#pool;
    if (this.#positions === null || !pool.isReduceOnly(line)) return Number.MAX_VALUE;
    return this.#positions.reducible(pool.account(line), this.#makerSide);
  }

  #movePositions(line: number, traded: number): void {
    if (this.#positions === null) return;
    const takerLots = this.#makerSide === Side.sell ? traded : -traded;
    this.#move(this.#positions, this.#account, takerLots);
    this.#move(this.#positions, this.#pool.account(line), -takerLots);
  }

  #move(positions: SignedPositions, account: number, lots: number): void {
    positions.add(account, lots);
    if (this.#isTrading) return;
    this.#moved[this.#moves] = account;
    this.#movedBy[this.#moves] = lots;
    this.#moves++;
  }

  #takeBackMoves(): void {
    for (let move = 0; move < this.#moves; move++) {
      this.#positions?.add(wordAt(this.#moved, move), -numberAt(this.#movedBy, move));
    }
    this.#moves = 0;
  }

  #trade(ladder: PriceLadder, rank: number, line: number, traded: number, open: number): void {
    this.#shrink(ladder, rank, line, open - traded);
    this.#listener.filled(this.#slot, slotOf(line), rank < 0 ? -rank : rank, traded);
  }

  /** Leaves `left` lots of a resting order; without any it leaves the book. */
  #shrink(ladder: PriceLadder, rank: number, line: number, left: number): void {
    if (left === 0) {
      if (this.#pool.unlink(line)) ladder.removeLevel(rank);
      this.#pool.release(line);
    } else {
      this.#pool.setQty(line, left);
    }
  }

  #remove(ladder: PriceLadder, rank: number, line: number, reason: RemovalReason): void {
    const left = this.#pool.qty(line);
    this.#shrink(ladder, rank, line, 0);
    this.#listener.removed(this.#slot, slotOf(line), reason, left);
  }
}
