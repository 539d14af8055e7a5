// Withdrawals in progress: their money is in the withdrawals account until they end. A completed withdrawal leaves the
// venue except for its fee; a failed one returns in full to the account's spot wallet.
//
//   spot wallet ──requested──▶ withdrawals account ──completed──▶ ledger, and the fee to the fee account
//        ▲                              │
//        └────────────failed────────────┘

import { assert, present } from "../../../core/assert.ts";
import { withdrawalsMax, withdrawalsPerAccountMax } from "../../../core/limits.ts";

/** A withdrawal in progress. */
export interface PendingWithdrawal {
  readonly withdrawalId: number;
  readonly account: number;
  readonly asset: number;
  readonly amount: bigint;
  readonly fee: bigint;
}

export class WithdrawalState {
  readonly #pending = new Map<number, PendingWithdrawal>();
  readonly #perAccount = new Map<number, number>();

  of(withdrawalId: number): PendingWithdrawal | undefined {
    return this.#pending.get(withdrawalId);
  }

  /** Number of the account's withdrawals in progress. */
  countOf(account: number): number {
    return this.#perAccount.get(account) ?? 0;
  }

  /** Whether the account may start another withdrawal. */
  hasRoom(account: number): boolean {
    return this.#pending.size < withdrawalsMax && this.countOf(account) < withdrawalsPerAccountMax;
  }

  /** All withdrawals in progress, in the order in which they started. */
  all(): IterableIterator<PendingWithdrawal> {
    return this.#pending.values();
  }

  /** Starts a withdrawal; asserts that its number is new and that the account has room for it. */
  begin(withdrawal: PendingWithdrawal): void {
    const { withdrawalId, account } = withdrawal;
    assert(
      withdrawal.amount > 0n && withdrawal.fee >= 0n,
      "a withdrawal must have a positive amount and a non-negative fee",
    );
    assert(!this.#pending.has(withdrawalId), "a withdrawal must begin only once");
    assert(this.hasRoom(account), "the account must have room for another withdrawal");
    this.#pending.set(withdrawalId, withdrawal);
    this.#perAccount.set(account, this.countOf(account) + 1);
  }

  /** Ends a withdrawal and returns it; asserts that it is in progress. */
  end(withdrawalId: number): PendingWithdrawal {
    const ended = present(
      this.#pending.get(withdrawalId),
      "a withdrawal must be in progress when it ends",
    );
    this.#pending.delete(withdrawalId);
    const left = this.countOf(ended.account) - 1;
    assert(left >= 0, "the number of withdrawals must not be negative");
    if (left === 0) this.#perAccount.delete(ended.account);
    else this.#perAccount.set(ended.account, left);
    return ended;
  }
}
