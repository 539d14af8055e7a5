// Rewards: who referred whom, the volume that earns points, and commission on fees of referred users. Fills
// add to pending fees; an accrual moves a tenth of them from the fee account to the rewards account; a claim
// moves accrued commission to the referrer. Only events change this state, so every fill counts once, even after a
// crash.
//
//   fill ──▶ fees pending ──accrual, every few seconds──▶ accrued ──claim──▶ claimed, in the perp wallet

import { accountSlot, Wallet } from "../../../core/accounts.ts";
import { amountAt, assert, present, wordAt } from "../../../core/assert.ts";
import { accountsMax } from "../../../core/limits.ts";
import { isPerpetual, type MarketTable } from "../../../core/markets.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";
import type { AccountTable } from "./account-table.ts";

/** Commission is the fees divided by this number: 10 %. */
export const feesPerCommission = 10n;

function amounts(): BigInt64Array {
  return new BigInt64Array(reservedMemory(8 * accountsMax));
}

export class RewardState {
  /** The asset of commission and volume: the margin asset, which is also the spot quote. */
  readonly asset: number;
  /** By account slot, like all columns here: the account's referrer; 0 for none. */
  readonly referrer = new Int32Array(reservedMemory(4 * accountsMax));
  /** Number of open accounts that the account referred. */
  readonly referred = new Int32Array(reservedMemory(4 * accountsMax));
  /** Minor units traded by the account and by the accounts that it referred. */
  readonly volume = amounts();
  /**
   * Pending fees: fees that the accounts which it referred have paid, and on which no commission has accrued yet.
   * `spotFees` were paid from spot wallets, `perpFees` from perp wallets.
   */
  readonly spotFees = amounts();
  readonly perpFees = amounts();
  readonly accrued = amounts();
  readonly claimed = amounts();
  /** Referrers whose pending fees give at least one minor unit of commission; see `isPayable`. */
  readonly pending = new Set<number>();

  constructor(table: MarketTable) {
    this.asset = present(
      table.markets.find(isPerpetual),
      "the venue must have a perpetual market",
    ).quote.id;
  }

  /** The column of pending fees that were paid from this wallet. */
  feesIn(wallet: Wallet): BigInt64Array {
    assert(wallet !== Wallet.funding, "the wallet of a trade must not be the funding wallet");
    return wallet === Wallet.spot ? this.spotFees : this.perpFees;
  }

  /** Whether the account has a referrer or a volume, and so values to store. */
  isTouched(account: number): boolean {
    const slot = accountSlot(account);
    return wordAt(this.referrer, slot) !== 0 || amountAt(this.volume, slot) !== 0n;
  }

  /** The account's referrer; 0 for none. The referrer may have closed since. */
  referrerOf(account: number): number {
    return wordAt(this.referrer, accountSlot(account));
  }
}

export function countReferred({ referred }: RewardState, referrer: number, change: 1 | -1): void {
  const slot = accountSlot(referrer);
  referred[slot] = wordAt(referred, slot) + change;
}

/** Whether a referrer's pending fees, of spot or of perp wallets, give at least one minor unit of commission. */
export function isPayable({ spotFees, perpFees }: RewardState, account: number): boolean {
  const slot = accountSlot(account);
  return (
    amountAt(spotFees, slot) >= feesPerCommission || amountAt(perpFees, slot) >= feesPerCommission
  );
}

/** Minor units of accrued commission that the account can claim. */
export function claimable({ accrued, claimed }: RewardState, account: number): bigint {
  const slot = accountSlot(account);
  return amountAt(accrued, slot) - amountAt(claimed, slot);
}

interface RewardedAccounts {
  readonly rewards: RewardState;
  readonly accounts: AccountTable;
}

/** Rewards of touched accounts by slot, as stored in snapshots. */
export interface RewardColumns {
  account: Int32Array;
  referrer: Int32Array;
  volume: BigInt64Array;
  spotFees: BigInt64Array;
  perpFees: BigInt64Array;
  accrued: BigInt64Array;
  claimed: BigInt64Array;
}

const amountColumns = ["volume", "spotFees", "perpFees", "accrued", "claimed"] as const;

export function captureRewards({ rewards, accounts }: RewardedAccounts): RewardColumns {
  const touched: number[] = [];
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (account !== 0 && rewards.isTouched(account)) touched.push(account);
  }
  const account = Int32Array.from(touched);
  const column = (all: BigInt64Array) =>
    BigInt64Array.from(touched, (one) => amountAt(all, accountSlot(one)));
  return {
    account,
    referrer: account.map((one) => rewards.referrerOf(one)),
    volume: column(rewards.volume),
    spotFees: column(rewards.spotFees),
    perpFees: column(rewards.perpFees),
    accrued: column(rewards.accrued),
    claimed: column(rewards.claimed),
  };
}

/** Loads `columns` into a fresh state that already has its accounts; derives referral counts and `pending`. */
export function restoreRewards(
  { rewards, accounts }: RewardedAccounts,
  columns: RewardColumns,
): void {
  for (const [index, account] of columns.account.entries()) {
    const referrer = wordAt(columns.referrer, index);
    const slot = accountSlot(account);
    rewards.referrer[slot] = referrer;
    if (referrer !== 0 && accounts.exists(referrer)) countReferred(rewards, referrer, 1);
    for (const name of amountColumns) rewards[name][slot] = amountAt(columns[name], index);
    if (isPayable(rewards, account)) rewards.pending.add(account);
  }
}
