// The book of a made market: the quotes of its makers, each of which renews all of its own at once. At one price the quotes
// of the maker with the smaller number are first.

import type { PastLevel } from "../replay/past-events.ts";

/** A maker's quote; what was taken of it is gone from `qty`. */
interface Quote {
  readonly price: number;
  qty: number;
}

type MakerQuotes = readonly [bids: readonly Quote[], asks: readonly Quote[]];

export class MadeBook {
  #makers: MakerQuotes[] = [];

  /** Removes all quotes, and has room for so many makers. */
  clear(makers: number): void {
    this.#makers = Array.from({ length: makers }, () => [[], []]);
  }

  /** Replaces the quotes of a maker. */
  renew(maker: number, bids: readonly PastLevel[], asks: readonly PastLevel[]): void {
    const quotesOf = (levels: readonly PastLevel[]) =>
      levels.map(([price, qty]) => ({ price, qty }));
    this.#makers[maker] = [quotesOf(bids), quotesOf(asks)];
  }

  /**
   * Takes up to `qty` lots from the best prices on, not beyond `limit` if there is one; returns what was taken at each price.
   */
  take(isBuy: boolean, qty: number, limit: number | null = null): PastLevel[] {
    const isWithin = (price: number) => limit === null || (isBuy ? price <= limit : price >= limit);
    const taken = new Map<number, number>();
    let left = qty;
    for (const quote of this.#quotes(!isBuy).filter(({ price }) => isWithin(price))) {
      if (left === 0) break;
      const part = Math.min(left, quote.qty);
      quote.qty -= part;
      left -= part;
      taken.set(quote.price, (taken.get(quote.price) ?? 0) + part);
    }
    return [...taken];
  }

  /** The best levels of a side. */
  best(isBid: boolean, count: number): PastLevel[] {
    const levels = new Map<number, number>();
    for (const { price, qty } of this.#quotes(isBid)) {
      if (!levels.has(price) && levels.size === count) break;
      levels.set(price, (levels.get(price) ?? 0) + qty);
    }
    return [...levels];
  }

  /** The sum of the best prices, which is twice the middle in ticks; null without both sides. */
  get doubleMiddle(): number | null {
    const [[bid], [ask]] = [this.#quotes(true), this.#quotes(false)];
    return bid === undefined || ask === undefined ? null : bid.price + ask.price;
  }

  /** The open quotes of a side, best first. */
  #quotes(isBid: boolean): Quote[] {
    const quotes = this.#makers.flatMap(([bids, asks]) => (isBid ? bids : asks));
    const open = quotes.filter(({ qty }) => qty > 0);
    return open.sort((one, other) => (isBid ? other.price - one.price : one.price - other.price));
  }
}
