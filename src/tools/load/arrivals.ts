// Arrival times of a load's requests, as gaps drawn from a seeded random source. It reads no clock: the caller sums up
// the gaps.

import type { SeededRandom } from "./seeded-random.ts";

export interface Arrivals {
  /** Milliseconds from the previous arrival to the next. */
  gapMs(): number;
}

/** Independent (Poisson) arrivals. */
export class IndependentArrivals implements Arrivals {
  readonly #meanMs: number;
  readonly #random: SeededRandom;

  /** `rate`: arrivals per second. */
  constructor(rate: number, random: SeededRandom) {
    this.#meanMs = 1000 / rate;
    this.#random = random;
  }

  gapMs(): number {
    return this.#random.exponential(this.#meanMs);
  }
}

/** Share of arrivals triggered by others. */
const calledShare = 0.5;
/** Mean time over which an arrival triggers others, in milliseconds. */
const memoryMs = 80;

/**
 * Arrivals that trigger others, as orders do on a market (a Hawkes process): each raises the intensity by a step that
 * decays exponentially. They come in bursts, at `rate` per second on average.
 */
export class ExcitedArrivals implements Arrivals {
  readonly #ownPerMs: number;
  readonly #random: SeededRandom;
  /** Added intensity from earlier arrivals, at the last one. */
  #excitation = 0;

  constructor(rate: number, random: SeededRandom) {
    this.#ownPerMs = (rate / 1000) * (1 - calledShare);
    // The stationary mean, so that the rate does not ramp up slowly.
    this.#excitation = (rate / 1000) * calledShare;
    this.#random = random;
  }

  gapMs(): number {
    let gapMs = 0;
    // Thinning: between arrivals the intensity only falls, so the current value is an upper bound.
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
