// The production book: two price ladders on the matcher's shared order pool.
//
// It behaves exactly like `naive-book.ts`, and its operations on orders allocate nothing. The slot in a handle is an
// array index, so no map of ids is needed. The listener must not call back into the book.

import { assert, present } from "../../core/assert.ts";
import { emptyMatchRequest } from "../../core/generated/messages.ts";
import { MatchOutcome } from "../../core/match-messages.ts";
import { OrderTrait, opposite, Side, TimeInForce, traitsOf } from "../../core/orders.ts";
import { noRank, rankOf } from "../level-set.ts";
import { emptyBookHash, mixOrder, mixSideEnd } from "./book-hash.ts";
import { Crossing } from "./crossing.ts";
import {
  type Amendment,
  amendedQty,
  assertIncoming,
  assertLevel,
  assertLimit,
  assertOpenQty,
  assertSpotIfIceberg,
  type BookListener,
  type DepthLevel,
  type IncomingOrder,
  type MatchingBounds,
  matchingBounds,
  type OrderBook,
} from "./order-book.ts";
import { lineOf, type OrderPool, slotOf } from "./order-pool.ts";
import { PriceLadder } from "./price-ladder.ts";
import type { SignedPositions } from "./signed-positions.ts";

/** Parts of a fast book; all books of a matcher share `pool`, which distinguishes them by `market`. */
export interface FastBookParts {
  market: number;
  pool: OrderPool;
  listener: BookListener;
  /** Set in a perpetual market; without positions the book accepts no reduce-only order. */
  positions?: SignedPositions;
  bounds?: MatchingBounds;
}

/** The book of one market. */
export class FastBook implements OrderBook {
  remaining = 0;
  readonly #market: number;
  readonly #pool: OrderPool;
  readonly #bids: PriceLadder;
  readonly #asks: PriceLadder;
  /** Bids and asks, indexed by side: sides are random, and an index avoids branch misprediction. */
  readonly #ladders: readonly [bids: PriceLadder, asks: PriceLadder];
  readonly #crossing: Crossing;
  readonly #positions: SignedPositions | null;
  /** The amended order when it is matched again; one reused object, so that an amend does not allocate. */
  readonly #amended = emptyMatchRequest();

  constructor(parts: FastBookParts) {
    assert(
      parts.market >>> 0 === parts.market && parts.market < 2 ** 23,
      "the index of the market must fit the state word of the order pool",
    );
    this.#market = parts.market;
    this.#pool = parts.pool;
    this.#bids = new PriceLadder(parts.pool);
    this.#asks = new PriceLadder(parts.pool);
    this.#ladders = [this.#bids, this.#asks];
    this.#positions = parts.positions ?? null;
    this.#crossing = new Crossing({
      pool: parts.pool,
      positions: this.#positions,
      listener: parts.listener,
      bounds: parts.bounds ?? matchingBounds,
    });
  }

  place(order: IncomingOrder): MatchOutcome {
    assertIncoming(order);
    this.#pool.assertFree(order.slot, order.generation);
    const traits = traitsOf(order);
    const other = this.#ladders[opposite(order.side)];
    const limit = rankOf(opposite(order.side), order.price);
    this.remaining = order.qty;
    if (order.isReduceOnly && this.#reducible(order) === 0) return MatchOutcome.reduceOnly;
    if (other.best >= limit) {
      const outcome = this.#meet(order, traits, other, limit);
      if (outcome !== MatchOutcome.unfilled) return outcome;
    }
    if ((traits & OrderTrait.mayRest) !== 0) {
      this.#rest(order, traits);
      return MatchOutcome.rested;
    }
    return (traits & OrderTrait.fillOrKill) === 0 ? MatchOutcome.unfilled : MatchOutcome.fillOrKill;
  }

  cancel(slot: number, generation: number, seenQty = 0): MatchOutcome {
    if (!this.#pool.holds(slot, generation, this.#market)) {
      this.remaining = 0;
      return MatchOutcome.unknown;
    }
    const line = lineOf(slot);
    this.remaining = this.#pool.openQty(line);
    if (seenQty !== 0 && seenQty !== this.remaining) return MatchOutcome.changed;
    this.#remove(line);
    return MatchOutcome.cancelled;
  }

  amend(amendment: Amendment): MatchOutcome {
    const pool = this.#pool;
    const crossing = this.#crossing;
    const { slot, price } = amendment;
    assertLimit(price);
    assertOpenQty(amendment.qty);
    if (!pool.holds(slot, amendment.generation, this.#market)) {
      this.remaining = 0;
      return MatchOutcome.unknown;
    }
    const line = lineOf(slot);
    const open = pool.openQty(line);
    const qty = amendedQty(amendment, open);
    if (qty <= 0) return this.cancel(slot, amendment.generation);
    this.remaining = qty;
    if (price === pool.price(line) && qty <= open) {
      pool.reduceTo(line, qty);
      return MatchOutcome.rested;
    }
    const order = this.#comeBack(amendment, qty);
    const other = this.#ladders[opposite(order.side)];
    const limit = rankOf(opposite(order.side), price);
    const hasNothing = order.isReduceOnly && this.#reducible(order) === 0;
    if (pool.postOnly(line) && !hasNothing && crossing.touches(other, order, limit)) {
      this.remaining = open;
      return MatchOutcome.wouldTake;
    }
    this.#remove(line);
    pool.vacate(line);
    return this.place(order);
  }

  restore(order: IncomingOrder): void {
    assertIncoming(order);
    this.#pool.assertFree(order.slot, order.generation);
    const traits = traitsOf(order);
    assert((traits & OrderTrait.mayRest) !== 0, "a restored order must be an order that may rest");
    assert(!order.isReduceOnly || this.#positions !== null, "the market must be a perpetual");
    this.remaining = order.qty;
    this.#rest(order, traits);
  }

  readLevel(side: Side, level: number): MatchOutcome {
    assertLevel(level);
    const ladder = this.#ladders[side];
    let rank = ladder.best;
    for (let at = 1; at < level && rank !== noRank; at++) rank = ladder.nextWorse(rank);
    this.remaining = rank === noRank ? 0 : Math.abs(rank);
    return MatchOutcome.levelRead;
  }

  adjust(account: number, lots: number): void {
    present(this.#positions, "the market must be a perpetual").add(account, lots);
    this.remaining = 0;
  }

  position(account: number): number {
    return this.#positions === null ? 0 : this.#positions.of(account);
  }

  bestBid(): number {
    const best = this.#bids.best;
    return best === noRank ? 0 : best;
  }

  bestAsk(): number {
    const best = this.#asks.best;
    return best === noRank ? 0 : -best;
  }

  depth(side: Side, levels: number): DepthLevel[] {
    const ladder = this.#ladders[side];
    const found: DepthLevel[] = [];
    for (let rank = ladder.best; rank !== noRank; rank = ladder.nextWorse(rank)) {
      if (found.length === levels) break;
      let qty = 0;
      const end = ladder.end(rank);
      for (let line = this.#pool.next(end); line !== end; line = this.#pool.next(line)) {
        qty += this.#pool.qty(line);
      }
      found.push({ price: Math.abs(rank), qty });
    }
    return found;
  }

  restingCount(): number {
    return this.#ladders.reduce((sum, ladder) => sum + this.#count(ladder), 0);
  }

  stateHash(): number {
    const hash = this.#mixSide(
      this.#mixSide(emptyBookHash, this.#ladders[Side.buy]),
      this.#ladders[Side.sell],
    );
    return this.#positions === null ? hash : this.#positions.mixInto(hash);
  }

  /** Matches an order whose limit reaches the other side. Returns `unfilled` if lots remain that may rest or expire. */
  #meet(order: IncomingOrder, traits: number, other: PriceLadder, limit: number): MatchOutcome {
    const crossing = this.#crossing;
    if ((traits & OrderTrait.postOnly) !== 0) {
      const touches = crossing.touches(other, order, limit);
      return touches ? MatchOutcome.wouldTake : MatchOutcome.unfilled;
    }
    if ((traits & OrderTrait.fillOrKill) !== 0 && !crossing.canFill(other, order, limit)) {
      return MatchOutcome.fillOrKill;
    }
    const outcome = crossing.take(other, order, limit);
    this.remaining = crossing.remaining;
    return outcome;
  }

  /** Lots the order may trade before its account is flat. */
  #reducible(order: IncomingOrder): number {
    return present(this.#positions, "the market must be a perpetual").reducible(
      order.account,
      order.side,
    );
  }

  /** The amended order as an incoming order, with the account, side and flags of the resting one. */
  #comeBack(amendment: Amendment, qty: number): IncomingOrder {
    const pool = this.#pool;
    const order = this.#amended;
    const line = lineOf(amendment.slot);
    order.slot = amendment.slot;
    order.generation = amendment.generation;
    order.account = pool.account(line);
    order.owner = amendment.owner;
    order.side = pool.side(line);
    order.timeInForce = pool.postOnly(line) ? TimeInForce.gtx : TimeInForce.gtc;
    order.isReduceOnly = pool.isReduceOnly(line);
    order.stpMode = amendment.stpMode;
    order.price = amendment.price;
    order.qty = qty;
    order.icebergQty = amendment.icebergQty;
    return order;
  }

  #rest(order: IncomingOrder, traits: number): void {
    assertSpotIfIceberg(order, this.#positions !== null);
    this.#pool.occupy(order, this.remaining, this.#market, traits);
    const own = this.#ladders[order.side];
    own.append(rankOf(order.side, order.price), lineOf(order.slot));
  }

  #remove(line: number): void {
    const pool = this.#pool;
    if (pool.unlink(line)) {
      const side = pool.side(line);
      this.#ladders[side].removeLevel(rankOf(side, pool.price(line)));
    }
    pool.release(line);
  }

  #count(ladder: PriceLadder): number {
    let count = 0;
    for (let rank = ladder.best; rank !== noRank; rank = ladder.nextWorse(rank)) {
      const end = ladder.end(rank);
      for (let line = this.#pool.next(end); line !== end; line = this.#pool.next(line)) count++;
    }
    return count;
  }

  #mixSide(hash: number, ladder: PriceLadder): number {
    const pool = this.#pool;
    let mixed = hash;
    for (let rank = ladder.best; rank !== noRank; rank = ladder.nextWorse(rank)) {
      const end = ladder.end(rank);
      for (let line = pool.next(end); line !== end; line = pool.next(line)) {
        mixed = mixOrder(mixed, {
          price: pool.price(line),
          account: pool.account(line),
          slot: slotOf(line),
          generation: pool.generation(line),
          qty: pool.qty(line),
          postOnly: pool.postOnly(line),
          isReduceOnly: pool.isReduceOnly(line),
          hiddenQty: pool.hiddenQty(line),
          icebergQty: pool.sliceQty(line),
        });
      }
    }
    return mixSideEnd(mixed);
  }
}
