// Withdrawals under way: their money is the venue's account of withdrawals' until they end. Paid, it leaves
// the venue but for the fee; not paid, all of it goes back to the spot wallet it came from.
//
//   spot wallet ──requested──▶ account of withdrawals ──completed──▶ ledger, and fee to the fee account
//        ▲                              │
//        └────────────failed────────────┘

import { assert, present } from "../../../core/assert.ts";
import { withdrawalsMax, withdrawalsPerAccountMax } from "../../../core/limits.ts";

/** One that has not ended. */
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

  /** How many of the account's are under way. */
  countOf(account: number): number {
    return this.#perAccount.get(account) ?? 0;
  }

  /** Whether the account may begin one more. */
  hasRoom(account: number): boolean {
    return this.#pending.size < withdrawalsMax && this.countOf(account) < withdrawalsPerAccountMax;
  }

  /** In the order in which they began. */
  all(): IterableIterator<PendingWithdrawal> {
    return this.#pending.values();
  }

  /** Asserts that the number is new and that there is room. */
  begin(withdrawal: PendingWithdrawal): void {
    const { withdrawalId, account } = withdrawal;
    assert(withdrawal.amount > 0n && withdrawal.fee >= 0n, "a withdrawal is of money");
    assert(!this.#pending.has(withdrawalId), "a withdrawal begins once");
    assert(this.hasRoom(account), "a withdrawal begins while there is room");
    this.#pending.set(withdrawalId, withdrawal);
    this.#perAccount.set(account, this.countOf(account) + 1);
  }

  /** Asserts that it is under way. */
  end(withdrawalId: number): PendingWithdrawal {
    const ended = present(this.#pending.get(withdrawalId), "a withdrawal that ends is under way");
    this.#pending.delete(withdrawalId);
    const left = this.countOf(ended.account) - 1;
    assert(left >= 0, "an account has no fewer than none");
    if (left === 0) this.#perAccount.delete(ended.account);
    else this.#perAccount.set(ended.account, left);
    return ended;
  }
}
