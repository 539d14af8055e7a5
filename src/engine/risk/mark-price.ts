// The mark: median of those of {index, last trade, middle of the book by its average distance from the index}
// that exist, within a band around the index (RSK-20, RSK-29). Pure.

import { assert, numberAt } from "../../core/assert.ts";
import type { Market } from "../../core/markets.ts";

/** Middle of the book in ticks, rounded down; 0 unless both sides exist. */
export function midOf(bid: number, ask: number): number {
  return bid > 0 && ask > 0 ? Math.floor((bid + ask) / 2) : 0;
}

/** A price in ticks of `from` as ticks of `to`, or both in parts of one; rounded down, at least 1 if there was one. */
export function convertTicks(price: number, from: Market, to: Market): number {
  if (price === 0) return 0;
  const shift = to.tickDecimals - from.tickDecimals;
  const converted = shift >= 0 ? price * 10 ** shift : Math.floor(price / 10 ** -shift);
  return Math.max(converted, 1);
}

/** Median of those of the three that exist (0 does not), the mean rounded down of two; 0 of none. */
export function markOf(index: number, last: number, mid: number): number {
  const highest = Math.max(index, last, mid);
  const lowest = Math.min(index, last, mid);
  const median = index + last + mid - highest - lowest;
  // Without one input the two others are the highest and the median; without two, the highest alone.
  if (lowest > 0) return median;
  return median > 0 ? Math.floor((median + highest) / 2) : highest;
}

/** Where marks are kept: ticks by market id, 0 where there is none. */
interface MarkedPrices {
  /** As last journaled. */
  readonly mark: Float64Array;
  /** Of the last trade. */
  readonly lastPrice: Float64Array;
}

/**
 * The mark of a market as everything reads it, in ticks: the journaled one, and on a market without one the median
 * of its last trade and `mid`, the middle of its book (0 for none); 0 where there is nothing.
 */
export function markNow({ mark, lastPrice }: MarkedPrices, market: number, mid: number): number {
  const journaled = numberAt(mark, market);
  return journaled > 0 ? journaled : markOf(0, numberAt(lastPrice, market), mid);
}

/** `mark` within `bandBps` of `index`, both ends inward; 0 of either, or no band, leaves it as it is. */
export function withinBand(mark: number, index: number, bandBps: number): number {
  assert(mark >= 0 && index >= 0, "prices are ticks, or none");
  if (mark === 0 || index === 0 || bandBps === 0) return mark;
  const lowest = Math.ceil((index * (10_000 - bandBps)) / 10_000);
  const highest = Math.floor((index * (10_000 + bandBps)) / 10_000);
  return Math.max(Math.min(mark, Math.max(highest, index)), Math.min(lowest, index), 1);
}
