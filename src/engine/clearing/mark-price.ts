// The mark: median of those of {index, last trade, mid} that exist (decided.md 10). The index of a
// perpetual is the mid of the spot market of the same coin if that has both sides.

import type { Market } from "../../core/markets.ts";

/** What the mark of one market is made of, in its own ticks; 0 for what does not exist. */
export interface MarkInputs {
  readonly index: number;
  readonly last: number;
  readonly mid: number;
}

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

/** Median of the existing inputs, the mean rounded down of two, 0 if there are none. */
export function markOf(inputs: MarkInputs): number {
  const prices = [inputs.index, inputs.last, inputs.mid].filter((price) => price > 0);
  prices.sort((a, b) => a - b);
  const [first = 0, second = 0, third] = prices;
  if (prices.length === 1) return first;
  if (third === undefined) return Math.floor((first + second) / 2);
  return second;
}
