// Coins that fills with wallet-funded accounts brought and that are not on the ledger yet: to the wallet, to
// whoever traded with it, and to the venue as fees. Custody has them no sooner than the wallet has its own.
// They are in the account's total and reserved, so nothing can be paid with them, until settlement says that
// they are there; what it never says of is never free. Fills within custody move nothing and hold nothing.

import { assert } from "../../../core/assert.ts";
import { assetsMax } from "../../../core/limits.ts";

/** What is not on the ledger yet of one account's asset. */
export interface UnsettledAmount {
  readonly account: number;
  readonly asset: number;
  /** Minor units, above 0. */
  readonly amount: bigint;
}

export class UnsettledCoins {
  /** By account and asset. */
  readonly #amounts = new Map<number, bigint>();

  /** Minor units. */
  of(account: number, asset: number): bigint {
    return this.#amounts.get(account * assetsMax + asset) ?? 0n;
  }

  /** Adds a signed amount; asserts that no less than none is left. */
  add(account: number, asset: number, amount: bigint): void {
    const left = this.of(account, asset) + amount;
    assert(left >= 0n, "no more is settled than was bought");
    if (left === 0n) this.#amounts.delete(account * assetsMax + asset);
    else this.#amounts.set(account * assetsMax + asset, left);
  }

  /** By account and then asset, whatever came first. */
  all(): UnsettledAmount[] {
    const indexes = [...this.#amounts].sort(([one], [other]) => one - other);
    return indexes.map(([index, amount]) => {
      return { account: Math.floor(index / assetsMax), asset: index % assetsMax, amount };
    });
  }
}
