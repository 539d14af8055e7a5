// The auditor's referrals and commission, computed from events alone, in plain maps. It checks the referrer of each
// account, that commission is at most a tenth of the fees in USDC, that each fill counts once, and that each claim is
// paid in full. It shares no code with the engine.

import assert from "node:assert/strict";
import { AccountType, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { EventKind, type Traded, type VenueEvent } from "../../src/core/generated/events.ts";
import { type Market, MarketKind } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import type { AuditedLedger } from "./audited-ledger.ts";

const usdc = 0;

export class AuditedRewards {
  readonly #ledger: AuditedLedger;
  readonly #referrers = new Map<number, number>();
  readonly #traded = new Set<number>();
  /** Fees in USDC that count for commission, by `referrer/wallet`. */
  readonly #fees = new Map<string, bigint>();
  readonly #accrued = new Map<string, bigint>();
  readonly #claimed = new Map<number, bigint>();

  constructor(ledger: AuditedLedger) {
    this.#ledger = ledger;
  }

  trade(event: Traded, { kind }: Market): void {
    const { account, makerAccount, takerFee, makerFee, takerSide } = event;
    const sides = [
      { account, fee: takerFee, isBuyer: takerSide === Side.buy },
      { account: makerAccount, fee: makerFee, isBuyer: takerSide !== Side.buy },
    ];
    for (const { account: trading, fee, isBuyer } of sides) {
      const own = this.#ledger.ownerOf(trading);
      this.#traded.add(own);
      const referrer = this.#referrers.get(own);
      if (referrer === undefined || (kind === MarketKind.spot && isBuyer)) continue;
      const key = `${referrer}/${kind === MarketKind.spot ? Wallet.spot : Wallet.perp}`;
      this.#fees.set(key, (this.#fees.get(key) ?? 0n) + fee);
    }
  }

  judge(event: VenueEvent): void {
    const { account } = event;
    if (event.kind === EventKind.referred) {
      assert(
        !this.#referrers.has(account) && !this.#traded.has(account),
        "an account must be referred only once, before its first trade",
      );
      assert(account !== event.referrer, "an account must not refer itself");
      const types = [account, event.referrer].map((one) => this.#ledger.accountTypes.get(one));
      assert(types.every((type) => type !== undefined && type !== AccountType.system));
      assert.deepEqual(
        [account, event.referrer].map((one) => this.#ledger.ownerOf(one)),
        [account, event.referrer],
      );
      this.#referrers.set(account, event.referrer);
    } else if (event.kind === EventKind.rewarded) {
      const { wallet, amount } = event;
      const key = `${account}/${wallet}`;
      const accrued = (this.#accrued.get(key) ?? 0n) + amount;
      assert(
        amount > 0n && accrued * 10n <= (this.#fees.get(key) ?? 0n),
        "commission must be at most a tenth of the fees",
      );
      this.#accrued.set(key, accrued);
      const rewards = { account: SystemAccount.rewards, wallet: Wallet.perp };
      this.#ledger.move({ account: SystemAccount.fees, wallet }, rewards, usdc, amount);
      const left = this.#ledger.cash(SystemAccount.fees, wallet, usdc);
      assert(left >= 0n, "commission must not exceed the fees");
    } else if (event.kind === EventKind.rewardClaimed) {
      const accrued = [Wallet.spot, Wallet.perp].reduce(
        (sum, wallet) => sum + (this.#accrued.get(`${account}/${wallet}`) ?? 0n),
        0n,
      );
      const claimed = (this.#claimed.get(account) ?? 0n) + event.amount;
      assert(
        event.amount > 0n && claimed === accrued,
        "a claim must pay everything that is accrued",
      );
      this.#claimed.set(account, claimed);
      const rewards = { account: SystemAccount.rewards, wallet: Wallet.perp };
      this.#ledger.move(rewards, { account, wallet: Wallet.perp }, usdc, event.amount);
    }
  }
}
