// Countdowns: when all of an account's orders in a market will be cancelled. Few accounts have one, so they are in a
// map; lists of them are sorted by account and market.

import { assert } from "../../../core/assert.ts";
import { marketsMax } from "../../../core/limits.ts";

/** One running countdown. */
export interface Countdown {
  readonly account: number;
  readonly market: number;
  /** Microseconds UTC. */
  readonly cancelAtUs: number;
}

export class Countdowns {
  readonly #atUs = new Map<number, number>();

  /** Number of running countdowns. */
  get count(): number {
    return this.#atUs.size;
  }

  /** Microseconds at which the account's orders in the market are cancelled, or 0. */
  get(account: number, market: number): number {
    return this.#atUs.get(account * marketsMax + market) ?? 0;
  }

  /** Sets the time in microseconds; 0 stops the countdown. Asserts the range of `market`. */
  set(account: number, market: number, cancelAtUs: number): void {
    assert(
      market >= 0 && market < marketsMax,
      "the market id must be below the maximum number of markets",
    );
    if (cancelAtUs === 0) this.#atUs.delete(account * marketsMax + market);
    else this.#atUs.set(account * marketsMax + market, cancelAtUs);
  }

  /** All running countdowns, by account and market. */
  all(): Countdown[] {
    const keys = [...this.#atUs.keys()].sort((a, b) => a - b);
    return keys.map((key) => ({
      account: Math.floor(key / marketsMax),
      market: key % marketsMax,
      cancelAtUs: this.#atUs.get(key) ?? 0,
    }));
  }
}
