// Per account, perpetual market and side: open lots of its orders, and how many of them are margined. Sums
// over the order table, updated as orders change, so that no decision walks an account's orders.

import { accountSlot } from "../../../core/accounts.ts";
import { assert, numberAt } from "../../../core/assert.ts";
import { accountNumbersMax, accountsMax, marketsMax } from "../../../core/limits.ts";
import type { Side } from "../../../core/orders.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";

/** Index of one side of an account's market; asserts the ranges. */
export function sideIndex(account: number, market: number, side: Side): number {
  assert(
    account > 0 && account < accountNumbersMax,
    "the account number must be within its bounds",
  );
  assert(
    market >= 0 && market < marketsMax,
    "the market id must be below the maximum number of markets",
  );
  return (accountSlot(account) * marketsMax + market) * 2 + side;
}

export class SideLots {
  readonly #open = new Float64Array(reservedMemory(8 * accountsMax * marketsMax * 2));
  readonly #margined = new Float64Array(reservedMemory(8 * accountsMax * marketsMax * 2));

  /** Remaining lots of open orders of the side. */
  open(account: number, market: number, side: Side): number {
    return numberAt(this.#open, sideIndex(account, market, side));
  }

  /** The margined part of them. */
  margined(account: number, market: number, side: Side): number {
    return numberAt(this.#margined, sideIndex(account, market, side));
  }

  /** Adds signed changes to both sums; asserts that the margined lots stay part of the open ones. */
  add(
    account: number,
    market: number,
    side: Side,
    change: { open: number; margined: number },
  ): void {
    const index = sideIndex(account, market, side);
    const open = numberAt(this.#open, index) + change.open;
    const margined = numberAt(this.#margined, index) + change.margined;
    assert(
      margined >= 0 && margined <= open,
      "the margined quantity must not exceed the open quantity",
    );
    this.#open[index] = open;
    this.#margined[index] = margined;
  }
}
