// Waiting trailing orders by market, and the best price each has seen since activation. That price is part of the
// state: only events change it, so replay gives the same price. Every price change visits each of the market's
// trailing orders, whose number is bounded.

import { assert, byteAt, present, wordAt } from "../../../core/assert.ts";
import type { Side, WorkingPrice } from "../../../core/orders.ts";
import type { OrderTable } from "./order-table.ts";
import { isActivated, isBetterToFollow } from "./trigger-terms.ts";

export class TrailingOrders {
  readonly #orders: OrderTable;
  /** Slots by market, oldest order first. */
  readonly #slots: readonly number[][];

  constructor(orders: OrderTable, marketCount: number) {
    this.#orders = orders;
    this.#slots = Array.from({ length: marketCount }, () => []);
  }

  /** Slots of the market's waiting trailing orders, oldest order first. */
  of(market: number): readonly number[] {
    return present(this.#slots[market], "the market must have a list of trailing orders");
  }

  /** Adds a new or restored order; ids ascend. */
  add(market: number, slot: number): void {
    present(this.#slots[market], "the market must have a list of trailing orders").push(slot);
  }

  /** Removes a triggered or closed order; asserts that it exists. */
  remove(market: number, slot: number): void {
    const slots = present(this.#slots[market], "the market must have a list of trailing orders");
    const index = slots.indexOf(slot);
    assert(index >= 0, "a trailing order must be in the list of its market");
    slots.splice(index, 1);
  }

  /** Passes a price to every trailing order of the market; see `followOne`. */
  follow(market: number, working: WorkingPrice, price: number): void {
    for (const slot of this.of(market)) this.followOne(slot, working, price);
  }

  /** Stores `price` as the order's best if the order watches such prices and `price` activates it or beats its best. */
  followOne(slot: number, working: WorkingPrice, price: number): void {
    const orders = this.#orders;
    if (price === 0 || orders.workingPrice[slot] !== working) return;
    const side = byteAt(orders.side, slot) as Side;
    const best = wordAt(orders.bestPrice, slot);
    const follows =
      best === 0
        ? isActivated(price, wordAt(orders.activationPrice, slot), side)
        : isBetterToFollow(price, best, side);
    if (follows) orders.bestPrice[slot] = price;
  }
}
