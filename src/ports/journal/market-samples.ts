// Samples of perpetual markets: one per market every five minutes. Types only.

import type { MarketSample } from "../../core/market-samples.ts";

/** Selects samples, ascending: the newest `limit` that match or, with `startMs`, the oldest `limit`. */
export interface SampleQuery {
  readonly market: number;
  /** A multiple of the sample interval; only samples at multiples of this period are selected. */
  readonly periodMs: number;
  /** Times of the first and last sample to select, both inclusive. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly limit: number;
}

export interface MarketSampleReader {
  samples(query: SampleQuery): Promise<MarketSample[]>;
}

export interface MarketSampleRepository {
  /**
   * Stores the current figures of every perpetual as the sample of `atMs`. A sample that already exists is left
   * unchanged.
   */
  take(atMs: number): Promise<void>;
  /** Deletes the samples before `beforeMs`. */
  drop(beforeMs: number): Promise<void>;
}
