// The mark: the median of the available prices among index, last trade, and index plus average basis (used instead of
// the middle of the book), within a band around the index (RSK-20, RSK-29). Only functions without side effects.

import { assert, numberAt } from "../../core/assert.ts";
import type { Market } from "../../core/markets.ts";

/** Middle of the book in ticks, rounded down; 0 unless both sides exist. */
export function midOf(bid: number, ask: number): number {
  return bid > 0 && ask > 0 ? Math.floor((bid + ask) / 2) : 0;
}

/**
 * Converts a price from ticks of `from` to ticks of `to`, or from thousandths of one tick to thousandths of the
 * other. The result is rounded down, and at least 1 for a positive price.
 */
export function convertTicks(price: number, from: Market, to: Market): number {
  if (price === 0) return 0;
  const shift = to.tickDecimals - from.tickDecimals;
  const converted = shift >= 0 ? price * 10 ** shift : Math.floor(price / 10 ** -shift);
  return Math.max(converted, 1);
}

/** Median of the inputs above 0; the mean of two, rounded down; 0 without any. */
export function markOf(index: number, last: number, mid: number): number {
  const highest = Math.max(index, last, mid);
  const lowest = Math.min(index, last, mid);
  const median = index + last + mid - highest - lowest;
  // A missing input is 0 and sorts lowest. If one is missing, the other two are the median and the highest; if two are
  // missing, only the highest is left.
  if (lowest > 0) return median;
  return median > 0 ? Math.floor((median + highest) / 2) : highest;
}

/** Prices by market id, in ticks; 0 for none. */
interface MarkedPrices {
  /** The mark as last journaled. */
  readonly mark: Float64Array;
  /** The price of the last trade. */
  readonly lastPrice: Float64Array;
}

/**
 * The current mark of a market in ticks: the journaled one, or on a market without one the median of its last
 * trade and `mid`, the middle of its book (0 for none); 0 without either.
 */
export function markNow({ mark, lastPrice }: MarkedPrices, market: number, mid: number): number {
  const journaled = numberAt(mark, market);
  return journaled > 0 ? journaled : markOf(0, numberAt(lastPrice, market), mid);
}

/**
 * `mark` limited to `bandBps` around `index`, both ends rounded inward; unchanged if one of the prices or the
 * band is 0.
 */
export function withinBand(mark: number, index: number, bandBps: number): number {
  assert(mark >= 0 && index >= 0, "the prices must not be negative; 0 means no price");
  if (mark === 0 || index === 0 || bandBps === 0) return mark;
  const lowest = Math.ceil((index * (10_000 - bandBps)) / 10_000);
  const highest = Math.floor((index * (10_000 + bandBps)) / 10_000);
  return Math.max(Math.min(mark, Math.max(highest, index)), Math.min(lowest, index), 1);
}
