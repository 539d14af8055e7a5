// One side of the auditor's book: its orders by price, those of one price by arrival. Prices stand in a plain
// sorted list, so that books of a hundred thousand orders can be audited too.

import assert from "node:assert/strict";
import { Side } from "../../src/core/orders.ts";

/** What a side must know of an order. */
interface Priced {
  readonly price: number;
}

export class AuditedSide<Order extends Priced> {
  readonly #side: Side;
  /** Best last, so that what comes and goes near the best moves little. */
  readonly #prices: number[] = [];
  readonly #levels = new Map<number, Set<Order>>();

  constructor(side: Side) {
    this.#side = side;
  }

  /** Ticks; 0 where the side is empty. */
  get best(): number {
    return this.#prices.at(-1) ?? 0;
  }

  /** Puts an order behind all others of its price. */
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
    assert(level?.delete(order), "an order that leaves stood at its price");
    if (level?.size !== 0) return;
    this.#levels.delete(order.price);
    this.#prices.splice(this.#placeOf(order.price), 1);
  }

  /** All orders, best first, those of one price by arrival. */
  *orders(): Generator<Order> {
    for (let index = this.#prices.length - 1; index >= 0; index--) {
      yield* this.#levels.get(this.#prices[index] ?? 0) ?? [];
    }
  }

  /** Where a price stands or would stand. */
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
