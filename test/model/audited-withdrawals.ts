// The auditor's withdrawals, computed from events alone. Each withdrawal ends once, with its whole amount either
// paid or returned. Wallet-funded accounts have none.

import assert from "node:assert/strict";
import { AccountType, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import {
  EventKind,
  type VenueEvent,
  type WithdrawalRequested,
} from "../../src/core/generated/events.ts";
import type { AuditedLedger } from "./audited-ledger.ts";

const transit = { account: SystemAccount.withdrawals, wallet: Wallet.spot };

export class AuditedWithdrawals {
  readonly #ledger: AuditedLedger;
  readonly #pending = new Map<number, WithdrawalRequested>();
  readonly #seen = new Set<number>();

  constructor(ledger: AuditedLedger) {
    this.#ledger = ledger;
  }

  judge(event: VenueEvent): void {
    const { account } = event;
    const own = { account, wallet: Wallet.spot };
    if (event.kind === EventKind.withdrawalRequested) {
      const { withdrawalId, amount, fee } = event;
      assert(!this.#seen.has(withdrawalId), "a withdrawal number must not be used twice");
      assert(fee >= 0n && amount > fee, "a withdrawal must be larger than its fee");
      assert.notEqual(this.#ledger.accountTypes.get(account), AccountType.wallet);
      this.#seen.add(withdrawalId);
      this.#pending.set(withdrawalId, { ...event });
      this.#ledger.move(own, transit, event.asset, amount);
    } else if (event.kind === EventKind.withdrawalEnded) {
      const { withdrawalId, asset, amount, fee, isCompleted } = event;
      const begun = this.#pending.get(withdrawalId);
      assert(this.#pending.delete(withdrawalId), "a withdrawal that ends must be pending");
      assert.deepEqual(
        [begun?.account, begun?.asset, begun?.amount, begun?.fee],
        [account, asset, amount, fee],
      );
      if (!isCompleted) this.#ledger.move(transit, own, asset, amount);
      else {
        const fees = { account: SystemAccount.fees, wallet: Wallet.spot };
        this.#ledger.move(transit, fees, asset, fee);
        this.#ledger.withdraw(transit.account, transit.wallet, asset, amount - fee);
      }
    } else if (event.kind === EventKind.walletBound) {
      assert.equal(this.#ledger.accountTypes.get(account), AccountType.standard);
      this.#ledger.accountTypes.set(account, AccountType.wallet);
    }
  }
}
