// Per account, perpetual market and side: the open lots of its orders on the book that are not reduce-only, and how
// many of these lots are margined. These sums over the order table are updated as orders change, so that no decision
// has to visit each of an account's orders.

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

  /** Open lots of the side's orders. */
  open(account: number, market: number, side: Side): number {
    return numberAt(this.#open, sideIndex(account, market, side));
  }

  /** The margined part of the side's open lots. */
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
