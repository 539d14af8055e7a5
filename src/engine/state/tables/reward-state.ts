// What trading earns: who referred whom, the volume that makes points, and commission on the fees of
// referred users. Fills add to what is pending; an accrual moves its tenth from the fee account to the
// rewards account; a claim moves what is accrued to the referrer. All of it changes by events alone, so
// every fill counts once, whatever crashes.
//
//   fill ──▶ fees pending ──accrual, each few seconds──▶ accrued ──claim──▶ claimed, in the perp wallet

import { accountSlot, Wallet } from "../../../core/accounts.ts";
import { amountAt, assert, present, wordAt } from "../../../core/assert.ts";
import { accountsMax } from "../../../core/limits.ts";
import { isPerpetual, type MarketTable } from "../../../core/markets.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";
import type { AccountTable } from "./account-table.ts";

/** Of fees this part is commission: 10 %. */
export const feesPerCommission = 10n;

function amounts(): BigInt64Array {
  return new BigInt64Array(reservedMemory(8 * accountsMax));
}

export class RewardState {
  /** The asset of commission and volume: the margin of perpetuals, and what spot is quoted in. */
  readonly asset: number;
  /** By slot of an account, as all columns here: who referred it; 0 for nobody. */
  readonly referrer = new Int32Array(reservedMemory(4 * accountsMax));
  /** How many open accounts it referred. */
  readonly referred = new Int32Array(reservedMemory(4 * accountsMax));
  /** Minor units that the account and those it referred have traded. */
  readonly volume = amounts();
  /** Fees of referred users that no commission was accrued for, by wallet they were taken in. */
  readonly spotFees = amounts();
  readonly perpFees = amounts();
  readonly accrued = amounts();
  readonly claimed = amounts();
  /** Accounts with fees pending. */
  readonly pending = new Set<number>();

  constructor(table: MarketTable) {
    this.asset = present(table.markets.find(isPerpetual), "a perpetual market").quote.id;
  }

  /** Fees pending of an account, taken in the spot or the perp wallet. */
  feesIn(wallet: Wallet): BigInt64Array {
    assert(wallet !== Wallet.funding, "nothing trades from the funding wallet");
    return wallet === Wallet.spot ? this.spotFees : this.perpFees;
  }

  /** Whether anything of an account is worth keeping. */
  isTouched(account: number): boolean {
    const slot = accountSlot(account);
    return wordAt(this.referrer, slot) !== 0 || amountAt(this.volume, slot) !== 0n;
  }

  /** Who referred the account; 0 for nobody. The referrer may have closed since. */
  referrerOf(account: number): number {
    return wordAt(this.referrer, accountSlot(account));
  }
}

export function countReferred({ referred }: RewardState, referrer: number, change: 1 | -1): void {
  const slot = accountSlot(referrer);
  referred[slot] = wordAt(referred, slot) + change;
}

/** Whether the pending fees of an account in one of its wallets come to a unit of commission. */
export function isPayable({ spotFees, perpFees }: RewardState, account: number): boolean {
  const slot = accountSlot(account);
  return (
    amountAt(spotFees, slot) >= feesPerCommission || amountAt(perpFees, slot) >= feesPerCommission
  );
}

/** What the account may claim. */
export function claimable({ accrued, claimed }: RewardState, account: number): bigint {
  const slot = accountSlot(account);
  return amountAt(accrued, slot) - amountAt(claimed, slot);
}

/** What rewards are kept beside. */
interface RewardedAccounts {
  readonly rewards: RewardState;
  readonly accounts: AccountTable;
}

/** Rewards of touched accounts, by slot, as snapshots keep them. */
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

/** Fills a fresh state that has its accounts; how many each referred, and who has fees pending, follows. */
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
