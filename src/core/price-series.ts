// What candles are kept of beside trades: the mark and the index of perpetual markets. They lie with the
// candles of trades, under the market's id and one of these beyond all ids.

import { marketsMax } from "./limits.ts";

export const PriceSeries = { trades: 0, mark: marketsMax, index: 2 * marketsMax } as const;
export type PriceSeries = (typeof PriceSeries)[keyof typeof PriceSeries];

/** Ids that candles may lie under. */
export const candleIdsMax = 3 * marketsMax;
