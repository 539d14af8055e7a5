// The mark: median of those of {index, last trade, mid} that exist (decided.md 10). The index of a
// perpetual is the mid of the spot market of the same coin if that has both sides.

import type { Market } from "../../core/markets.ts";

/** Middle of the book in ticks, rounded down; 0 unless both sides exist. */
export function midOf(bid: number, ask: number): number {
  return bid > 0 && ask > 0 ? Math.floor((bid + ask) / 2) : 0;
}

/** A price in ticks of `from` as ticks of `to`, rounded down, at least one tick if there was a price. */
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
