// The house's quotes: which sides of which makers' quotes are at each price, in the order of their priority, and what is
// believed to be open in each. Each maker has 15 sides of either kind. Given what the house is to have, it names changes:
//
//   a level grows    what was there keeps its place in the queue: the growth is a second quote, or grows the second one
//   a level shrinks  the newest lots leave first, so that only trades bring a member's order forward
//   a level goes     its sides move to new levels by amends, or are removed
//   a side in the way of another one is cancelled before any is set, and rests for that step

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

/** What was taken from one side, as believed. */
export interface Consumption {
  readonly side: QuoteSide;
  readonly price: number;
  readonly qty: number;
}

/** The venue refuses a side whose fills and open lots pass 100,000,000; well below it, the order is replaced by a new one. */
const orderLotsMax = 80_000_000;
/** What was at a price first, and what came later. */
const quotesPerLevel = 2;
/** Sides that are cancelled in a step are free in the next one; this many levels may move at once. */
const spareShare = 0.25;

/** The makers that `levels` a side need. */
export function makersFor(levels: number): number {
  return Math.ceil((levels * (quotesPerLevel + spareShare)) / quotesMax);
}

export class HouseQuotes {
  readonly #sides: readonly [bids: QuoteSide[], asks: QuoteSide[]];
  /** The quotes at each price, first in the queue first. */
  readonly #byPrice: readonly [bids: Map<number, QuoteSide[]>, asks: Map<number, QuoteSide[]>] = [
    new Map(),
    new Map(),
  ];
  readonly #makers: number;
  readonly #leastValue: number;
  #step = 0;
  #before: Before[] = [];
  #named: readonly MakerStep[] = [];

  /** `leastValue`: of an order, in ticks × lots. */
  constructor(makers: number, leastValue: number) {
    this.#makers = makers;
    this.#leastValue = leastValue;
    const sides = (side: number) =>
      Array.from({ length: makers * quotesMax }, (_, index): QuoteSide => {
        const number = 2 * (index % quotesMax) + side;
        const maker = Math.floor(index / quotesMax);
        return { maker, number, price: 0, qty: 0, filled: 0, changedIn: 0 };
      });
    this.#sides = [sides(0), sides(1)];
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
    this.#named = steps;
    this.#change(0, wanted[0], (price) => price >= bestAsk);
    this.#change(1, wanted[1], (price) => price <= bestBid);
    return steps.filter(({ cancel, set }) => cancel.length + set.length > 0);
  }

  /** What the sides that the last changes named were before, for `refused`. */
  get before(): readonly Before[] {
    return this.#before;
  }

  /** Goes back to what a side was, because it was refused. What a later step has changed stays. */
  refused(maker: number, number: number, before: readonly Before[]): void {
    const found = before.find(({ side }) => side.maker === maker && side.number === number);
    if (found !== undefined && found.side.changedIn === found.step)
      this.#set(found.side, found.price, found.qty);
  }

  /** Notes that an incoming order trades with the quotes up to its limit; returns what it takes from each. */
  take(isBuy: boolean, limit: number, qty: number): Consumption[] {
    const byPrice = this.#byPrice[isBuy ? 1 : 0];
    const prices = [...byPrice.keys()].filter((price) => (isBuy ? price <= limit : price >= limit));
    prices.sort((one, other) => (isBuy ? one - other : other - one));
    const taken: Consumption[] = [];
    let left = qty;
    for (const side of prices.flatMap((price) => byPrice.get(price) ?? [])) {
      if (left === 0) break;
      const part = Math.min(left, side.qty);
      left -= part;
      taken.push({ side, price: side.price, qty: part });
      this.#add(side, -part);
    }
    return taken;
  }

  /** Notes that a member took lots at a price. */
  lose(isBid: boolean, price: number, lots: number): void {
    let left = lots;
    for (const side of [...(this.#byPrice[isBid ? 0 : 1].get(price) ?? [])]) {
      const part = Math.min(left, side.qty);
      left -= part;
      if (part > 0) this.#add(side, -part);
    }
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
  ): void {
    const byPrice = this.#byPrice[side];
    const gone = [...byPrice].flatMap(([price, quotes]) => (wanted.has(price) ? [] : quotes));
    for (const quote of gone) if (isInWay(quote.price)) this.#cancel(quote);
    const reusable = gone.filter(({ price }) => price > 0);
    const grown: PastLevel[] = [];
    for (const [price, qty] of wanted) {
      const open = openIn(byPrice.get(price));
      if (qty < open) this.#shrink(price, [...(byPrice.get(price) ?? [])], open - qty);
      else if (qty > open) grown.push([price, qty - open]);
    }
    for (const [price, lots] of grown) this.#grow(side, price, lots, reusable);
    for (const quote of reusable) this.#name(quote, 0, 0);
  }

  /** The newest lots leave first. */
  #shrink(price: number, quotes: QuoteSide[], lots: number): void {
    let left = lots;
    for (const quote of quotes.reverse()) {
      const part = Math.min(left, quote.qty);
      if (part === 0) return;
      left -= part;
      this.#name(quote, price, quote.qty - part);
    }
  }

  /** Without a free side for the growth, the newest quote grows; without any, the level grows in one of the next steps. */
  #grow(side: 0 | 1, price: number, lots: number, reusable: QuoteSide[]): void {
    const quotes = this.#byPrice[side].get(price) ?? [];
    const last = quotes.at(-1);
    const isEnough = price * lots >= this.#leastValue;
    const mayAdd = quotes.length < quotesPerLevel && (isEnough || last === undefined);
    const added = mayAdd ? (this.#reused(lots, reusable) ?? this.#free(side)) : undefined;
    if (added !== undefined) this.#name(added, price, lots);
    else if (last !== undefined) this.#name(last, price, last.qty + lots);
  }

  #reused(lots: number, reusable: QuoteSide[]): QuoteSide | undefined {
    const old = reusable.at(-1);
    return old !== undefined && old.filled + lots <= orderLotsMax ? reusable.pop() : undefined;
  }

  /** A side that is empty, and was not emptied in this step. */
  #free(side: 0 | 1): QuoteSide | undefined {
    return this.#sides[side].find(({ price, changedIn }) => price === 0 && changedIn < this.#step);
  }

  #cancel(quote: QuoteSide): void {
    this.#named[quote.maker]?.cancel.push(quote.number);
    this.#note(quote, 0, 0);
  }

  #name(quote: QuoteSide, price: number, qty: number): void {
    this.#named[quote.maker]?.set.push(quote.number, price, qty);
    this.#note(quote, price, qty);
  }

  #note(quote: QuoteSide, price: number, qty: number): void {
    this.#before.push({ side: quote, price: quote.price, qty: quote.qty, step: this.#step });
    this.#set(quote, price, qty);
    quote.changedIn = this.#step;
  }

  /** A side that moves to another price, or grows, goes to the end of the queue there. */
  #set(quote: QuoteSide, price: number, qty: number): void {
    const byPrice = this.#byPrice[quote.number % 2 === 0 ? 0 : 1];
    const stays = quote.price === price && qty > 0 && qty <= quote.qty;
    if (!stays) {
      const left = (byPrice.get(quote.price) ?? []).filter((one) => one !== quote);
      if (left.length > 0) byPrice.set(quote.price, left);
      else byPrice.delete(quote.price);
      if (qty > 0) byPrice.set(price, [...(byPrice.get(price) ?? []), quote]);
    }
    quote.price = qty > 0 ? price : 0;
    quote.qty = qty;
    if (qty === 0) quote.filled = 0;
  }

  #add(quote: QuoteSide, lots: number): void {
    quote.filled -= lots;
    // Lots that were not taken after all are still where they were in the queue.
    if (lots > 0) quote.qty += lots;
    else this.#set(quote, quote.price, Math.max(0, quote.qty + lots));
  }
}

function openIn(quotes: readonly QuoteSide[] = []): number {
  return quotes.reduce((sum, { qty }) => sum + qty, 0);
}
