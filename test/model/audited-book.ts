// The auditor's open orders of one market: those on the book by price and arrival, and those waiting for a
// trigger. It checks priority by walking from the best price, and crossing by comparing every bid with every ask.

import assert from "node:assert/strict";
import type {
  OrderAccepted,
  OrderAmended,
  OrderTriggered,
  SpecialAccepted,
  Traded,
} from "../../src/core/generated/events.ts";
import {
  isConditional,
  OrderType,
  opposite,
  Side,
  TimeInForce,
  tradedTimeInForce,
  tradedType,
} from "../../src/core/orders.ts";
import { AuditedSide } from "./audited-side.ts";

export interface AuditedOrder {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly isReduceOnly: boolean;
  /** Trigger price of a conditional order in ticks; 0 for other orders. */
  readonly triggerPrice: number;
  readonly clientId: string;
  price: number;
  marginPrice: number;
  qty: number;
  remaining: number;
  /** Seq of the event that set its terms. */
  termsSeq: number;
  /**
   * Perpetuals: ticks by which the price was worse than the mark when the terms were set, and the lots concerned.
   */
  lossTicks: number;
  lossLots: number;
}

export class AuditedBook {
  readonly #orders = new Map<number, AuditedOrder>();
  readonly #waiting = new Map<number, AuditedOrder>();
  /** Orders on the book and waiting orders, by account. */
  readonly #owned = new Map<number, Map<number, AuditedOrder>>();
  readonly #sides = {
    [Side.buy]: new AuditedSide<AuditedOrder>(Side.buy),
    [Side.sell]: new AuditedSide<AuditedOrder>(Side.sell),
  };

  /** All open orders, on the book or waiting, by id. */
  get orders(): AuditedOrder[] {
    const all = [...this.#orders.values(), ...this.#waiting.values()];
    return all.sort((a, b) => a.orderId - b.orderId);
  }

  ordersOf(account: number): AuditedOrder[] {
    const own = this.#owned.get(account)?.values() ?? [];
    return [...own].sort((a, b) => a.orderId - b.orderId);
  }

  order(orderId: number): AuditedOrder | undefined {
    return this.#orders.get(orderId) ?? this.#waiting.get(orderId);
  }

  /** Orders of the same account and side that may open a position, by id. */
  margined({ account, side }: AuditedOrder): AuditedOrder[] {
    return this.ordersOf(account).filter(
      (one) => one.side === side && !one.isReduceOnly && !this.#waiting.has(one.orderId),
    );
  }

  accept(event: OrderAccepted | SpecialAccepted): AuditedOrder {
    const figures = { remaining: event.qty, termsSeq: event.seq, lossTicks: 0, lossLots: 0 };
    const order = { triggerPrice: 0, ...event, ...figures };
    if (isConditional(event.type)) this.#waiting.set(event.orderId, order);
    else this.#enter(order);
    const owned = this.#owned.get(event.account) ?? new Map<number, AuditedOrder>();
    this.#owned.set(event.account, owned.set(event.orderId, order));
    return order;
  }

  /** Puts a triggered order at the end of its price's queue. */
  trigger(event: OrderTriggered): AuditedOrder {
    const order = this.#waiting.get(event.orderId);
    assert(order !== undefined, "an order that triggers has waited");
    this.#waiting.delete(event.orderId);
    order.price = event.price;
    order.qty = event.qty;
    order.remaining = event.qty;
    order.marginPrice = event.marginPrice;
    this.#enter(order);
    return order;
  }

  /**
   * Sets new terms; asserts that an order keeps its priority only at the same price and with no larger quantity.
   */
  amend(event: OrderAmended): AuditedOrder {
    const order = this.#open(event.orderId);
    const remaining = order.remaining + event.qty - order.qty;
    assert(remaining > 0, "an amended order has something open");
    const keeps = event.price === order.price && remaining <= order.remaining;
    assert(event.isRequeued || keeps, "a better order goes to the end of the queue");
    if (event.isRequeued) {
      this.#leave(order);
      order.price = event.price;
      this.#enter(order);
    }
    order.qty = event.qty;
    order.remaining = remaining;
    order.marginPrice = event.marginPrice;
    return order;
  }

  /** Reduces an order that stays open. */
  reduce(orderId: number, qty: number): void {
    const order = this.#open(orderId);
    assert(qty < order.remaining, "a reduced order has something left");
    order.remaining -= qty;
    order.qty -= qty;
  }

  /** Removes a closed order; asserts that it was open. */
  close(orderId: number): AuditedOrder {
    const order = this.#waiting.get(orderId) ?? this.#open(orderId);
    if (!this.#waiting.delete(orderId)) this.#leave(order);
    this.#disown(order);
    return order;
  }

  /**
   * Fills both orders; asserts that the resting order had priority, that its price made the trade, and that the
   * limit of the incoming order allowed it. Returns the orders that are now filled.
   */
  trade(event: Traded): AuditedOrder[] {
    const taker = this.#open(event.takerOrderId);
    const maker = this.#open(event.makerOrderId);
    assert.equal(taker.account, event.account, "the incoming order is its account's");
    assert.equal(maker.account, event.makerAccount, "the resting order is its account's");
    assert.notEqual(taker.account, maker.account, "no account trades with itself");
    assert.notEqual(maker.side, taker.side, "the two are on opposite sides");
    assert.equal(this.bestFor(taker)?.orderId, maker.orderId, "price, then time");
    assert.equal(event.price, maker.price, "the resting order's price");
    assert(!isBetter(taker.side, event.price, taker.price), "the limit is respected");
    assert(!isPostOnly(taker), "a post-only order never takes");
    for (const order of [taker, maker]) {
      order.remaining -= event.qty;
      assert(order.remaining >= 0, "no order fills beyond its quantity");
    }
    const full = [taker, maker].filter(({ remaining }) => remaining === 0);
    for (const order of full) {
      this.#leave(order);
      this.#disown(order);
    }
    return full;
  }

  /** Best price of a side in ticks; 0 if it is empty. */
  bestPrice(side: Side): number {
    return this.#sides[side].best;
  }

  /** Orders on the book of one side, best first. */
  resting(side: Side): AuditedOrder[] {
    return [...this.#sides[side].orders()];
  }

  /** The oldest order at the best price of another account with which `taker` may trade. */
  bestFor(taker: AuditedOrder): AuditedOrder | undefined {
    for (const order of this.#sides[opposite(taker.side)].orders()) {
      if (isBetter(taker.side, order.price, taker.price)) break;
      if (order.account !== taker.account) return order;
    }
    return undefined;
  }

  /** Asserts that no bid of an account reaches an ask of another. */
  checkUncrossed(): void {
    const lowest = this.bestPrice(Side.sell);
    if (lowest === 0) return;
    for (const bid of this.#sides[Side.buy].orders()) {
      if (bid.price < lowest) return;
      for (const ask of this.#sides[Side.sell].orders()) {
        if (ask.price > bid.price) break;
        assert.equal(ask.account, bid.account, "a book is never crossed by two accounts");
      }
    }
  }

  #enter(order: AuditedOrder): void {
    this.#orders.set(order.orderId, order);
    this.#sides[order.side].add(order);
  }

  #leave(order: AuditedOrder): void {
    this.#orders.delete(order.orderId);
    this.#sides[order.side].remove(order);
  }

  #disown({ account, orderId }: AuditedOrder): void {
    const owned = this.#owned.get(account);
    owned?.delete(orderId);
    if (owned?.size === 0) this.#owned.delete(account);
  }

  #open(orderId: number): AuditedOrder {
    const order = this.#orders.get(orderId);
    assert(order !== undefined, "the order is open");
    return order;
  }
}

/** Whether an order of `side` at `price` has priority over one at `other`. */
function isBetter(side: Side, price: number, other: number): boolean {
  return side === Side.buy ? price > other : price < other;
}

export function isPostOnly(order: AuditedOrder): boolean {
  return tradedTimeInForce(order.type, order.timeInForce) === TimeInForce.gtx;
}

/** Whether the remainder of the order may rest. */
export function mayRest(order: AuditedOrder): boolean {
  if (tradedType(order.type) === OrderType.market) return false;
  const { timeInForce } = order;
  return timeInForce === TimeInForce.gtc || timeInForce === TimeInForce.gtd || isPostOnly(order);
}
