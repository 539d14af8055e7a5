// The book that serves: two price ladders on the matcher's shared pool of orders.
//
// It answers as `naive-book.ts` does, operation by operation, and allocates nothing while it does.
// Handles are looked up by index, so there is no map of ids. The listener must not call back into
// the book.

import { assert } from "../../core/assert.ts";
import { emptyMatchRequest, MatchOutcome } from "../../core/match-messages.ts";
import { opposite, Side, TimeInForce } from "../../core/orders.ts";
import { emptyBookHash, mixOrder, mixSideEnd } from "./book-hash.ts";
import { Crossing } from "./crossing.ts";
import {
  type Amendment,
  assertIncoming,
  assertLimit,
  assertOpenQty,
  type DepthLevel,
  type FillListener,
  type IncomingOrder,
  type MatchingBounds,
  matchingBounds,
  type OrderBook,
  OrderTrait,
  traitsOf,
} from "./order-book.ts";
import { noSlot, type OrderPool } from "./order-pool.ts";
import { noRank, PriceLadder, rankOf } from "./price-ladder.ts";

/** What a fast book stands on: `pool` is shared by all books of a matcher, which `market` tells apart. */
export interface FastBookParts {
  market: number;
  pool: OrderPool;
  listener: FillListener;
  bounds?: MatchingBounds;
}

/** The book of one market. */
export class FastBook implements OrderBook {
  remaining = 0;
  readonly #market: number;
  readonly #pool: OrderPool;
  readonly #bids: PriceLadder;
  readonly #asks: PriceLadder;
  readonly #crossing: Crossing;
  /** The order an amend sends round again; one object, so that an amend allocates nothing. */
  readonly #amended = emptyMatchRequest();

  constructor(parts: FastBookParts) {
    assert(
      parts.market >>> 0 === parts.market && parts.market < 2 ** 23,
      "a market's index fits the pool's state word",
    );
    this.#market = parts.market;
    this.#pool = parts.pool;
    this.#bids = new PriceLadder(parts.pool);
    this.#asks = new PriceLadder(parts.pool);
    this.#crossing = new Crossing(parts.pool, parts.listener, parts.bounds ?? matchingBounds);
  }

  place(order: IncomingOrder): MatchOutcome {
    assertIncoming(order);
    this.#pool.assertFree(order.slot, order.generation);
    const traits = traitsOf(order);
    const other = order.side === Side.buy ? this.#asks : this.#bids;
    const limit = rankOf(opposite(order.side), order.price);
    this.remaining = order.qty;
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

  cancel(slot: number, generation: number): MatchOutcome {
    if (!this.#pool.holds(slot, generation, this.#market)) {
      this.remaining = 0;
      return MatchOutcome.unknown;
    }
    this.remaining = this.#pool.qty(slot);
    this.#remove(slot);
    return MatchOutcome.cancelled;
  }

  amend(amendment: Amendment): MatchOutcome {
    const pool = this.#pool;
    const { slot, price, qty } = amendment;
    assertLimit(price);
    assertOpenQty(qty);
    if (!pool.holds(slot, amendment.generation, this.#market)) {
      this.remaining = 0;
      return MatchOutcome.unknown;
    }
    this.remaining = qty;
    if (price === pool.price(slot) && qty <= pool.qty(slot)) {
      pool.setQty(slot, qty);
      return MatchOutcome.rested;
    }
    const order = this.#comeBack(amendment);
    const other = order.side === Side.buy ? this.#asks : this.#bids;
    const limit = rankOf(opposite(order.side), price);
    if (pool.postOnly(slot) && this.#meetsOther(order, other, limit)) {
      this.remaining = pool.qty(slot);
      return MatchOutcome.wouldTake;
    }
    this.#remove(slot);
    pool.vacate(slot);
    return this.place(order);
  }

  restore(order: IncomingOrder): void {
    assertIncoming(order);
    this.#pool.assertFree(order.slot, order.generation);
    const traits = traitsOf(order);
    assert((traits & OrderTrait.mayRest) !== 0, "only an order that may rest is restored");
    this.remaining = order.qty;
    this.#rest(order, traits);
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
    const ladder = side === Side.buy ? this.#bids : this.#asks;
    const found: DepthLevel[] = [];
    for (let rank = ladder.best; rank !== noRank; rank = ladder.nextWorse(rank)) {
      if (found.length === levels) break;
      let qty = 0;
      for (let slot = ladder.head(rank); slot !== noSlot; slot = this.#pool.next(slot)) {
        qty += this.#pool.qty(slot);
      }
      found.push({ price: Math.abs(rank), qty });
    }
    return found;
  }

  restingCount(): number {
    return this.#bids.count + this.#asks.count;
  }

  stateHash(): number {
    return this.#mixSide(this.#mixSide(emptyBookHash, this.#bids), this.#asks);
  }

  /** What becomes of an order whose limit reaches the other side; `unfilled` with a remainder. */
  #meet(order: IncomingOrder, traits: number, other: PriceLadder, limit: number): MatchOutcome {
    const crossing = this.#crossing;
    if ((traits & OrderTrait.postOnly) !== 0) {
      return this.#meetsOther(order, other, limit) ? MatchOutcome.wouldTake : MatchOutcome.unfilled;
    }
    if (
      (traits & OrderTrait.fillOrKill) !== 0 &&
      crossing.look(other, order.account, limit, order.qty) !== MatchOutcome.filled
    ) {
      return MatchOutcome.fillOrKill;
    }
    const outcome = crossing.take(other, order.account, limit, order.qty);
    this.remaining = crossing.remaining;
    return outcome;
  }

  /** Whether one lot would trade, or too many own orders stand in front to tell. */
  #meetsOther(order: IncomingOrder, other: PriceLadder, limit: number): boolean {
    return this.#crossing.look(other, order.account, limit, 1) !== MatchOutcome.unfilled;
  }

  /** The amended order as it would come to the door: its own account, side and post-only mark. */
  #comeBack(amendment: Amendment): IncomingOrder {
    const pool = this.#pool;
    const order = this.#amended;
    const slot = amendment.slot;
    order.slot = slot;
    order.generation = amendment.generation;
    order.account = pool.account(slot);
    order.side = pool.side(slot);
    order.timeInForce = pool.postOnly(slot) ? TimeInForce.gtx : TimeInForce.gtc;
    order.price = amendment.price;
    order.qty = amendment.qty;
    return order;
  }

  #rest(order: IncomingOrder, traits: number): void {
    this.#pool.occupy(order, this.remaining, this.#market, traits);
    const own = order.side === Side.buy ? this.#bids : this.#asks;
    own.append(rankOf(order.side, order.price), order.slot);
  }

  #remove(slot: number): void {
    const pool = this.#pool;
    const side = pool.side(slot);
    const ladder = side === Side.buy ? this.#bids : this.#asks;
    ladder.remove(rankOf(side, pool.price(slot)), slot);
    pool.release(slot);
  }

  #mixSide(hash: number, ladder: PriceLadder): number {
    const pool = this.#pool;
    let mixed = hash;
    for (let rank = ladder.best; rank !== noRank; rank = ladder.nextWorse(rank)) {
      for (let slot = ladder.head(rank); slot !== noSlot; slot = pool.next(slot)) {
        mixed = mixOrder(mixed, {
          price: pool.price(slot),
          account: pool.account(slot),
          slot,
          generation: pool.generation(slot),
          qty: pool.qty(slot),
          postOnly: pool.postOnly(slot),
        });
      }
    }
    return mixSideEnd(mixed);
  }
}
