// The signed positions of one perpetual market as its matcher knows them: ahead of clearing's by the
// requests in flight, because every fill of the market passes its book first.

import { assert } from "../../core/assert.ts";
import { numberAt } from "../../core/cells.ts";
import { accountsMax } from "../../core/limits.ts";
import { Side } from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { mixPosition } from "./book-hash.ts";

/** Lots by account, positive is long. */
export class SignedPositions {
  readonly #lots = new Float64Array(reservedMemory(8 * accountsMax));
  /** No account from here on was ever touched. */
  #end = 0;

  of(account: number): number {
    return numberAt(this.#lots, account);
  }

  /** Changes a position by signed lots; asserts that it stays a safe integer. */
  add(account: number, lots: number): void {
    const changed = numberAt(this.#lots, account) + lots;
    assert(Number.isSafeInteger(changed), "a position is a whole number of lots");
    this.#lots[account] = changed;
    if (account >= this.#end) this.#end = account + 1;
  }

  /** Lots that an order of `side` may trade before the position is flat. */
  reducible(account: number, side: Side): number {
    return reducibleLots(this.of(account), side);
  }

  /** `hash` with all positions behind it, by account. */
  mixInto(hash: number): number {
    let mixed = hash;
    for (let account = 0; account < this.#end; account++) {
      const lots = this.of(account);
      if (lots !== 0) mixed = mixPosition(mixed, account, lots);
    }
    return mixed;
  }
}

/** Lots that an order of `side` may trade before a position of `lots` is flat. */
export function reducibleLots(lots: number, side: Side): number {
  return Math.max(0, side === Side.buy ? -lots : lots);
}
