// What trading earns: who referred whom, the volume that makes points, and commission on the fees of
// referred users. Fills add to what is pending; an accrual moves its tenth from the fee account to the
// rewards account; a claim moves what is accrued to the referrer. All of it changes by events alone, so
// every fill counts once, whatever crashes.
//
//   fill ──▶ fees pending ──accrual, each few seconds──▶ accrued ──claim──▶ claimed, in the perp wallet

import { accountSlot, SystemAccount, Wallet } from "../../core/accounts.ts";
import { assert, present } from "../../core/assert.ts";
import { amountAt, wordAt } from "../../core/cells.ts";
import {
  EventKind,
  type Referred,
  type RewardClaimed,
  type Rewarded,
  type Traded,
} from "../../core/events.ts";
import { accountsMax } from "../../core/limits.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import { opposite, Side } from "../../core/orders.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";
import { AccountTie } from "./account-table.ts";
import { addBalance } from "./balance-posting.ts";
import type { StateObserver } from "./state-observer.ts";
import type { VenueState } from "./venue-state.ts";

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

/** Counts a trade for both sides. */
export function countTrade(
  state: VenueState,
  event: Traded,
  { market, value }: { market: Market; value: bigint },
): void {
  if (market.quote.id !== state.rewards.asset) return;
  const { account, makerAccount, takerFee, makerFee, takerSide } = event;
  countSide(state, account, value, { market, side: takerSide, fee: takerFee });
  countSide(state, makerAccount, value, { market, side: opposite(takerSide), fee: makerFee });
}

function countSide(
  { rewards, accounts }: VenueState,
  account: number,
  value: bigint,
  { market, side, fee }: { market: Market; side: Side; fee: bigint },
): void {
  const own = accountSlot(account);
  rewards.volume[own] = amountAt(rewards.volume, own) + value;
  const referrer = rewards.referrerOf(account);
  if (referrer === 0 || !accounts.exists(referrer)) return;
  const place = accountSlot(referrer);
  rewards.volume[place] = amountAt(rewards.volume, place) + value;
  const isMargin = isPerpetual(market);
  // Who buys on spot pays in the coin received: no commission is paid on that.
  if (fee <= 0n || (!isMargin && side === Side.buy)) return;
  const fees = isMargin ? rewards.perpFees : rewards.spotFees;
  fees[place] = amountAt(fees, place) + fee;
  if (isPayable(rewards, referrer)) rewards.pending.add(referrer);
}

/** Does what the event says; asserts that it fits the state. */
export function applyReward(
  state: VenueState,
  event: Referred | Rewarded | RewardClaimed,
  observer: StateObserver,
): void {
  if (event.kind === EventKind.referred) applyReferred(state, event);
  else if (event.kind === EventKind.rewarded) applyRewarded(state, event, observer);
  else applyClaim(state, event, observer);
}

function applyReferred({ accounts, rewards }: VenueState, event: Referred): void {
  const { account, referrer } = event;
  assert(accounts.isCustomer(account) && accounts.isCustomer(referrer), "customers are referred");
  assert(account !== referrer && rewards.referrerOf(account) === 0, "an account is referred once");
  rewards.referrer[accountSlot(account)] = referrer;
  countReferred(rewards, referrer, 1);
  if (accounts.hasHadMoney(account)) accounts.tie(referrer, AccountTie.referral);
}

function countReferred({ referred }: RewardState, referrer: number, change: 1 | -1): void {
  const slot = accountSlot(referrer);
  referred[slot] = wordAt(referred, slot) + change;
}

/** Forgets an account that closes and never traded: who referred it has one less. */
export function forgetReferral({ accounts, rewards }: VenueState, account: number): void {
  const referrer = rewards.referrerOf(account);
  rewards.referrer[accountSlot(account)] = 0;
  rewards.referred[accountSlot(account)] = 0;
  if (referrer !== 0 && accounts.exists(referrer)) countReferred(rewards, referrer, -1);
}

function applyRewarded(state: VenueState, event: Rewarded, observer: StateObserver): void {
  const { account, wallet, amount } = event;
  const { rewards } = state;
  const fees = rewards.feesIn(wallet);
  const slot = accountSlot(account);
  const left = amountAt(fees, slot) - amount * feesPerCommission;
  assert(amount > 0n && left >= 0n, "commission is a part of pending fees");
  fees[slot] = left;
  if (!isPayable(rewards, account)) rewards.pending.delete(account);
  rewards.accrued[slot] = amountAt(rewards.accrued, slot) + amount;
  addBalance(state, observer, SystemAccount.fees, wallet, rewards.asset, -amount);
  addBalance(state, observer, SystemAccount.rewards, Wallet.perp, rewards.asset, amount);
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

function applyClaim(state: VenueState, event: RewardClaimed, observer: StateObserver): void {
  const { account, amount } = event;
  const { rewards } = state;
  assert(
    amount > 0n && amount === claimable(rewards, account),
    "all of what is accrued is claimed",
  );
  const slot = accountSlot(account);
  rewards.claimed[slot] = amountAt(rewards.claimed, slot) + amount;
  addBalance(state, observer, SystemAccount.rewards, Wallet.perp, rewards.asset, -amount);
  addBalance(state, observer, account, Wallet.perp, rewards.asset, amount);
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

export function captureRewards({ rewards, accounts }: VenueState): RewardColumns {
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
export function restoreRewards({ rewards, accounts }: VenueState, columns: RewardColumns): void {
  for (const [place, account] of columns.account.entries()) {
    const referrer = wordAt(columns.referrer, place);
    const slot = accountSlot(account);
    rewards.referrer[slot] = referrer;
    if (referrer !== 0 && accounts.exists(referrer)) countReferred(rewards, referrer, 1);
    for (const name of amountColumns) rewards[name][slot] = amountAt(columns[name], place);
    if (isPayable(rewards, account)) rewards.pending.add(account);
  }
}
