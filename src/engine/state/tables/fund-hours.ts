// What the insurance fund has lost in each perpetual since an hour of the clock began there, as events left it: what
// it closes, what it holds at the mark, and what it paid for those who owed. An hour begins with the first thing the
// fund does in it, so that a market at rest writes nothing.

import { amountAt, assert, byteAt, numberAt } from "../../../core/assert.ts";
import type { FundHourSet } from "../../../core/generated/events.ts";

const hourUs = 3_600_000_000;

export class FundHours {
  /** Microseconds at which the market's hour began; 0 where none has, or the operator began anew. */
  readonly sinceUs: Float64Array;
  /** Minor units that the fund had won and lost there by then. */
  readonly worth: BigInt64Array;
  /** Minor units that it paid since for accounts that owed. */
  readonly paid: BigInt64Array;
  readonly #paused: Uint8Array;

  constructor(marketCount: number) {
    this.sinceUs = new Float64Array(marketCount);
    this.worth = new BigInt64Array(marketCount);
    this.paid = new BigInt64Array(marketCount);
    this.#paused = new Uint8Array(marketCount);
  }

  /** By market, as snapshots keep them. */
  get columns() {
    const { sinceUs, worth, paid } = this;
    return { sinceUs, isPaused: this.#paused, worth, paid };
  }

  /** Whether the fund lost more than it may: the market takes only what reduces a position. */
  isPaused(market: number): boolean {
    return byteAt(this.#paused, market) === 1;
  }

  set({ market, sinceUs, worth, isPaused }: FundHourSet): void {
    assert(sinceUs > 0 && sinceUs % hourUs === 0, "an hour is one of the clock");
    if (sinceUs !== this.sinceUs[market]) this.paid[market] = 0n;
    this.sinceUs[market] = sinceUs;
    this.worth[market] = worth;
    this.#paused[market] = isPaused ? 1 : 0;
  }

  /** Counts what was paid for an account that owed. */
  pay(market: number, amount: bigint): void {
    assert(amount > 0n, "the fund pays something");
    this.paid[market] = amountAt(this.paid, market) + amount;
  }

  /** The operator has set the limit: its hour begins anew, and a pause is over. */
  forget(market: number): void {
    this.sinceUs[market] = 0;
    this.worth[market] = 0n;
    this.paid[market] = 0n;
    this.#paused[market] = 0;
  }

  /** Whether the market's hour is that of the moment. */
  isCurrent(market: number, atUs: number): boolean {
    return numberAt(this.sinceUs, market) === startOfHour(atUs);
  }
}

/** Microseconds at which the hour of the clock began. */
export function startOfHour(atUs: number): number {
  assert(atUs > 0, "a moment has an hour");
  return atUs - (atUs % hourUs);
}
