// Takes the samples of perpetual markets: one database statement every five minutes, off the threads of the order path.
// A sample missed while the venue was down stays missing. A sample that fails is retried until a minute after its due
// time.

import { alignedInterval } from "../../adapters/runtime/aligned-interval.ts";
import { sampleIntervalMs } from "../../core/market-samples.ts";
import type { MarketSampleRepository } from "../../ports/journal/market-samples.ts";
import type { Log } from "../../ports/log.ts";

/** Interval in ms between checks of the time. A sample is taken at most this long after the start of its period. */
const lookMs = 1_000;
/** Pause after a failed sample. */
const retryMs = 10_000;
/**
 * Longest time after the start of a period at which its sample is still taken; a later one would not represent that
 * time.
 */
const lateMsMax = 60_000;
const dayMs = 86_400_000;

export interface MarketSamplerParts {
  readonly store: MarketSampleRepository;
  /** The time up to which duties may be done. */
  readonly dutyMs: () => number;
  readonly log: Log;
  readonly keepDays: number;
}

export class MarketSampler {
  readonly #parts: MarketSamplerParts;
  readonly #stopLooking: () => void;
  /** Start of the last period whose sample was taken or given up. */
  #takenMs: number;
  #notBeforeMs = 0;
  #taking: Promise<void> | null = null;

  /** Skips the current period; the first sample is that of the next one. */
  constructor(parts: MarketSamplerParts) {
    this.#parts = parts;
    this.#takenMs = turnOf(parts.dutyMs());
    this.#stopLooking = alignedInterval(() => this.look(), lookMs);
  }

  /** Takes the current sample if it is due. */
  look(): void {
    const nowMs = this.#parts.dutyMs();
    const turnMs = turnOf(nowMs);
    if (turnMs <= this.#takenMs || this.#taking !== null || nowMs < this.#notBeforeMs) return;
    if (nowMs - turnMs > lateMsMax) {
      this.#takenMs = turnMs;
      return;
    }
    this.#taking = this.#take(turnMs).finally(() => {
      this.#taking = null;
    });
  }

  /** Resolves when the sample in progress has ended. */
  async settled(): Promise<void> {
    await this.#taking;
  }

  async close(): Promise<void> {
    this.#stopLooking();
    await this.settled();
  }

  async #take(turnMs: number): Promise<void> {
    const { store, dutyMs, log, keepDays } = this.#parts;
    try {
      await store.take(turnMs);
      this.#takenMs = turnMs;
      await store.drop(turnMs - keepDays * dayMs);
    } catch (error) {
      log.warn({ err: error }, "sampling the markets failed");
      this.#notBeforeMs = dutyMs() + retryMs;
    }
  }
}

function turnOf(ms: number): number {
  return Math.floor(ms / sampleIntervalMs) * sampleIntervalMs;
}
