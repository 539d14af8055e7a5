// What candles are kept of beside trades: the mark and the index of perpetual markets in ticks, and the premium
// that funding samples, in 10^-8 of the index, signed. They lie with the
// candles of trades, under the market's id and one of these beyond all ids.

import { marketsMax } from "./limits.ts";

export const PriceSeries = {
  trades: 0,
  mark: marketsMax,
  index: 2 * marketsMax,
  premium: 3 * marketsMax,
} as const;
export type PriceSeries = (typeof PriceSeries)[keyof typeof PriceSeries];

/** Ids that candles may lie under. */
export const candleIdsMax = 4 * marketsMax;
