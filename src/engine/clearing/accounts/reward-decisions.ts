// Decisions about rewards: referrals, accrual of commission every few seconds of venue time, and claims. Accruals are
// bounded per tick. Accruals that a crash interrupts stay pending in the state and are made after the restart.

import { accountSlot, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { amountAt } from "../../../core/assert.ts";
import {
  type ClaimReward,
  CommandKind,
  type SetReferrer,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { accrualsPerTickMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { claimable, feesPerCommission } from "../../state/tables/reward-state.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";

export interface RewardParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
  readonly intervalUs: number;
}

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

export class RewardDecisions {
  readonly #parts: RewardParts;
  /** The interval whose accruals started last. */
  #interval = -1;
  /** Accounts of this interval still to be accrued; the last one is next. */
  #due: number[] = [];

  constructor(parts: RewardParts) {
    this.#parts = parts;
  }

  /** Starts accruals once per interval and processes a bounded number of accounts per tick. */
  tick(atUs: number): void {
    const { state, intervalUs } = this.#parts;
    const interval = Math.floor(atUs / intervalUs);
    if (interval !== this.#interval && this.#due.length === 0) {
      this.#interval = interval;
      this.#due = [...state.rewards.pending].sort((a, b) => b - a);
    }
    for (let left = accrualsPerTickMax; left > 0; left--) {
      const account = this.#due.pop();
      if (account === undefined) return;
      this.#accrue(account, Wallet.spot, atUs);
      this.#accrue(account, Wallet.perp, atUs);
    }
  }

  /** The start of the next interval after `atUs`; `atUs` while accruals are left. */
  nextUs(atUs: number): number {
    return this.#due.length > 0 ? atUs : (this.#interval + 1) * this.#parts.intervalUs;
  }

  /**
   * Records who referred an account that has not traded yet. An account already referred, or one that has
   * traded, stays unchanged without a refusal. The reply's subject is 1 if the referral was recorded.
   */
  refer(command: SetReferrer): void {
    const { state, writer } = this.#parts;
    const { account, referrer, atUs } = command;
    const { accounts, rewards } = state;
    // Only owners refer and are referred: what a sub-account trades counts as its owner's. Spec SUB-7.
    const isOwner = (one: number) => accounts.isCustomer(one) && !accounts.isSubAccount(one);
    if (!isOwner(account) || !isOwner(referrer) || account === referrer) {
      writer.answer(command, RejectReason.unknownAccount, 0);
      return;
    }
    const isNew = !rewards.isTouched(account);
    if (isNew) {
      writer.records(command.identity, 1);
      writer.nonOrder({ ...unnumbered, kind: EventKind.referred, account, referrer }, atUs);
    }
    writer.answer(command, RejectReason.none, isNew ? 1 : 0);
  }

  /** Pays everything accrued; the reply's subject is the minor units paid, 0 for none. */
  claim(command: ClaimReward): void {
    const { state, writer } = this.#parts;
    const { account, atUs } = command;
    if (!state.accounts.isCustomer(account)) {
      writer.answer(command, RejectReason.unknownAccount, 0);
      return;
    }
    const amount = claimable(state.rewards, account);
    if (amount > 0n) {
      writer.records(command.identity, Number(amount));
      writer.nonOrder({ ...unnumbered, kind: EventKind.rewardClaimed, account, amount }, atUs);
    }
    writer.answer(command, RejectReason.none, Number(amount));
  }

  decide(command: SetReferrer | ClaimReward): void {
    if (command.kind === CommandKind.setReferrer) this.refer(command);
    else this.claim(command);
  }

  /**
   * Accrues a tenth of the account's pending fees as commission, rounded down, but no more than the fee account's free
   * balance. The remainder stays pending.
   */
  #accrue(account: number, wallet: Wallet, atUs: number): void {
    const { state, writer } = this.#parts;
    const { rewards, balances } = state;
    let amount = amountAt(rewards.feesIn(wallet), accountSlot(account)) / feesPerCommission;
    const held = balances.free(SystemAccount.fees, wallet, rewards.asset);
    if (held < amount) amount = held;
    if (amount <= 0n) return;
    writer.nonOrder({ ...unnumbered, kind: EventKind.rewarded, account, wallet, amount }, atUs);
  }
}
