// The delay of the calling thread's event loop. The runtime measures it with a timer, which wakes the thread at each
// sample. An idle loop has no delay worth measuring, so the timer runs only while the loop has work.

import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";

/** Interval in ms at which sampling is started or stopped. */
const lookMs = 500;
/** The delay is sampled only while the loop works for at least this share of the time. */
const busyShareMin = 0.02;

export class LoopDelay {
  readonly #sampleMs: number;
  readonly #histogram: IntervalHistogram;
  #isSampling = false;
  #usedBefore = performance.eventLoopUtilization();

  /** Starts to watch the loop; while it is busy, its delay is sampled every `sampleMs` milliseconds. */
  constructor(sampleMs: number) {
    this.#sampleMs = sampleMs;
    this.#histogram = monitorEventLoopDelay({ resolution: sampleMs });
    setInterval(() => this.#look(), lookMs).unref();
  }

  /** Seconds of the longest delay since the last `reset`; 0 without a sample. */
  get maxSeconds(): number {
    return this.#secondsOf(this.#histogram.max);
  }

  /** Seconds of the delay at `quantile` (above 0, at most 1) since the last `reset`; 0 without a sample. */
  quantileSeconds(quantile: number): number {
    return this.#secondsOf(this.#histogram.percentile(quantile * 100));
  }

  reset(): void {
    this.#histogram.reset();
  }

  /** The runtime measures the whole timer interval, in ns; only the part above the sampling interval is delay. */
  #secondsOf(intervalNs: number): number {
    if (this.#histogram.count === 0) return 0;
    return Math.max(0, intervalNs / 1e6 - this.#sampleMs) / 1000;
  }

  #look(): void {
    const used = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(used, this.#usedBefore);
    this.#usedBefore = used;
    const isBusy = utilization >= busyShareMin;
    if (isBusy === this.#isSampling) return;
    this.#isSampling = isBusy;
    if (isBusy) this.#histogram.enable();
    else this.#histogram.disable();
  }
}
