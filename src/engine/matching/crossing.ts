// An incoming order's walk through the other side: best price first, then oldest first. The order's self-trade
// prevention mode decides about resting orders of its own owner: of its account, the owner, and other sub-accounts.
//
// One walk serves trading (`take`) and checks (`canFill`, `touches`), so the check of a FOK order predicts exactly
// what trading would do: a check changes only positions and then restores them. The walk is bounded: it ends when it
// would affect more than `matchesPerOrderMax` resting orders (each slice of an iceberg order counts), or meets more than
// `ownSkipsMax` own orders in a row. Runs of own orders are not cached between orders: skipping the longest possible run
// takes 3–5 µs, less than the rest of the order's processing, so an attacker cannot slow the venue down with own orders.
// Clearing admits fewer open orders per account and market than `ownSkipsMax`, but an owner with sub-accounts may have more.

import { assert, numberAt, wordAt } from "../../core/assert.ts";
import { MatchOutcome, RemovalReason } from "../../core/match-messages.ts";
import { opposite, Side, StpMode } from "../../core/orders.ts";
import type { BookListener, IncomingOrder, MatchingBounds } from "./order-book.ts";
import { accountWord, nextWord, type OrderPool, previousWord, slotOf } from "./order-pool.ts";
import type { PriceLadder } from "./price-ladder.ts";
import type { SignedPositions } from "./signed-positions.ts";

/** How a walk ended; `unfilled` if a quantity remains and nothing is left to trade with. */
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

/** Walks of one book's incoming orders, one at a time. */
export class Crossing {
  /** Lots remaining after the last `take`. */
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
  /** The owner of an account with sub-accounts, or of a sub-account; 0 for all others, whose accounts are compared. */
  #owner = 0;
  #stpMode: StpMode = StpMode.skip;
  /** Whether the budget or a position may make a fill smaller than the open lots of both orders. */
  #isLimited = false;
  /** The rest of the budget, in ticks × lots. */
  #budget = 0;
  #makerSide: Side = Side.sell;
  /** Lots the incoming order may still trade before its position is flat. */
  #reducible = 0;
  /** Accounts whose positions a check has changed, in order, and by how many lots, so that it can restore them. */
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

  /**
   * Trades the order with the levels from the best rank to `limit`. A reduce-only order must have a position to reduce.
   */
  take(ladder: PriceLadder, order: IncomingOrder, limit: number): TakeOutcome {
    this.#isTrading = true;
    this.#prepare(order);
    return this.#walk(ladder, limit);
  }

  /** Whether `take` would fill the whole order; changes nothing. */
  canFill(ladder: PriceLadder, order: IncomingOrder, limit: number): boolean {
    this.#isTrading = false;
    this.#prepare(order);
    const outcome = this.#walk(ladder, limit);
    this.#takeBackMoves();
    return outcome === MatchOutcome.filled;
  }

  /** Whether a walk to `limit` meets an order of another owner, or more own orders than it may skip. */
  touches(ladder: PriceLadder, { account, owner }: IncomingOrder, limit: number): boolean {
    this.#isTrading = false;
    this.#account = account;
    this.#owner = owner;
    this.#stpMode = StpMode.skip;
    this.#isLimited = false;
    this.remaining = 1;
    return this.#walk(ladder, limit) !== MatchOutcome.unfilled;
  }

  #prepare(order: IncomingOrder): void {
    this.#slot = order.slot;
    this.#account = order.account;
    this.#owner = order.owner;
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
      // The best rank is worse than `rank` only if the walk has removed this level and all better ones; then the best
      // rank is next. Otherwise this level or a better one still exists (with skipped own orders, or in a check), and
      // the next worse rank is next.
      rank = ladder.best < rank ? ladder.best : ladder.nextWorse(rank);
    }
    return MatchOutcome.unfilled;
  }

  #walkLevel(ladder: PriceLadder, rank: number): TakeOutcome {
    const words = this.#pool.words;
    const account = this.#account;
    const owner = this.#owner;
    const end = ladder.end(rank);
    let line = wordAt(words, end + nextWord);
    while (line !== end) {
      const next = wordAt(words, line + nextWord);
      const isAccounts = wordAt(words, line + accountWord) === account;
      const own = isAccounts || (owner !== 0 && this.#pool.isOwnedBy(line, owner));
      const outcome = own ? this.#meetOwn(ladder, rank, line) : this.#meet(ladder, rank, line);
      if (outcome !== MatchOutcome.unfilled) return outcome;
      // A last order that has traded and is still there shows its next slice.
      const isAgain =
        next === end && !own && this.#isTrading && wordAt(words, end + previousWord) === line;
      if (!isAgain) line = next;
    }
    return this.#isTrading ? MatchOutcome.unfilled : this.#checkHidden(end);
  }

  /** Continues a check of a level with the slices that its iceberg orders would show one after the other. */
  #checkHidden(end: number): TakeOutcome {
    const pool = this.#pool;
    for (let round = 0, isOver = false; !isOver; round++) {
      isOver = true;
      assert(round <= this.#matchesMax, "each round of a check must count a match");
      for (let line = pool.next(end); line !== end; line = pool.next(line)) {
        const left = pool.hides(line) ? pool.hiddenQty(line) - round * pool.sliceQty(line) : 0;
        if (left <= 0 || this.#isOwn(line)) continue;
        const outcome = this.#checkSlice(Math.min(left, pool.sliceQty(line)));
        if (outcome !== MatchOutcome.unfilled) return outcome;
        isOver = false;
      }
    }
    return MatchOutcome.unfilled;
  }

  #isOwn(line: number): boolean {
    const isAccounts = this.#pool.account(line) === this.#account;
    return isAccounts || (this.#owner !== 0 && this.#pool.isOwnedBy(line, this.#owner));
  }

  #checkSlice(qty: number): TakeOutcome {
    if (this.#matches === this.#matchesMax) return MatchOutcome.matchesPerOrderMax;
    this.#matches++;
    this.#skips = 0;
    this.remaining -= Math.min(this.remaining, qty);
    return this.remaining === 0 ? MatchOutcome.filled : MatchOutcome.unfilled;
  }

  #meetOwn(ladder: PriceLadder, rank: number, line: number): TakeOutcome {
    if (this.#stpMode !== StpMode.skip) return this.#prevent(ladder, rank, line);
    if (this.#skips === this.#skipsMax) return MatchOutcome.ownSkipsMax;
    this.#skips++;
    return MatchOutcome.unfilled;
  }

  /** Applies the incoming order's self-trade prevention mode. */
  #prevent(ladder: PriceLadder, rank: number, line: number): TakeOutcome {
    const mode = this.#stpMode;
    const isTakerSpared = mode === StpMode.expireMaker;
    // In a check, every mode but `expireMaker` reduces or ends the incoming order, so it cannot be filled completely.
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
    const open = this.#pool.openQty(line);
    const lost = Math.min(this.remaining, open, this.#affordable(rank));
    if (lost === 0) return MatchOutcome.budgetSpent;
    this.remaining -= lost;
    this.#budget -= lost * Math.abs(rank);
    if (lost === open) this.#takeOut(ladder, rank, line);
    else this.#pool.reduceTo(line, open - lost);
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

  /** Trades with a resting order when the budget or a position may limit the fill. */
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

  /** Lots the remaining budget can pay for at this price. */
  #affordable(rank: number): number {
    return Math.floor(this.#budget / Math.abs(rank));
  }

  /** Lots that a reduce-only resting order may trade before its account is flat; no limit for other orders. */
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
    if (traded < open) this.#pool.setQty(line, open - traded);
    else if (this.#pool.hides(line)) {
      this.#pool.showNext(line);
      // Its level stays, even if no other order is there.
      this.#pool.unlink(line);
      ladder.append(rank, line);
    } else this.#takeOut(ladder, rank, line);
    this.#listener.filled(this.#slot, slotOf(line), rank < 0 ? -rank : rank, traded);
  }

  #takeOut(ladder: PriceLadder, rank: number, line: number): void {
    if (this.#pool.unlink(line)) ladder.removeLevel(rank);
    this.#pool.release(line);
  }

  #remove(ladder: PriceLadder, rank: number, line: number, reason: RemovalReason): void {
    const left = this.#pool.openQty(line);
    this.#takeOut(ladder, rank, line);
    this.#listener.removed(this.#slot, slotOf(line), reason, left);
  }
}
