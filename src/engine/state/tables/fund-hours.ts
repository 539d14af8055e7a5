// The insurance fund's loss per perpetual in the current clock hour: from closed positions, open positions at the
// mark, and debts paid. The count of an hour starts with the fund's first action in it, so an idle market writes no
// events.

import { amountAt, assert, byteAt, numberAt } from "../../../core/assert.ts";
import type { FundHourSet } from "../../../core/generated/events.ts";

const hourUs = 3_600_000_000;

export class FundHours {
  /** Microseconds at which the market's hour started; 0 before the first hour, and after the operator reset it. */
  readonly sinceUs: Float64Array;
  /** Minor units of the fund's result in the market when the hour's count began. */
  readonly worth: BigInt64Array;
  /** Minor units that the fund has paid in the hour for accounts in debt. */
  readonly paid: BigInt64Array;
  readonly #paused: Uint8Array;

  constructor(marketCount: number) {
    this.sinceUs = new Float64Array(marketCount);
    this.worth = new BigInt64Array(marketCount);
    this.paid = new BigInt64Array(marketCount);
    this.#paused = new Uint8Array(marketCount);
  }

  /** The columns by market, as snapshots keep them. */
  get columns() {
    const { sinceUs, worth, paid } = this;
    return { sinceUs, isPaused: this.#paused, worth, paid };
  }

  /**
   * Whether the fund's loss has reached its limit. The market then accepts only orders that reduce positions, and
   * resting quotes of designated makers.
   */
  isPaused(market: number): boolean {
    return byteAt(this.#paused, market) === 1;
  }

  set({ market, sinceUs, worth, isPaused }: FundHourSet): void {
    assert(sinceUs > 0 && sinceUs % hourUs === 0, "the start of an hour must be on the clock hour");
    if (sinceUs !== this.sinceUs[market]) this.paid[market] = 0n;
    this.sinceUs[market] = sinceUs;
    this.worth[market] = worth;
    this.#paused[market] = isPaused ? 1 : 0;
  }

  /** Adds a payment of the fund for an account in debt. */
  pay(market: number, amount: bigint): void {
    assert(amount > 0n, "the amount that the fund pays must be positive");
    this.paid[market] = amountAt(this.paid, market) + amount;
  }

  /** Resets the hour and ends a pause, because the operator changed the limit. */
  forget(market: number): void {
    this.sinceUs[market] = 0;
    this.worth[market] = 0n;
    this.paid[market] = 0n;
    this.#paused[market] = 0;
  }

  /** Whether the market's stored hour is the hour of `atUs`. */
  isCurrent(market: number, atUs: number): boolean {
    return numberAt(this.sinceUs, market) === startOfHour(atUs);
  }
}

/** Microseconds at which the clock hour started. */
export function startOfHour(atUs: number): number {
  assert(atUs > 0, "the time must be positive");
  return atUs - (atUs % hourUs);
}
