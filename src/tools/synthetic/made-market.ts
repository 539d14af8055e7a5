// Makes a market from a script: agents act in turns of 100 ms on a book of their own, and what they did comes out as the
// trades and moments of depth that a replay plays. Same script, seed, market and first price: same events. In each turn
//
//   1. the value walks on
//   2. arbitrageurs take all quotes that the value has passed
//   3. momentum takers, noise traders and the crowd send their orders
//   4. makers whose time has come renew their quotes around the value
//
// So bids are always below the value and asks above it, and trades are what moves the book. Before each second the value moves
// with what the venue sold of the crowd meanwhile: the only thing that the agents learn of it.

import assert from "node:assert/strict";
import type { MarketScript, ScriptPhase } from "../../../schemas/market-script.ts";
import { SeededRandom } from "../load/seeded-random.ts";
import type { MarketSteps, PastEvent, PastLevel } from "../replay/past-events.ts";
import type { CrowdMember } from "./crowd.ts";
import { FairValue, partsPerTick } from "./fair-value.ts";
import { MadeBook } from "./made-book.ts";
import { billion, ppbOf, shareOf } from "./whole-shares.ts";

export interface MadeMarketTerms {
  readonly script: MarketScript;
  readonly seed: number;
  /** The least value of an order in ticks × lots. */
  readonly market: MarketSteps & { readonly leastValue: number };
  readonly firstTicks: number;
  /** When it begins, in microseconds UTC. */
  readonly fromUs: number;
  /** Shorter than the script ends it early; longer prolongs its last phase. */
  readonly seconds: number;
  /** Levels a side that are shown. */
  readonly levels: number;
  /** The accounts that buy with leverage. */
  readonly crowd: readonly CrowdMember[];
  /** Takes what liquidations of the crowd traded since the last call: ticks × lots, negative if they sold. */
  readonly takeForced: () => number;
}

const turnsPerSecond = 10;
const turnUs = 100_000;
/** The orders of a turn are a millisecond apart, and its depth comes after them. */
const [orderUs, depthUs] = [1_000, 90_000];
/** A turn has so many slots, in each of which an order of a kind arrives or does not: nearly a Poisson process. */
const slots = 8;
const million = 1_000_000;
const turnsPerMinute = 60 * turnsPerSecond;
/** The value of liquidations for which a script says how far they push, and how far those of a second push at most. */
const [pushedValue, pushPpbMax] = [100_000, 100_000_000];
/** Well below what the venue takes in one order. */
const lotsMax = 40_000_000;

/** The seconds of all phases. */
export function secondsOf({ phases }: MarketScript): number {
  return phases.reduce((sum, { for_s }) => sum + for_s, 0);
}

/** Yields the events of each second. Spec REW-70. */
export function* madeMarket(terms: MadeMarketTerms): Generator<readonly PastEvent[]> {
  const market = new MadeMarket(terms);
  let begin = 0;
  for (const [index, phase] of terms.script.phases.entries()) {
    const isLast = index === terms.script.phases.length - 1;
    const end = isLast ? terms.seconds : Math.min(terms.seconds, begin + phase.for_s);
    if (begin < end) market.enter(phase);
    for (let second = begin; second < end; second++) yield market.second(second);
    begin = Math.max(begin, end);
  }
}

class MadeMarket {
  readonly #terms: MadeMarketTerms;
  readonly #random: SeededRandom;
  readonly #value: FairValue;
  readonly #book = new MadeBook();
  /** Twice the middles of the turns so far, newest last. */
  #middles: (number | null)[] = [];
  #phase: ScriptPhase;
  #events: PastEvent[] = [];
  #hasChanged = false;
  #nextUs = 0;
  /** Accounts of the crowd that have bought. */
  #entered = 0;

  constructor(terms: MadeMarketTerms) {
    this.#terms = terms;
    this.#random = new SeededRandom(terms.seed);
    this.#value = new FairValue(terms.firstTicks);
    const [first] = terms.script.phases;
    assert.ok(first !== undefined, "a script has phases");
    this.#phase = first;
  }

  /** Begins a phase: all makers quote anew. */
  enter(phase: ScriptPhase): void {
    this.#phase = phase;
    this.#value.enter(phase, phase.for_s * turnsPerSecond);
    this.#book.clear(phase.makers.count);
    for (let maker = 0; maker < phase.makers.count; maker++) this.#renew(maker);
    this.#hasChanged = true;
  }

  /** The events of a second. */
  second(second: number): readonly PastEvent[] {
    this.#events = [];
    this.#push();
    for (let turn = 0; turn < turnsPerSecond; turn++)
      this.#turn(this.#terms.fromUs + (second * turnsPerSecond + turn) * turnUs);
    return this.#events;
  }

  #turn(atUs: number): void {
    const { levels } = this.#terms;
    this.#nextUs = atUs;
    this.#value.walk(this.#random);
    this.#arbitrage();
    this.#followMomentum();
    const { noise } = this.#phase;
    for (let left = this.#arrivals(noise.orders_per_minute); left > 0; left--)
      this.#order(this.#random.below(2) === 0, noise.size);
    this.#enterSome();
    this.#renewSome();
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    const [bids, asks] = [this.#book.best(true, levels), this.#book.best(false, levels)];
    this.#events.push({ kind: "book", atUs: atUs + depthUs, bids, asks });
  }

  /** Lets the value follow what was sold in liquidations. */
  #push(): void {
    const { takeForced, market } = this.#terms;
    const { push_bps } = this.#phase.crowd;
    const unit = pushedValue * 10 ** (market.tickDecimals + market.lotDecimals);
    const ppb = shareOf(ppbOf(push_bps), takeForced(), unit);
    this.#value.push(Math.min(pushPpbMax, Math.max(-pushPpbMax, ppb)));
  }

  /** Accounts of the crowd buy, each once. */
  #enterSome(): void {
    const { crowd } = this.#terms;
    if (this.#entered === crowd.length) return;
    for (let left = this.#arrivals(this.#phase.crowd.entries_per_minute); left > 0; left--) {
      const member = crowd[this.#entered];
      if (member === undefined) return;
      const ticks = Math.floor(this.#value.parts / partsPerTick);
      const lots = this.#lotsOf(member.size, ticks);
      const taken = this.#book.take(true, lots);
      // In a book without asks, the account waits for its next turn.
      if (taken.length > 0) this.#trade(true, taken, this.#entered++);
    }
  }

  /** Takes what the value has passed, so that no maker's quote is left on the wrong side of it. */
  #arbitrage(): void {
    const ticks = this.#value.parts / partsPerTick;
    this.#trade(true, this.#book.take(true, Number.MAX_SAFE_INTEGER, Math.floor(ticks)));
    this.#trade(false, this.#book.take(false, Number.MAX_SAFE_INTEGER, Math.ceil(ticks)));
  }

  #followMomentum(): void {
    const { orders_per_minute, size, window_s, threshold_bps } = this.#phase.momentum;
    const [before, now] = [this.#middles[0] ?? null, this.#book.doubleMiddle];
    this.#middles = [...this.#middles, now].slice(-window_s * turnsPerSecond);
    const arrivals = this.#arrivals(orders_per_minute);
    if (before === null || now === null) return;
    const threshold = shareOf(before, ppbOf(threshold_bps), billion);
    if (Math.abs(now - before) < threshold || now === before) return;
    for (let left = arrivals; left > 0; left--) this.#order(now > before, size);
  }

  /** An order of 20 % to 180 % of the size, of which what does not trade at once is cancelled. */
  #order(isBuy: boolean, size: number): void {
    const ticks = Math.floor(this.#value.parts / partsPerTick);
    const lots = this.#lotsOf(shareOf(size, 20 + this.#random.below(161), 100), ticks);
    if (size > 0) this.#trade(isBuy, this.#book.take(isBuy, lots));
  }

  /** Notes an order's trades; `by` is the account of the crowd that sent it, if one did. */
  #trade(isBuy: boolean, taken: readonly PastLevel[], by?: number): void {
    if (taken.length === 0) return;
    this.#hasChanged = true;
    this.#nextUs += orderUs;
    for (const [price, qty] of taken)
      this.#events.push({
        ...{ kind: "trade", atUs: this.#nextUs, isBuy, price, qty },
        ...(by !== undefined && { by }),
      });
  }

  #renewSome(): void {
    const { count, refreshes_per_minute } = this.#phase.makers;
    for (let maker = 0; maker < count; maker++)
      if (this.#happens(refreshes_per_minute / turnsPerMinute)) this.#renew(maker);
  }

  /** Quotes around the value: bids below it, asks above it. */
  #renew(maker: number): void {
    const { spread_bps, sides } = this.#phase.makers;
    const { parts } = this.#value;
    const half = shareOf(parts, ppbOf(spread_bps), 2 * billion);
    const bestBid = Math.ceil((parts - half) / partsPerTick) - 1;
    const bestAsk = Math.floor((parts + half) / partsPerTick) + 1;
    const bids = this.#ladder(bestBid, -1);
    const asks = this.#ladder(bestAsk, 1);
    this.#book.renew(maker, sides === "asks" ? [] : bids, sides === "bids" ? [] : asks);
    this.#hasChanged = true;
  }

  #ladder(best: number, sign: 1 | -1): PastLevel[] {
    const { levels, step_bps, size } = this.#phase.makers;
    const step = Math.max(1, shareOf(best, ppbOf(step_bps), billion));
    const quotes: PastLevel[] = [];
    for (let level = 0; level < levels; level++) {
      const jitter = level === 0 ? 0 : this.#random.below(Math.floor(step / 2) + 1);
      const price = best + sign * (level * step + jitter);
      const lots = this.#lotsOf(shareOf(size, 50 + this.#random.below(101), 100), price);
      if (price > 0 && size > 0) quotes.push([price, lots]);
    }
    return quotes;
  }

  /** Lots of a value in the quote asset, at least what the venue takes. */
  #lotsOf(size: number, ticks: number): number {
    const { tickDecimals, lotDecimals, leastValue } = this.#terms.market;
    const lots = shareOf(size, 10 ** (tickDecimals + lotDecimals), Math.max(1, ticks));
    return Math.min(lotsMax, Math.max(1, lots, Math.ceil(leastValue / Math.max(1, ticks))));
  }

  /** How many arrive in a turn. */
  #arrivals(perMinute: number): number {
    let count = 0;
    for (let slot = 0; slot < slots; slot++)
      if (this.#happens(perMinute / turnsPerMinute / slots)) count++;
    return count;
  }

  #happens(probability: number): boolean {
    return this.#random.below(million) < Math.round(probability * million);
  }
}
