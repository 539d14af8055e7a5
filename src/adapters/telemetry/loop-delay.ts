// Samples the delay of the calling thread's event loop. The runtime's sampler wakes the thread at each sample, so it
// runs only while the thread has work. The loop of a thread without work is never late by more than its few busy
// milliseconds.

import { type EventLoopUtilization, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { ownKernelThread, threadSeconds } from "./thread-time.ts";

/** Share of time for which a thread must be busy to be sampled. */
const busyShare = 0.05;
/** Sampling ends after this many looks at a thread that is not busy. */
const quietLooksMax = 10;

export class LoopDelay {
  readonly #sampleMs: number;
  readonly #sampler: ReturnType<typeof monitorEventLoopDelay>;
  readonly #thread = ownKernelThread();
  #use: EventLoopUtilization = performance.eventLoopUtilization();
  #seconds = threadSeconds(this.#thread);
  #atMs = performance.now();
  #quietLooks = 0;
  #isSampling = true;
  /** The longest time that the loop was busy between two looks without samples, in ms. */
  #unsampledMs = 0;

  /** `sampleMs` is the interval of the samples. */
  constructor(sampleMs: number) {
    this.#sampleMs = sampleMs;
    this.#sampler = monitorEventLoopDelay({ resolution: sampleMs });
    this.#sampler.enable();
  }

  /** Starts or ends sampling. Must be called about once a second. */
  look(): void {
    const before = this.#use;
    this.#use = performance.eventLoopUtilization();
    const { active, utilization } = performance.eventLoopUtilization(this.#use, before);
    if (!this.#isSampling) this.#unsampledMs = Math.max(this.#unsampledMs, active);
    if ((this.#processorShare() ?? utilization) > busyShare) {
      this.#quietLooks = 0;
      if (!this.#isSampling) this.#sampler.enable();
      this.#isSampling = true;
    } else if (this.#isSampling && ++this.#quietLooks > quietLooksMax) {
      this.#sampler.disable();
      this.#isSampling = false;
    }
  }

  /** The longest delay since the last reset, in seconds. A loop that was not sampled was late by at most this time. */
  get longestSeconds(): number {
    return Math.max(this.#delaySeconds(this.#sampler.max), this.#unsampledMs / 1000);
  }

  /** A quantile (0 to 1) of the samples since the last reset, in seconds; 0 without samples. */
  quantileSeconds(quantile: number): number {
    return this.#delaySeconds(this.#sampler.percentile(quantile * 100));
  }

  reset(): void {
    this.#sampler.reset();
    this.#unsampledMs = 0;
  }

  /**
   * Returns the share of the time since the last call in which the thread used a processor; null where the system does
   * not report it. Unlike the loop's own utilization, it does not count the time in which other programs had the core.
   */
  #processorShare(): number | null {
    const [seconds, atMs] = [this.#seconds, this.#atMs];
    this.#seconds = threadSeconds(this.#thread);
    this.#atMs = performance.now();
    if (seconds === null || this.#seconds === null) return null;
    return (1000 * (this.#seconds - seconds)) / Math.max(this.#atMs - atMs, 1);
  }

  /** The runtime measures the whole interval in nanoseconds; only the part above the interval is delay. */
  #delaySeconds(intervalNs: number): number {
    return Math.max(0, intervalNs / 1e6 - this.#sampleMs) / 1000;
  }
}
