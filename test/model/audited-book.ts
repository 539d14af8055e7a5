// The auditor's open orders of one market: a plain list in order of arrival. It judges priority by
// looking at every order, and crossing by comparing every bid with every ask.

import assert from "node:assert/strict";
import type { OrderAccepted, Traded } from "../../src/core/events.ts";
import { OrderType, Side, TimeInForce } from "../../src/core/orders.ts";

export interface AuditedOrder {
  readonly orderId: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly price: number;
  readonly marginPrice: number;
  readonly clientId: string;
  readonly qty: number;
  remaining: number;
}

export class AuditedBook {
  /** By arrival, which is by id. */
  readonly #orders = new Map<number, AuditedOrder>();

  get orders(): Iterable<AuditedOrder> {
    return this.#orders.values();
  }

  order(orderId: number): AuditedOrder | undefined {
    return this.#orders.get(orderId);
  }

  accept(event: OrderAccepted): AuditedOrder {
    const order = { ...event, remaining: event.qty };
    this.#orders.set(event.orderId, order);
    return order;
  }

  /** Takes a closed order out; asserts that it was open. */
  close(orderId: number): AuditedOrder {
    const order = this.#open(orderId);
    this.#orders.delete(orderId);
    return order;
  }

  /**
   * Fills both orders; asserts that the resting one had priority, that its price made the trade,
   * and that the incoming one's limit allowed it. Answers the orders that are now full.
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
    for (const { orderId } of full) this.#orders.delete(orderId);
    return full;
  }

  /** The best-priced oldest order of another account that `taker` may trade with. */
  bestFor(taker: AuditedOrder): AuditedOrder | undefined {
    let best: AuditedOrder | undefined;
    for (const order of this.#orders.values()) {
      if (order.side === taker.side || order.account === taker.account) continue;
      if (isBetter(taker.side, order.price, taker.price)) continue;
      if (best === undefined || isBetter(order.side, order.price, best.price)) best = order;
    }
    return best;
  }

  /** No bid of one account at or above an ask of another. */
  checkUncrossed(): void {
    const bids = [...this.#orders.values()].filter(({ side }) => side === Side.buy);
    const asks = [...this.#orders.values()].filter(({ side }) => side === Side.sell);
    const lowest = Math.min(...asks.map(({ price }) => price));
    for (const bid of bids) {
      if (bid.price < lowest) continue;
      const met = asks.find(({ account, price }) => price <= bid.price && account !== bid.account);
      assert.equal(met, undefined, "a book is never crossed by two accounts");
    }
  }

  #open(orderId: number): AuditedOrder {
    const order = this.#orders.get(orderId);
    assert(order !== undefined, "the order is open");
    return order;
  }
}

/** Whether `price` is better than `other` for whoever has an order of `side` at it to be met first. */
function isBetter(side: Side, price: number, other: number): boolean {
  return side === Side.buy ? price > other : price < other;
}

export function isPostOnly(order: AuditedOrder): boolean {
  return order.type === OrderType.limitMaker || order.timeInForce === TimeInForce.gtx;
}

/** Whether a remainder of the order may stay in the book. */
export function mayRest(order: AuditedOrder): boolean {
  if (order.type === OrderType.market) return false;
  return order.timeInForce === TimeInForce.gtc || isPostOnly(order);
}
