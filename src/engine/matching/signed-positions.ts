// The signed positions of one perpetual market as its matcher knows them. They include fills that clearing has not
// booked yet, because every fill happens in the book first.

import { accountSlot } from "../../core/accounts.ts";
import { assert, numberAt } from "../../core/assert.ts";
import { accountNumbersMax, accountsMax } from "../../core/limits.ts";
import { Side } from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { mixPosition } from "./book-hash.ts";

/** Lots by account slot; positive is long. */
export class SignedPositions {
  readonly #lots = new Float64Array(reservedMemory(8 * accountsMax));
  /** All slots used so far are below this. */
  #end = 0;

  of(account: number): number {
    return numberAt(this.#lots, accountSlot(account));
  }

  /** Changes a position by signed lots; asserts that it stays a safe integer. */
  add(account: number, lots: number): void {
    assert(
      account >= 0 && account < accountNumbersMax,
      "the account number must be within its bounds",
    );
    const slot = accountSlot(account);
    const changed = numberAt(this.#lots, slot) + lots;
    assert(Number.isSafeInteger(changed), "a position must be a safe integer of lots");
    this.#lots[slot] = changed;
    if (slot >= this.#end) this.#end = slot + 1;
  }

  /** Lots that an order of `side` may trade before the position is flat. */
  reducible(account: number, side: Side): number {
    return reducibleLots(this.of(account), side);
  }

  /** Mixes all positions into `hash`, in order of slot. */
  mixInto(hash: number): number {
    let mixed = hash;
    for (let slot = 0; slot < this.#end; slot++) {
      const lots = numberAt(this.#lots, slot);
      if (lots !== 0) mixed = mixPosition(mixed, slot, lots);
    }
    return mixed;
  }
}

/** Lots that an order of `side` may trade before a position of `lots` is flat. */
export function reducibleLots(lots: number, side: Side): number {
  return Math.max(0, side === Side.buy ? -lots : lots);
}
