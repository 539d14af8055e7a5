// Samples of perpetual markets: one a market and five minutes. Types only.

import type { MarketSample } from "../../core/market-samples.ts";

/** The newest `limit` that fit, with `startMs` the oldest; ascending either way. */
export interface SampleQuery {
  readonly market: number;
  /** A multiple of the interval: those at its turns alone. */
  readonly periodMs: number;
  /** Inclusive, both. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly limit: number;
}

export interface MarketSampleReader {
  samples(query: SampleQuery): Promise<MarketSample[]>;
}

export interface MarketSampleRepository {
  /** Keeps what every perpetual is like now as the sample of `atMs`; one that is there stays. */
  take(atMs: number): Promise<void>;
  /** Drops the samples before `beforeMs`. */
  drop(beforeMs: number): Promise<void>;
}
