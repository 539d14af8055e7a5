// Candle series other than those of trades: mark and index of perpetual markets in ticks, and the premium that funding
// samples, signed, in 10^-8 of the index. They are stored with the candles of trades. Their id there is the market's id
// plus one of these codes, which makes it larger than any market's id.

import { marketsMax } from "./limits.ts";

export const PriceSeries = {
  trades: 0,
  mark: marketsMax,
  index: 2 * marketsMax,
  premium: 3 * marketsMax,
} as const;
export type PriceSeries = (typeof PriceSeries)[keyof typeof PriceSeries];

/** Number of ids that candles can have. */
export const candleIdsMax = 4 * marketsMax;
