// The book said as plainly as it can be said: two sorted arrays of orders. It is the specification
// of the fast book, in tests and in the comparison over generated commands.
//
// Each side is kept in priority order, so "the next order to trade with" is the next element. A sweep
// is first planned and then carried out. It is meant for a few hundred orders and makes no haste.

import { assert } from "../../core/assert.ts";
import { emptyMatchRequest, MatchOutcome } from "../../core/match-messages.ts";
import { OrderType, Side, TimeInForce } from "../../core/orders.ts";
import { emptyBookHash, mixOrder, mixSideEnd } from "./book-hash.ts";
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

interface RestingOrder {
  slot: number;
  generation: number;
  account: number;
  side: Side;
  price: number;
  qty: number;
  postOnly: boolean;
}

/** What a sweep would do: whom it trades with, what it leaves, why it ends. */
interface Plan {
  fills: { maker: RestingOrder; qty: number }[];
  remaining: number;
  outcome: MatchOutcome;
}

function is(order: IncomingOrder, trait: number): boolean {
  return (traitsOf(order) & trait) !== 0;
}

/** The readable book of one market. */
export class NaiveBook implements OrderBook {
  remaining = 0;
  readonly #bids: RestingOrder[] = [];
  readonly #asks: RestingOrder[] = [];
  readonly #listener: FillListener;
  readonly #bounds: MatchingBounds;

  constructor(listener: FillListener, bounds: MatchingBounds = matchingBounds) {
    this.#listener = listener;
    this.#bounds = bounds;
  }

  place(order: IncomingOrder): MatchOutcome {
    assertIncoming(order);
    assert(this.#find(order.slot) === undefined, "the slot of an incoming order is free");
    const plan = this.#plan(order);
    this.remaining = order.qty;
    if (is(order, OrderTrait.postOnly)) {
      if (plan.fills.length > 0 || plan.outcome === MatchOutcome.ownSkipsMax) {
        return MatchOutcome.wouldTake;
      }
    } else if (is(order, OrderTrait.fillOrKill) && plan.remaining > 0) {
      return MatchOutcome.fillOrKill;
    }
    for (const fill of plan.fills) this.#trade(fill.maker, fill.qty);
    this.remaining = plan.remaining;
    if (plan.outcome !== MatchOutcome.unfilled || !is(order, OrderTrait.mayRest))
      return plan.outcome;
    this.#rest(order, plan.remaining);
    return MatchOutcome.rested;
  }

  cancel(slot: number, generation: number): MatchOutcome {
    const order = this.#find(slot);
    this.remaining = 0;
    if (order?.generation !== generation) return MatchOutcome.unknown;
    this.remaining = order.qty;
    this.#remove(order);
    return MatchOutcome.cancelled;
  }

  amend(amendment: Amendment): MatchOutcome {
    assertLimit(amendment.price);
    assertOpenQty(amendment.qty);
    const order = this.#find(amendment.slot);
    this.remaining = 0;
    if (order?.generation !== amendment.generation) return MatchOutcome.unknown;
    if (amendment.price === order.price && amendment.qty <= order.qty) {
      order.qty = amendment.qty;
      this.remaining = order.qty;
      return MatchOutcome.rested;
    }
    const place = this.#sideOf(order).indexOf(order);
    this.#remove(order);
    const outcome = this.place({
      ...emptyMatchRequest(),
      ...order,
      type: OrderType.limit,
      timeInForce: order.postOnly ? TimeInForce.gtx : TimeInForce.gtc,
      price: amendment.price,
      qty: amendment.qty,
    });
    if (outcome === MatchOutcome.wouldTake) {
      this.#sideOf(order).splice(place, 0, order);
      this.remaining = order.qty;
    }
    return outcome;
  }

  restore(order: IncomingOrder): void {
    assertIncoming(order);
    assert(is(order, OrderTrait.mayRest), "only an order that may rest is restored");
    assert(this.#find(order.slot) === undefined, "the slot of a restored order is free");
    this.remaining = order.qty;
    this.#rest(order, order.qty);
  }

  bestBid(): number {
    return this.#bids[0]?.price ?? 0;
  }

  bestAsk(): number {
    return this.#asks[0]?.price ?? 0;
  }

  depth(side: Side, levels: number): DepthLevel[] {
    const found: DepthLevel[] = [];
    for (const order of side === Side.buy ? this.#bids : this.#asks) {
      const last = found.at(-1);
      if (last?.price === order.price) last.qty += order.qty;
      else found.push({ price: order.price, qty: order.qty });
    }
    return found.slice(0, levels);
  }

  restingCount(): number {
    return this.#bids.length + this.#asks.length;
  }

  stateHash(): number {
    return mixSideEnd(
      this.#asks.reduce(mixOrder, mixSideEnd(this.#bids.reduce(mixOrder, emptyBookHash))),
    );
  }

  /** The sweep of an order through the other side: best price first, oldest first, own skipped. */
  #plan(order: IncomingOrder): Plan {
    const plan: Plan = { fills: [], remaining: order.qty, outcome: MatchOutcome.unfilled };
    let ownInARow = 0;
    for (const maker of this.#crossable(order)) {
      if (maker.account === order.account) {
        if (ownInARow === this.#bounds.ownSkipsMax) {
          return { ...plan, outcome: MatchOutcome.ownSkipsMax };
        }
        ownInARow++;
        continue;
      }
      if (plan.fills.length === this.#bounds.matchesPerOrderMax) {
        return { ...plan, outcome: MatchOutcome.matchesPerOrderMax };
      }
      ownInARow = 0;
      const qty = Math.min(plan.remaining, maker.qty);
      plan.fills.push({ maker, qty });
      plan.remaining -= qty;
      if (plan.remaining === 0) return { ...plan, outcome: MatchOutcome.filled };
    }
    return plan;
  }

  /** The other side as far as the limit reaches, in priority order. */
  #crossable(order: IncomingOrder): RestingOrder[] {
    return order.side === Side.buy
      ? this.#asks.filter((ask) => ask.price <= order.price)
      : this.#bids.filter((bid) => bid.price >= order.price);
  }

  #trade(maker: RestingOrder, qty: number): void {
    maker.qty -= qty;
    if (maker.qty === 0) this.#remove(maker);
    this.#listener.filled(maker.slot, maker.price, qty);
  }

  /** Array sort is stable: among equal prices the newcomer stays last. */
  #rest(order: IncomingOrder, qty: number): void {
    const { slot, generation, account, side, price } = order;
    const resting = {
      slot,
      generation,
      account,
      side,
      price,
      qty,
      postOnly: is(order, OrderTrait.postOnly),
    };
    const orders = this.#sideOf(resting);
    orders.push(resting);
    orders.sort((a, b) => (side === Side.buy ? b.price - a.price : a.price - b.price));
  }

  #remove(order: RestingOrder): void {
    const orders = this.#sideOf(order);
    orders.splice(orders.indexOf(order), 1);
  }

  #find(slot: number): RestingOrder | undefined {
    const here = (order: RestingOrder) => order.slot === slot;
    return this.#bids.find(here) ?? this.#asks.find(here);
  }

  #sideOf(order: { side: Side }): RestingOrder[] {
    return order.side === Side.buy ? this.#bids : this.#asks;
  }
}
