// Moves the paused time of a market on, and does everything that is due on the way at its own time and in order: marks,
// funding, expiries, countdowns, commission, market samples. Each stop is a tick of clearing, repeated while clearing has
// work at that time, and its events are committed before the next stop. So the same walk over the same state gives the
// same events, however fast the machine is.

import { sampleIntervalMs } from "../../core/market-samples.ts";

/** Ticks at one time that bring events; clearing does a bounded amount of work with each. */
const ticksPerStopMax = 100_000;

export interface MarketWalkParts {
  readonly nowMs: () => number;
  /** Moves the market's time on. */
  readonly moveTo: (ms: number) => void;
  /** Sends clearing a tick. */
  readonly tick: () => void;
  /** Resolves when everything sent to clearing before, and what that caused, is committed. */
  readonly settled: () => Promise<void>;
  /** The market's time in µs before which clearing needs no tick, as of the last tick; 0 if it is busy. */
  readonly quietUntilUs: () => number;
  readonly committedSeq: () => number;
  /** Takes the sample of the markets that is due. */
  readonly sample: () => Promise<void>;
  /** Interval of the marks. */
  readonly markMs: number;
}

export interface WalkGoal {
  readonly toMs: number;
  /** Ends the walk as soon as this many events have happened. */
  readonly events?: number | undefined;
  /** Ends the walk at the stop after it is aborted. */
  readonly signal: AbortSignal;
}

export class MarketWalk {
  readonly #parts: MarketWalkParts;

  constructor(parts: MarketWalkParts) {
    this.#parts = parts;
  }

  /** Walks to the goal; returns the number of events that happened. */
  async to({ toMs, events = Number.POSITIVE_INFINITY, signal }: WalkGoal): Promise<number> {
    const { nowMs, moveTo, settled, committedSeq } = this.#parts;
    const beganSeq = committedSeq();
    const happened = () => committedSeq() - beganSeq;
    await settled();
    await this.#stop();
    while (nowMs() < toMs && happened() < events && !signal.aborted) {
      moveTo(Math.min(toMs, this.#nextMs()));
      await this.#stop();
    }
    return happened();
  }

  /** The next time at which something is due: never later than the next mark. */
  #nextMs(): number {
    const { nowMs, quietUntilUs, markMs } = this.#parts;
    const atMs = nowMs();
    const after = (everyMs: number) => (Math.floor(atMs / everyMs) + 1) * everyMs;
    const dueMs = Math.ceil(quietUntilUs() / 1000);
    return Math.min(dueMs > atMs ? dueMs : after(markMs), after(markMs), after(sampleIntervalMs));
  }

  async #stop(): Promise<void> {
    const { nowMs, tick, settled, quietUntilUs, committedSeq, sample } = this.#parts;
    // Work that brings no event twice waits for a later time, such as a liquidation without a counterparty.
    for (let ticks = 0, still = 0; ticks < ticksPerStopMax && still < 2; ticks++) {
      const seq = committedSeq();
      tick();
      await settled();
      still = committedSeq() === seq ? still + 1 : 0;
      if (quietUntilUs() > nowMs() * 1000) break;
    }
    if (nowMs() % sampleIntervalMs === 0) await sample();
  }
}
