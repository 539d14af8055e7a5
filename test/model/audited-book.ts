// The auditor's open orders of one market: orders on the book by price and arrival, and conditional orders that wait
// for a trigger. To check priority, it walks through the book from the best price. To find a crossed book, it compares
// each bid with each ask that the bid reaches.

import assert from "node:assert/strict";
import {
  EventKind,
  type OrderPegged,
  type OrderPeggedBehind,
  type OrderTriggered,
  type Traded,
} from "../../src/core/generated/events.ts";
import {
  isConditional,
  OrderType,
  opposite,
  Peg,
  pegOffsetMax,
  Side,
  TimeInForce,
  tradedTimeInForce,
  tradedType,
} from "../../src/core/orders.ts";
import type { AcceptedOrder, Amendment } from "../../src/engine/state/apply/order-posting.ts";
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
  /** Lots of one slice of an iceberg order; 0 for other orders. */
  readonly icebergQty: number;
  /** Of an order that waits: from which price of the book it takes its own. */
  peg: Peg;
  /** Lots that the order shows on its book. */
  shown: number;
  /** Seq of the event that set the order's current terms. */
  termsSeq: number;
  /**
   * On perpetuals: by how many ticks the price was worse than the mark when the terms were set, and how many lots then
   * had this loss.
   */
  lossTicks: number;
  lossLots: number;
}

export class AuditedBook {
  readonly #orders = new Map<number, AuditedOrder>();
  readonly #waiting = new Map<number, AuditedOrder>();
  /** Every open order by account and id, on the book or waiting. */
  readonly #owned = new Map<number, Map<number, AuditedOrder>>();
  readonly #ownerOf: (account: number) => number;
  readonly #sides = {
    [Side.buy]: new AuditedSide<AuditedOrder>(Side.buy),
    [Side.sell]: new AuditedSide<AuditedOrder>(Side.sell),
  };

  /** `ownerOf` returns whose a sub-account is; any other account is its own. */
  constructor(ownerOf: (account: number) => number) {
    this.#ownerOf = ownerOf;
  }

  /** Every open order, on the book or waiting, by id. */
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

  /** Returns the orders on the book of the same account and side that may open a position, by id. */
  margined({ account, side }: AuditedOrder): AuditedOrder[] {
    return this.ordersOf(account).filter(
      (one) => one.side === side && !one.isReduceOnly && !this.#waiting.has(one.orderId),
    );
  }

  /** Opens an order; `isPending` says that it waits for the working order of its list. */
  accept(event: AcceptedOrder, isPending = false): AuditedOrder {
    const figures = { remaining: event.qty, termsSeq: event.seq, lossTicks: 0, lossLots: 0 };
    const options = { triggerPrice: 0, icebergQty: 0, peg: Peg.none as Peg };
    const order = { ...options, ...event, ...figures, shown: 0 };
    order.shown = sliceOf(order);
    if (isPending || isConditional(event.type)) this.#waiting.set(event.orderId, order);
    else this.#enter(order);
    const owned = this.#owned.get(event.account) ?? new Map<number, AuditedOrder>();
    this.#owned.set(event.account, owned.set(event.orderId, order));
    return order;
  }

  /** Pegs an order that waits. */
  peg(event: OrderPegged | OrderPeggedBehind): void {
    const { orderId, account, peg } = event;
    const order = this.#waiting.get(orderId);
    assert(order !== undefined && order.account === account, "a pegged order must wait");
    assert(tradedType(order.type) !== OrderType.market, "an order at the market has no peg");
    assert(order.peg === Peg.none && peg !== Peg.none, "an order must be pegged once");
    order.peg = peg;
    if (event.kind === EventKind.orderPegged) return;
    const { pegOffset } = event;
    assert(pegOffset >= 1 && pegOffset <= pegOffsetMax, "a level behind the best one");
  }

  /** Asserts that an order goes to its book at its limit or, if it is pegged, at no worse price. */
  #checkPrice({ type, side, price, peg }: AuditedOrder, ticks: number): void {
    if (tradedType(type) === OrderType.market) return;
    if (peg === Peg.none) assert.equal(ticks, price, "an order must keep its limit");
    else if (price > 0) assert(!isBetter(side, ticks, price), "a peg must respect the limit");
  }

  /** Puts a triggered order at the end of its price's queue. */
  trigger(event: OrderTriggered): AuditedOrder {
    const order = this.#waiting.get(event.orderId);
    assert(order !== undefined, "an order that triggers must be waiting");
    this.#waiting.delete(event.orderId);
    this.#checkPrice(order, event.price);
    order.price = event.price;
    order.qty = event.qty;
    order.remaining = event.qty;
    order.shown = sliceOf(order);
    order.marginPrice = event.marginPrice;
    this.#enter(order);
    return order;
  }

  /**
   * Applies an amendment. Asserts that an order keeps its priority only at the same price and with no larger
   * quantity.
   */
  amend(event: Amendment): AuditedOrder {
    const order = this.#open(event.orderId);
    const remaining = order.remaining + event.qty - order.qty;
    assert(remaining > 0, "an amended order must have open lots");
    const keeps = event.price === order.price && remaining <= order.remaining;
    assert(event.isRequeued || keeps, "a larger quantity or another price must lose priority");
    if (event.isRequeued) {
      this.#leave(order);
      order.price = event.price;
      this.#enter(order);
    }
    order.qty = event.qty;
    order.remaining = remaining;
    order.shown = event.isRequeued ? sliceOf(order) : Math.min(order.shown, remaining);
    order.marginPrice = event.marginPrice;
    return order;
  }

  /** Takes lots from an order that stays open. */
  reduce(orderId: number, qty: number): void {
    const order = this.#open(orderId);
    assert(qty < order.remaining, "a reduced order must have lots left");
    order.remaining -= qty;
    order.qty -= qty;
    order.shown = Math.min(order.shown, order.remaining);
  }

  /** Removes a closed order; asserts that it was open. */
  close(orderId: number): AuditedOrder {
    const order = this.#waiting.get(orderId) ?? this.#open(orderId);
    if (!this.#waiting.delete(orderId)) this.#leave(order);
    this.#disown(order);
    return order;
  }

  /**
   * Fills both orders of a trade and returns the orders that are now filled completely. Asserts that the resting
   * order had priority, that the trade has the resting order's price, and that the incoming order's limit allows it.
   */
  trade(event: Traded): AuditedOrder[] {
    const taker = this.#open(event.takerOrderId);
    const maker = this.#open(event.makerOrderId);
    assert.equal(
      taker.account,
      event.account,
      "the incoming order must belong to the event's account",
    );
    assert.equal(
      maker.account,
      event.makerAccount,
      "the resting order must belong to the event's maker account",
    );
    assert.notEqual(
      this.#ownerOf(taker.account),
      this.#ownerOf(maker.account),
      "accounts of one owner must not trade with each other",
    );
    assert.notEqual(maker.side, taker.side, "the two orders must be on opposite sides");
    assert.equal(
      this.bestFor(taker)?.orderId,
      maker.orderId,
      "the resting order must be the first by price, then time",
    );
    assert.equal(event.price, maker.price, "the trade must have the resting order's price");
    assert(
      !isBetter(taker.side, event.price, taker.price),
      "the price must be within the incoming order's limit",
    );
    assert(!isPostOnly(taker), "a post-only order must not take");
    assert(event.qty <= maker.shown, "a resting order must not trade more than it shows");
    for (const order of [taker, maker]) {
      order.remaining -= event.qty;
      assert(order.remaining >= 0, "an order must not fill beyond its quantity");
    }
    taker.shown = sliceOf(taker);
    maker.shown -= event.qty;
    if (maker.shown === 0 && maker.remaining > 0) {
      this.#leave(maker);
      maker.shown = sliceOf(maker);
      this.#enter(maker);
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

  /** Returns the orders on one side of the book, best first. */
  resting(side: Side): AuditedOrder[] {
    return [...this.#sides[side].orders()];
  }

  /**
   * Returns the order that `taker` must trade with next: the first in priority, within the taker's limit, that belongs
   * to another owner. Returns undefined if there is none.
   */
  bestFor(taker: AuditedOrder): AuditedOrder | undefined {
    for (const order of this.#sides[opposite(taker.side)].orders()) {
      if (isBetter(taker.side, order.price, taker.price)) break;
      if (this.#ownerOf(order.account) !== this.#ownerOf(taker.account)) return order;
    }
    return undefined;
  }

  /** Asserts that no bid reaches an ask of another owner. */
  checkUncrossed(): void {
    const lowest = this.bestPrice(Side.sell);
    if (lowest === 0) return;
    for (const bid of this.#sides[Side.buy].orders()) {
      if (bid.price < lowest) return;
      for (const ask of this.#sides[Side.sell].orders()) {
        if (ask.price > bid.price) break;
        assert.equal(
          this.#ownerOf(ask.account),
          this.#ownerOf(bid.account),
          "a book must never be crossed by two owners",
        );
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
    assert(order !== undefined, "the order must be open");
    return order;
  }
}

/** Lots that an order shows when it joins a queue: one slice, or all of them. */
function sliceOf({ icebergQty, remaining }: AuditedOrder): number {
  return icebergQty === 0 ? remaining : Math.min(icebergQty, remaining);
}

/** Returns whether an order of `side` at `price` has priority over one at `other`. */
function isBetter(side: Side, price: number, other: number): boolean {
  return side === Side.buy ? price > other : price < other;
}

export function isPostOnly(order: AuditedOrder): boolean {
  return tradedTimeInForce(order.type, order.timeInForce) === TimeInForce.gtx;
}

/** Returns whether the order's type and time in force let a remainder rest. */
export function mayRest(order: AuditedOrder): boolean {
  if (tradedType(order.type) === OrderType.market) return false;
  const { timeInForce } = order;
  return timeInForce === TimeInForce.gtc || timeInForce === TimeInForce.gtd || isPostOnly(order);
}
