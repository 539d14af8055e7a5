// Samples of perpetual markets: one per market and five minutes. Types only.

import type { MarketSample } from "../../core/market-samples.ts";

/** The newest `limit` that match, with `startMs` the oldest; ascending. */
export interface SampleQuery {
  readonly market: number;
  /** A multiple of the interval: only samples at its multiples. */
  readonly periodMs: number;
  /** Both inclusive. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly limit: number;
}

export interface MarketSampleReader {
  samples(query: SampleQuery): Promise<MarketSample[]>;
}

export interface MarketSampleRepository {
  /** Stores the current figures of every perpetual as the sample of `atMs`; an existing sample is unchanged. */
  take(atMs: number): Promise<void>;
  /** Deletes the samples before `beforeMs`. */
  drop(beforeMs: number): Promise<void>;
}
