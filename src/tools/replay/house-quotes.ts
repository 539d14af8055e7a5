// The house's quotes: which side of which maker's quotes has each price, and what is believed to be open there. Each maker
// has 15 sides of either kind. Given what the house is to have, it names the least changes: a level that is gone gives its
// side to a new one, by an amend. A side that would be in the way of another is cancelled first, and rests for a step.

import { quotesMax } from "../../core/limits.ts";
import type { MakerStep } from "./history-calls.ts";
import type { PastLevel } from "./past-events.ts";

/** What is open in one side of a maker's quotes; price 0 for nothing. */
interface QuoteSide {
  readonly maker: number;
  /** Its number in a mass quote: even for bids. */
  readonly number: number;
  price: number;
  qty: number;
  /** Lots that its order has filled; a new order begins at 0. */
  filled: number;
  /** The step in which it was last changed. */
  changedIn: number;
}

/** What a side was before a step, to go back to if the side is refused. */
export interface Before {
  readonly side: QuoteSide;
  readonly price: number;
  readonly qty: number;
  readonly step: number;
}

/** The venue refuses a side whose fills and open lots pass this; well below it, the order is replaced by a new one. */
const orderLotsMax = 80_000_000;

/** What was taken from one side, as believed. */
export interface Consumption {
  readonly side: QuoteSide;
  readonly price: number;
  readonly qty: number;
}

export class HouseQuotes {
  readonly #sides: readonly [bids: QuoteSide[], asks: QuoteSide[]];
  readonly #byPrice: readonly [bids: Map<number, QuoteSide>, asks: Map<number, QuoteSide>] = [
    new Map(),
    new Map(),
  ];
  readonly #makers: number;
  #step = 0;
  #before: Before[] = [];

  constructor(makers: number) {
    this.#makers = makers;
    const sides = (side: number) =>
      Array.from({ length: makers * quotesMax }, (_, index): QuoteSide => {
        const number = 2 * Math.floor(index / makers) + side;
        return { maker: index % makers, number, price: 0, qty: 0, filled: 0, changedIn: 0 };
      });
    this.#sides = [sides(0), sides(1)];
  }

  /** How many levels a side can have, leaving room for those that are cancelled in the same step. */
  static levelsOf(makers: number): number {
    return Math.floor((makers * quotesMax * 3) / 4);
  }

  /** The changes that lead to the wanted levels, by maker; empty if there are none. */
  changesTo(bids: Iterable<PastLevel>, asks: Iterable<PastLevel>): MakerStep[] {
    this.#step++;
    this.#before = [];
    const wanted = [new Map(bids), new Map(asks)] as const;
    const bestBid = Math.max(0, ...wanted[0].keys());
    const bestAsk = Math.min(Number.POSITIVE_INFINITY, ...wanted[1].keys());
    const steps = Array.from({ length: this.#makers }, (_, maker): MakerStep => {
      return { maker, cancel: [], set: [] };
    });
    for (const side of [0, 1] as const) {
      const isInWay = (price: number) => (side === 0 ? price >= bestAsk : price <= bestBid);
      this.#change(side, wanted[side], isInWay, steps);
    }
    return steps.filter(({ cancel, set }) => cancel.length + set.length > 0);
  }

  /** What the last changes did to a side: goes back to what it was, because the side was refused. */
  refused(maker: number, number: number, before: readonly Before[]): void {
    const found = before.find(({ side }) => side.maker === maker && side.number === number);
    // What a later step has changed is no longer what it was.
    if (found?.side.changedIn === found?.step && found !== undefined)
      this.#set(found.side, found.price, found.qty);
  }

  /** What the sides that the last changes named were before, for `refused`. */
  get before(): readonly Before[] {
    return this.#before;
  }

  /** Notes that an incoming order trades with the quotes up to its limit; returns what it takes from each price. */
  take(isBuy: boolean, limit: number, qty: number): Consumption[] {
    const byPrice = this.#byPrice[isBuy ? 1 : 0];
    const prices = [...byPrice.keys()].filter((price) => (isBuy ? price <= limit : price >= limit));
    prices.sort((one, other) => (isBuy ? one - other : other - one));
    const taken: Consumption[] = [];
    let left = qty;
    for (const price of prices) {
      const side = byPrice.get(price);
      if (left === 0 || side === undefined) break;
      const part = Math.min(left, side.qty);
      left -= part;
      taken.push({ side, price, qty: part });
      this.#add(side, -part);
    }
    return taken;
  }

  /** Notes that a member took lots at a price. */
  lose(isBid: boolean, price: number, lots: number): void {
    const side = this.#byPrice[isBid ? 0 : 1].get(price);
    if (side !== undefined) this.#add(side, -lots);
  }

  /** Notes that `lots` of what was believed taken are still open; not if the side has another price by now. */
  restore({ side, price }: Consumption, lots: number): void {
    if (side.price === price) this.#add(side, lots);
    else if (side.price === 0) this.#set(side, price, lots);
  }

  #change(
    side: 0 | 1,
    wanted: ReadonlyMap<number, number>,
    isInWay: (price: number) => boolean,
    steps: readonly MakerStep[],
  ): void {
    const byPrice = this.#byPrice[side];
    const gone = [...byPrice.values()].filter(({ price }) => !wanted.has(price));
    const missing = [...wanted].filter(([price]) => !byPrice.has(price));
    for (const quote of gone) if (isInWay(quote.price)) this.#cancel(quote, steps);
    for (const quote of [...byPrice.values()]) {
      const qty = wanted.get(quote.price) ?? quote.qty;
      if (qty !== quote.qty) this.#name(quote, quote.price, qty, steps);
    }
    const reusable = gone.filter(({ price }) => price > 0);
    for (const [price, qty] of missing) {
      const old = reusable.at(-1);
      const mayReuse = old !== undefined && old.filled + qty <= orderLotsMax;
      const quote = mayReuse ? reusable.pop() : this.#free(side);
      // Without a free side, the level is set in one of the next steps.
      if (quote !== undefined) this.#name(quote, price, qty, steps);
    }
    for (const quote of reusable) this.#name(quote, 0, 0, steps);
  }

  /** A side that is empty, and was not emptied in this step. */
  #free(side: 0 | 1): QuoteSide | undefined {
    return this.#sides[side].find(({ price, changedIn }) => price === 0 && changedIn < this.#step);
  }

  #cancel(quote: QuoteSide, steps: readonly MakerStep[]): void {
    steps[quote.maker]?.cancel.push(quote.number);
    this.#note(quote, 0, 0);
  }

  #name(quote: QuoteSide, price: number, qty: number, steps: readonly MakerStep[]): void {
    steps[quote.maker]?.set.push(quote.number, price, qty);
    this.#note(quote, price, qty);
  }

  #note(quote: QuoteSide, price: number, qty: number): void {
    this.#before.push({ side: quote, price: quote.price, qty: quote.qty, step: this.#step });
    this.#set(quote, price, qty);
    quote.changedIn = this.#step;
  }

  #set(quote: QuoteSide, price: number, qty: number): void {
    const byPrice = this.#byPrice[quote.number % 2 === 0 ? 0 : 1];
    if (byPrice.get(quote.price) === quote) byPrice.delete(quote.price);
    quote.price = qty > 0 ? price : 0;
    quote.qty = qty;
    if (qty > 0) byPrice.set(price, quote);
    else quote.filled = 0;
  }

  #add(quote: QuoteSide, lots: number): void {
    if (lots < 0) quote.filled -= lots;
    this.#set(quote, quote.price, Math.max(0, quote.qty + lots));
  }
}
