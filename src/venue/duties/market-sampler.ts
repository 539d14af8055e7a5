// Keeps the samples of perpetual markets: at each turn of five minutes one statement of the database, beside the
// threads that orders pass through. A turn at which the venue was down has no sample; one that fails is tried again
// until the next turn.

import { sampleIntervalMs } from "../../core/market-samples.ts";
import type { MarketSampleRepository } from "../../ports/journal/market-samples.ts";
import type { Log } from "../../ports/log.ts";

/** How often the clock is looked at: a sample is taken at most this much late. */
const lookMs = 1_000;
/** The pause after a sample that could not be taken. */
const retryMs = 10_000;
/** A sample taken later than this after its turn would not be of it. */
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
  readonly #timer: NodeJS.Timeout;
  /** The turn whose sample was taken, or was too late to take. */
  #takenMs: number;
  #notBeforeMs = 0;
  #taking: Promise<void> | null = null;

  /** Begins with the next turn. */
  constructor(parts: MarketSamplerParts) {
    this.#parts = parts;
    this.#takenMs = turnOf(parts.dutyMs());
    this.#timer = setInterval(() => this.look(), lookMs);
    this.#timer.unref();
  }

  /** Takes the sample of this turn if it is due. */
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

  /** Resolves when the sample under way is done with. */
  async settled(): Promise<void> {
    await this.#taking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
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
