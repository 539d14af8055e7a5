// Generates the arrival times of a load's requests, as gaps drawn from a seeded random source. It reads no clock: the
// caller adds up the gaps.

import type { SeededRandom } from "./seeded-random.ts";

export interface Arrivals {
  /** Returns the milliseconds from the previous arrival to the next. */
  gapMs(): number;
}

/** Arrivals that are independent of each other (a Poisson process). */
export class IndependentArrivals implements Arrivals {
  readonly #meanMs: number;
  readonly #random: SeededRandom;

  /** `rate` is in arrivals per second. */
  constructor(rate: number, random: SeededRandom) {
    this.#meanMs = 1000 / rate;
    this.#random = random;
  }

  gapMs(): number {
    return this.#random.exponential(this.#meanMs);
  }
}

/** Share of arrivals that other arrivals trigger. */
const calledShare = 0.5;
/** Mean time over which an arrival triggers others, in milliseconds. */
const memoryMs = 80;

/**
 * Arrivals that trigger further arrivals, as orders do on a market (a Hawkes process). Each arrival raises the
 * intensity by a step that decays exponentially. The arrivals come in bursts, at `rate` per second on average.
 */
export class ExcitedArrivals implements Arrivals {
  readonly #ownPerMs: number;
  readonly #random: SeededRandom;
  /** Intensity that earlier arrivals add, at the time of the last arrival. */
  #excitation = 0;

  constructor(rate: number, random: SeededRandom) {
    this.#ownPerMs = (rate / 1000) * (1 - calledShare);
    // Start at the stationary mean, so that the rate does not rise slowly.
    this.#excitation = (rate / 1000) * calledShare;
    this.#random = random;
  }

  gapMs(): number {
    let gapMs = 0;
    // Draw by thinning: between arrivals the intensity only falls, so its current value is an upper bound.
    for (;;) {
      const bound = this.#ownPerMs + this.#excitation;
      const stepMs = this.#random.exponential(1 / bound);
      gapMs += stepMs;
      this.#excitation *= Math.exp(-stepMs / memoryMs);
      if (this.#random.next() * bound > this.#ownPerMs + this.#excitation) continue;
      this.#excitation += calledShare / memoryMs;
      return gapMs;
    }
  }
}
