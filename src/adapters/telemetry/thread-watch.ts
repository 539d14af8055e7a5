// Watches the thread it is made on: once a second it reads what the garbage collector took and, where there is
// an event loop, how late that was. The collector is read without an event loop, which clearing and matchers
// do not have.

import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { GCProfiler } from "node:v8";
import type { ThreadFigures } from "./thread-figures.ts";
import { ownKernelThread } from "./thread-time.ts";

const lookMs = 1_000;
/** How finely delays of the loop are sampled: an idle thread wakes up for it. */
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

  /** Called often; looks once a second. */
  look(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + lookMs;
    // Microseconds each. A profiler that was stopped has told all it knows.
    for (const { cost } of this.#profiler.stop()?.statistics ?? []) {
      this.#figures.gcSeconds.record(cost / 1e6);
    }
    this.#profiler = new GCProfiler();
    this.#profiler.start();
    if (this.#delay === null) return;
    // The runtime measures the whole timer interval; what exceeds it is delay.
    this.#figures.loopDelaySeconds = Math.max(0, this.#delay.max / 1e6 - sampleMs) / 1000;
    this.#delay.reset();
  }
}
