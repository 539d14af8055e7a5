// One side of the auditor's book: orders by price, and by arrival at one price. Prices are in a sorted array, which
// is fast enough for books of a hundred thousand orders.

import assert from "node:assert/strict";
import { Side } from "../../src/core/orders.ts";

/** The fields of an order that a side needs. */
interface Priced {
  readonly price: number;
}

export class AuditedSide<Order extends Priced> {
  readonly #side: Side;
  /** Prices in ascending quality: the best price is last, so that changes near it move few entries. */
  readonly #prices: number[] = [];
  readonly #levels = new Map<number, Set<Order>>();

  constructor(side: Side) {
    this.#side = side;
  }

  /** Best price in ticks; 0 if the side is empty. */
  get best(): number {
    return this.#prices.at(-1) ?? 0;
  }

  /** Adds an order at the end of its price's queue. */
  add(order: Order): void {
    const level = this.#levels.get(order.price);
    if (level !== undefined) {
      level.add(order);
      return;
    }
    this.#levels.set(order.price, new Set([order]));
    this.#prices.splice(this.#placeOf(order.price), 0, order.price);
  }

  remove(order: Order): void {
    const level = this.#levels.get(order.price);
    assert(level?.delete(order), "an order that leaves must be at its price");
    if (level?.size !== 0) return;
    this.#levels.delete(order.price);
    this.#prices.splice(this.#placeOf(order.price), 1);
  }

  /** Yields all orders, best price first; orders at one price by arrival. */
  *orders(): Generator<Order> {
    for (let index = this.#prices.length - 1; index >= 0; index--) {
      yield* this.#levels.get(this.#prices[index] ?? 0) ?? [];
    }
  }

  /** Returns the index of a price in `#prices`, or the index at which to insert it. */
  #placeOf(price: number): number {
    let [from, to] = [0, this.#prices.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#prices[middle] ?? 0;
      if (this.#side === Side.buy ? other < price : other > price) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
