// History's book as it is now: the newest moment of depth, less what trades have taken since, and besides it what members
// have changed of the house's quotes. A change counts at its price until the time comes (absorb), or until history has no
// level at that price any more (persist).

import type { PastBook, PastLevel, PastTrade } from "./past-events.ts";

/** Lots by price of one side. */
type Levels = Map<number, number>;

/** What a member has changed at a price: how many lots more than history the house has there, and until when. */
interface Change {
  lots: number;
  untilUs: number;
}

/** An incoming order of history: trades of one side at the same time, at prices that move away. */
export interface PastOrder {
  readonly atUs: number;
  readonly isBuy: boolean;
  /** The last and farthest price. */
  readonly price: number;
  readonly qty: number;
  readonly parts: readonly PastTrade[];
  readonly by?: number | undefined;
}

export class PastBookState {
  readonly #levels: readonly [bids: Levels, asks: Levels] = [new Map(), new Map()];
  readonly #changes: readonly [bids: Map<number, Change>, asks: Map<number, Change>] = [
    new Map(),
    new Map(),
  ];
  /** The time at which the first change ends; infinite for none. */
  #nextEndUs = Number.POSITIVE_INFINITY;

  /** Adopts a moment of depth. */
  adopt({ bids, asks }: PastBook): void {
    replace(this.#levels[0], bids);
    replace(this.#levels[1], asks);
    for (const side of [0, 1] as const)
      for (const price of this.#changes[side].keys())
        if (!this.#levels[side].has(price)) this.#changes[side].delete(price);
  }

  /**
   * Makes the book one in which the order trades as recorded: no better level is left than those that it traded with, all
   * but the last of these have what it took from them, and the last has at least that.
   */
  prepare({ isBuy, price: last, parts }: PastOrder): void {
    const side = isBuy ? 1 : 0;
    const levels = this.#levels[side];
    const taken = takenByPrice(parts);
    const isBeyond = (price: number) => (isBuy ? price >= last : price <= last);
    this.#forgetWhere(side, (price) => !isBeyond(price) && !taken.has(price));
    for (const [price, qty] of taken)
      levels.set(price, price === last ? Math.max(levels.get(price) ?? 0, qty) : qty);
    // What is left on the other side beyond the trade, history has left meanwhile.
    this.#forgetWhere(isBuy ? 0 : 1, isBeyond);
  }

  /** Takes from the levels what the order traded. */
  take({ isBuy, parts }: PastOrder): void {
    const side = isBuy ? 1 : 0;
    for (const [price, qty] of takenByPrice(parts)) {
      const left = (this.#levels[side].get(price) ?? 0) - qty;
      if (left > 0) this.#levels[side].set(price, left);
      else this.#forget(side, price);
    }
  }

  /** Notes that the house has `lots` more, or fewer, than history at a price. */
  change(isBid: boolean, price: number, lots: number, untilUs: number): void {
    const side = isBid ? 0 : 1;
    if (!this.#levels[side].has(price)) return;
    const before = this.#changes[side].get(price)?.lots ?? 0;
    this.#changes[side].set(price, { lots: before + lots, untilUs });
    this.#nextEndUs = Math.min(this.#nextEndUs, untilUs);
  }

  /** Ends the changes whose time has come; returns whether there were any. */
  endChanges(nowUs: number): boolean {
    if (nowUs < this.#nextEndUs) return false;
    this.#nextEndUs = Number.POSITIVE_INFINITY;
    for (const changes of this.#changes)
      for (const [price, { untilUs }] of changes) {
        if (untilUs <= nowUs) changes.delete(price);
        else this.#nextEndUs = Math.min(this.#nextEndUs, untilUs);
      }
    return true;
  }

  /** The time at which the first change ends; infinite for none. */
  get nextEndUs(): number {
    return this.#nextEndUs;
  }

  /** The best level of a side; null for none. */
  best(isBid: boolean): PastLevel | null {
    const levels = this.#levels[isBid ? 0 : 1];
    if (levels.size === 0) return null;
    const price = isBid ? Math.max(...levels.keys()) : Math.min(...levels.keys());
    return [price, levels.get(price) ?? 0];
  }

  /** The middle of the best prices in ticks; 0 without both sides. */
  get middle(): number {
    const [bid, ask] = [this.best(true), this.best(false)];
    return bid === null || ask === null ? 0 : (bid[0] + ask[0]) / 2;
  }

  /**
   * Lots that the house is to have by price: history's, with what members have changed, and at least what the venue takes:
   * `leastValue` in ticks × lots.
   */
  *wanted(isBid: boolean, leastValue: number): Generator<PastLevel> {
    const side = isBid ? 0 : 1;
    const changes = this.#changes[side];
    for (const [price, qty] of this.#levels[side]) {
      const lots = changes.size === 0 ? qty : qty + (changes.get(price)?.lots ?? 0);
      if (lots > 0) yield [price, Math.max(lots, Math.ceil(leastValue / price))];
    }
  }

  #forgetWhere(side: 0 | 1, isGone: (price: number) => boolean): void {
    for (const price of this.#levels[side].keys()) if (isGone(price)) this.#forget(side, price);
  }

  #forget(side: number, price: number): void {
    this.#levels[side]?.delete(price);
    this.#changes[side]?.delete(price);
  }
}

function replace(levels: Levels, by: readonly PastLevel[]): void {
  levels.clear();
  for (const [price, qty] of by) levels.set(price, qty);
}

function takenByPrice(parts: readonly PastTrade[]): Levels {
  const taken: Levels = new Map();
  for (const { price, qty } of parts) taken.set(price, (taken.get(price) ?? 0) + qty);
  return taken;
}
