// Samples the calling thread once a second: garbage collection time and, with an event loop, its delay. The
// collector is read without an event loop, because clearing and matchers have none.

import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { GCProfiler } from "node:v8";
import type { ThreadFigures } from "./thread-figures.ts";
import { ownKernelThread } from "./thread-time.ts";

const lookMs = 1_000;
/** Sampling interval of the loop's delay: it wakes an idle thread. */
const sampleMs = 50;

export interface ThreadWatchOptions {
  readonly hasLoop: boolean;
}

export class ThreadWatch {
  readonly #figures: ThreadFigures;
  readonly #delay: IntervalHistogram | null;
  #profiler = new GCProfiler();
  #nextMs = 0;

  constructor(figures: ThreadFigures, { hasLoop }: ThreadWatchOptions) {
    this.#figures = figures;
    figures.kernelThread = ownKernelThread();
    this.#delay = hasLoop ? monitorEventLoopDelay({ resolution: sampleMs }) : null;
    this.#delay?.enable();
    this.#profiler.start();
  }

  /** Called often; samples once a second. */
  look(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + lookMs;
    // In microseconds. Stopping the profiler yields its statistics.
    for (const { cost } of this.#profiler.stop()?.statistics ?? []) {
      this.#figures.gcSeconds.record(cost / 1e6);
    }
    this.#profiler = new GCProfiler();
    this.#profiler.start();
    if (this.#delay === null) return;
    // The runtime measures the whole timer interval; the excess is delay.
    this.#figures.loopDelaySeconds = Math.max(0, this.#delay.max / 1e6 - sampleMs) / 1000;
    this.#delay.reset();
  }
}
