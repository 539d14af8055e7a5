// Whose orders an account's orders count as: those of its owner, so that sub-accounts do not multiply order limits. The
// limits are those of the largest tier in the owner's family. Spec LIM-30, SUB-6.

import type { RateTier } from "../../../core/accounts.ts";
import type { AccountTable } from "./account-table.ts";
import type { KeyTable } from "./key-table.ts";

export class OrderOwners {
  readonly #accounts: AccountTable;
  readonly #keys: KeyTable;

  constructor({ accounts, keys }: { readonly accounts: AccountTable; readonly keys: KeyTable }) {
    this.#accounts = accounts;
    this.#keys = keys;
  }

  ownerOf(account: number): number {
    return this.#accounts.ownerOf(account);
  }

  /** The largest tier among the keys of an owner and of its sub-accounts. */
  largestTier(owner: number): RateTier {
    let largest = this.#keys.largestTier(owner);
    for (const { account } of this.#accounts.subAccountsOf(owner)) {
      const tier = this.#keys.largestTier(account);
      if (tier > largest) largest = tier;
    }
    return largest;
  }
}
