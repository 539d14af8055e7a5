// Records the latencies of a run in an HDR histogram: in microseconds, with three significant digits, up to a minute. A
// longer latency counts as a minute; none is dropped.

import { build, type Histogram } from "hdr-histogram-js";

const microsecondsMax = 60_000_000;

/** The latencies of a run, in milliseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

export class Latencies {
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: microsecondsMax,
    numberOfSignificantValueDigits: 3,
    bitBucketSize: 32,
    useWebAssembly: false,
  });

  /** Records one latency; `ms` may have a fraction. */
  record(ms: number): void {
    const microseconds = Math.round(ms * 1000);
    this.#histogram.recordValue(Math.min(Math.max(microseconds, 1), microsecondsMax));
  }

  summary(): LatencySummary {
    return {
      count: this.#histogram.totalCount,
      p50Ms: this.#at(50),
      p90Ms: this.#at(90),
      p99Ms: this.#at(99),
      p999Ms: this.#at(99.9),
      maxMs: this.#histogram.maxValue / 1000,
    };
  }

  reset(): void {
    this.#histogram.reset();
  }

  #at(percent: number): number {
    return this.#histogram.totalCount === 0
      ? 0
      : this.#histogram.getValueAtPercentile(percent) / 1000;
  }
}
