// Composes one index price from several sources: the median of fresh readings, without outliers. A sudden
// jump must be confirmed by further readings. Reads no clock: time is an argument.
//
//   readings ──not older than staleMs──▶ fresh ──near their median──▶ agreeing ──▶ median
//   median ──near the last price, or the third similar one in a row──▶ the price

import { assert } from "../../core/assert.ts";
import { priceDeviationPercent, priceJumpPercent, priceWitnesses } from "../../core/limits.ts";

/** The last reading of a source. */
interface Reading {
  readonly ticks: number;
  readonly atMs: number;
}

/** A price and the time of its newest reading. */
export interface ComposedPrice {
  readonly ticks: number;
  readonly atMs: number;
}

export class IndexComposition {
  readonly #staleMs: number;
  /** The last reading of each source. */
  readonly #readings = new Map<number, Reading>();
  #accepted: ComposedPrice | null = null;
  /** An unconfirmed jump and the number of similar prices in a row. */
  #leap: (ComposedPrice & { readonly times: number }) | null = null;

  constructor(staleMs: number) {
    assert(staleMs > 0, "the maximum age of a price reading must be positive");
    this.#staleMs = staleMs;
  }

  /** Records a reading: ticks above 0 and its time. An older reading is ignored. */
  take(source: number, ticks: number, atMs: number): void {
    assert(ticks > 0, "the price of a source must be positive");
    const before = this.#readings.get(source);
    if (before === undefined || atMs > before.atMs) this.#readings.set(source, { ticks, atMs });
  }

  /** The price at `nowMs`; null if no source is fresh, sources disagree, or a jump is unconfirmed. */
  compose(nowMs: number): ComposedPrice | null {
    // A reading may also be ahead of `nowMs` by less than `#staleMs`, because clocks differ.
    const fresh = [...this.#readings.values()].filter(
      ({ atMs }) => Math.abs(nowMs - atMs) < this.#staleMs,
    );
    const agreeing = near(fresh);
    if (agreeing.length === 0) return null;
    const atMs = Math.min(Math.max(...agreeing.map((one) => one.atMs)), nowMs);
    const price = { ticks: medianOf(agreeing.map(({ ticks }) => ticks)), atMs };
    if (!this.#isBelieved(price, nowMs)) return null;
    this.#accepted = price;
    this.#leap = null;
    return price;
  }

  #isBelieved(price: ComposedPrice, nowMs: number): boolean {
    const before = this.#accepted;
    if (before === null || nowMs - before.atMs >= this.#staleMs) return true;
    if (isWithin(price.ticks, before.ticks, priceJumpPercent)) return true;
    const leap = this.#leap;
    const isLike = leap !== null && isWithin(price.ticks, leap.ticks, priceJumpPercent);
    if (isLike && price.atMs <= leap.atMs) return false;
    const times = isLike ? leap.times + 1 : 1;
    this.#leap = { ...price, times };
    return times >= priceWitnesses;
  }
}

/** Readings near the median of all readings. If there are only two readings and they are far apart, returns none. */
function near(readings: readonly Reading[]): readonly Reading[] {
  const median = medianOf(readings.map(({ ticks }) => ticks));
  const [one, other] = readings;
  if (readings.length === 2 && one !== undefined && other !== undefined) {
    return isWithin(one.ticks, other.ticks, priceDeviationPercent) ? readings : [];
  }
  return readings.filter(({ ticks }) => isWithin(ticks, median, priceDeviationPercent));
}

/**
 * The median of `ticks`. If their number is even, it is the mean of the middle two, rounded down. 0 for an empty list.
 */
function medianOf(ticks: readonly number[]): number {
  const sorted = [...ticks].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? 0;
  const lower = sorted[(sorted.length - 1) >> 1] ?? 0;
  return Math.floor((lower + upper) / 2);
}

function isWithin(ticks: number, from: number, percent: number): boolean {
  return Math.abs(ticks - from) * 100 <= from * percent;
}
