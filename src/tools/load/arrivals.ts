// When requests of a load arrive: the gaps between them, drawn from a seeded source of chance. Knows no
// clock: the caller adds the gaps up.

import type { SeededRandom } from "./seeded-random.ts";

export interface Arrivals {
  /** Milliseconds from the arrival before to the next one. */
  gapMs(): number;
}

/** Arrivals that know nothing of each other. */
export class IndependentArrivals implements Arrivals {
  readonly #meanMs: number;
  readonly #random: SeededRandom;

  /** `rate` a second. */
  constructor(rate: number, random: SeededRandom) {
    this.#meanMs = 1000 / rate;
    this.#random = random;
  }

  gapMs(): number {
    return this.#random.exponential(this.#meanMs);
  }
}

/** Of the arrivals, how many are called forth by others. */
const calledShare = 0.5;
/** How long an arrival goes on calling forth others, on average, in milliseconds. */
const memoryMs = 80;

/**
 * Arrivals that call forth others, as orders do on a market (a Hawkes process): each raises the intensity
 * by a step that dies away exponentially. They come in bursts, at `rate` a second on average.
 */
export class ExcitedArrivals implements Arrivals {
  readonly #ownPerMs: number;
  readonly #random: SeededRandom;
  /** What earlier arrivals add to the intensity, at the last one. */
  #excitation = 0;

  constructor(rate: number, random: SeededRandom) {
    this.#ownPerMs = (rate / 1000) * (1 - calledShare);
    // What earlier arrivals would have left behind, had there been any: no slow beginning.
    this.#excitation = (rate / 1000) * calledShare;
    this.#random = random;
  }

  gapMs(): number {
    let gapMs = 0;
    // By thinning: between arrivals the intensity only falls, so that of the moment is a bound.
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
