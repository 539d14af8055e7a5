// Samples the calling thread once a second: the pauses of its garbage collector and, if it has an event loop, the
// loop's delay. The collector's pauses are read without an event loop, because clearing and matchers have none.

import { performance } from "node:perf_hooks";
import { GCProfiler } from "node:v8";
import { LoopDelay } from "./loop-delay.ts";
import type { ThreadFigures } from "./thread-figures.ts";
import { ownKernelThread } from "./thread-time.ts";

const lookMs = 1_000;
/** Sampling interval of the loop's delay in ms. */
const sampleMs = 50;

export interface ThreadWatchOptions {
  readonly hasLoop: boolean;
}

export class ThreadWatch {
  readonly #figures: ThreadFigures;
  readonly #delay: LoopDelay | null;
  #profiler = new GCProfiler();
  #nextMs = 0;

  constructor(figures: ThreadFigures, { hasLoop }: ThreadWatchOptions) {
    this.#figures = figures;
    figures.kernelThread = ownKernelThread();
    this.#delay = hasLoop ? new LoopDelay(sampleMs) : null;
    this.#profiler.start();
  }

  /** Samples the figures if a second has passed since the last sample; called often. */
  look(): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + lookMs;
    // Stopping the profiler returns its statistics; costs are in microseconds.
    for (const { cost } of this.#profiler.stop()?.statistics ?? []) {
      this.#figures.gcSeconds.record(cost / 1e6);
    }
    this.#profiler = new GCProfiler();
    this.#profiler.start();
    if (this.#delay === null) return;
    this.#delay.look();
    this.#figures.loopDelaySeconds = this.#delay.longestSeconds;
    this.#delay.reset();
  }
}
