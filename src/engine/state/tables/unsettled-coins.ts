// Coins from fills with wallet-funded accounts that are not on the ledger yet: those due to the wallet, to its
// counterparty, and to the venue as fees. The counterparty in custody receives its coins no sooner than the wallet
// receives its own. Unsettled coins are part of the account's total, and reserved until settlement confirms them, so
// they cannot be spent. Fills within custody move nothing on the ledger and hold nothing.

import { assert } from "../../../core/assert.ts";
import { assetsMax } from "../../../core/limits.ts";

/** The unsettled amount of one account's asset. */
export interface UnsettledAmount {
  readonly account: number;
  readonly asset: number;
  /** Minor units, above 0. */
  readonly amount: bigint;
}

export class UnsettledCoins {
  /** By account and asset. */
  readonly #amounts = new Map<number, bigint>();

  /** The account's unsettled amount of the asset, in minor units. */
  of(account: number, asset: number): bigint {
    return this.#amounts.get(account * assetsMax + asset) ?? 0n;
  }

  /** Adds a signed amount; asserts that the result is not negative. */
  add(account: number, asset: number, amount: bigint): void {
    const left = this.of(account, asset) + amount;
    assert(left >= 0n, "the settled amount must not exceed the unsettled amount");
    if (left === 0n) this.#amounts.delete(account * assetsMax + asset);
    else this.#amounts.set(account * assetsMax + asset, left);
  }

  /** All unsettled amounts, by account and then asset. */
  all(): UnsettledAmount[] {
    const indexes = [...this.#amounts].sort(([one], [other]) => one - other);
    return indexes.map(([index, amount]) => {
      return { account: Math.floor(index / assetsMax), asset: index % assetsMax, amount };
    });
  }
}
