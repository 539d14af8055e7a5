// Generates the reference prices of a fleet. The price of each asset is a seeded random walk that reverts to its start.
// All markets of an asset share its price.

import type { SeededRandom } from "../load/seeded-random.ts";
import type { FleetMarket } from "./fleet-market.ts";

/** Volatility per second as a share of the price: two basis points. */
const stepShare = 0.0002;
/** Time constant of the mean reversion, in seconds. */
const returnSeconds = 300;

export class ReferencePrices {
  readonly #random: SeededRandom;
  readonly #first = new Map<string, number>();
  /** Logarithm of the ratio of price to start price, by asset. */
  readonly #away = new Map<string, number>();
  #walkedMs: number | null = null;

  constructor(markets: readonly FleetMarket[], random: SeededRandom) {
    this.#random = random;
    for (const { coin, firstPrice } of markets) {
      this.#first.set(coin, firstPrice);
      this.#away.set(coin, 0);
    }
  }

  /** Advances the random walk to `nowMs`. */
  walk(nowMs: number): void {
    const seconds = (nowMs - (this.#walkedMs ?? nowMs)) / 1000;
    this.#walkedMs = nowMs;
    if (seconds <= 0) return;
    for (const [coin, away] of this.#away) {
      const drift = away * Math.exp(-seconds / returnSeconds);
      this.#away.set(coin, drift + stepShare * Math.sqrt(seconds) * this.#random.normal());
    }
  }

  /** Returns the price in the quote asset. */
  of({ coin }: FleetMarket): number {
    return (this.#first.get(coin) ?? 0) * Math.exp(this.#away.get(coin) ?? 0);
  }

  /** Returns the price in ticks of the market, with a fraction. */
  ticksOf(market: FleetMarket): number {
    return this.of(market) * 10 ** market.tickDecimals;
  }
}
