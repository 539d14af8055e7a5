// Applies fills and reward events to commission, volume and referrals.

import { accountSlot, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { amountAt, assert } from "../../../core/assert.ts";
import {
  EventKind,
  type Referred,
  type RewardClaimed,
  type Rewarded,
  type Traded,
} from "../../../core/generated/events.ts";
import { isPerpetual, type Market } from "../../../core/markets.ts";
import { opposite, Side } from "../../../core/orders.ts";
import type { StateObserver } from "../state-observer.ts";
import { AccountTie } from "../tables/account-table.ts";
import { claimable, countReferred, feesPerCommission, isPayable } from "../tables/reward-state.ts";
import type { VenueState } from "../venue-state.ts";
import { addBalance } from "./balance-posting.ts";

/**
 * Adds a trade to the volumes of both accounts' owners and their referrers, and its fees to the referrers' pending fees. A
 * trade whose quote asset is not the asset of rewards does not count.
 */
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
  trading: number,
  value: bigint,
  { market, side, fee }: { market: Market; side: Side; fee: bigint },
): void {
  const account = accounts.ownerOf(trading);
  const own = accountSlot(account);
  rewards.volume[own] = amountAt(rewards.volume, own) + value;
  const referrer = rewards.referrerOf(account);
  if (referrer === 0 || !accounts.exists(referrer)) return;
  const index = accountSlot(referrer);
  rewards.volume[index] = amountAt(rewards.volume, index) + value;
  const isMargin = isPerpetual(market);
  // A spot buyer pays the fee in the coin received; such a fee earns no commission.
  if (fee <= 0n || (!isMargin && side === Side.buy)) return;
  const fees = isMargin ? rewards.perpFees : rewards.spotFees;
  fees[index] = amountAt(fees, index) + fee;
  if (isPayable(rewards, referrer)) rewards.pending.add(referrer);
}

/** Applies the event; asserts that it fits the state. */
export function applyReward(
  state: VenueState,
  event: Referred | Rewarded | RewardClaimed,
  observer: StateObserver | null,
): void {
  if (event.kind === EventKind.referred) applyReferred(state, event);
  else if (event.kind === EventKind.rewarded) applyRewarded(state, event, observer);
  else applyClaim(state, event, observer);
}

function applyReferred({ accounts, rewards }: VenueState, event: Referred): void {
  const { account, referrer } = event;
  assert(
    accounts.isCustomer(account) && accounts.isCustomer(referrer),
    "both accounts of a referral must be customer accounts",
  );
  assert(
    account !== referrer && rewards.referrerOf(account) === 0,
    "an account must be referred only once, and by another account",
  );
  rewards.referrer[accountSlot(account)] = referrer;
  countReferred(rewards, referrer, 1);
  if (accounts.hasHadMoney(account)) accounts.tie(referrer, AccountTie.referral);
}

/** Removes a closing account that never traded from its referrer's count. */
export function forgetReferral({ accounts, rewards }: VenueState, account: number): void {
  const referrer = rewards.referrerOf(account);
  rewards.referrer[accountSlot(account)] = 0;
  rewards.referred[accountSlot(account)] = 0;
  if (referrer !== 0 && accounts.exists(referrer)) countReferred(rewards, referrer, -1);
}

function applyRewarded(state: VenueState, event: Rewarded, observer: StateObserver | null): void {
  const { account, wallet, amount } = event;
  const { rewards } = state;
  const fees = rewards.feesIn(wallet);
  const slot = accountSlot(account);
  const left = amountAt(fees, slot) - amount * feesPerCommission;
  assert(
    amount > 0n && left >= 0n,
    "the commission must be positive and not above the pending fees",
  );
  fees[slot] = left;
  if (!isPayable(rewards, account)) rewards.pending.delete(account);
  rewards.accrued[slot] = amountAt(rewards.accrued, slot) + amount;
  addBalance(state, observer, SystemAccount.fees, wallet, rewards.asset, -amount);
  addBalance(state, observer, SystemAccount.rewards, Wallet.perp, rewards.asset, amount);
}

function applyClaim(state: VenueState, event: RewardClaimed, observer: StateObserver | null): void {
  const { account, amount } = event;
  const { rewards } = state;
  assert(
    amount > 0n && amount === claimable(rewards, account),
    "a claim must take the whole accrued amount",
  );
  const slot = accountSlot(account);
  rewards.claimed[slot] = amountAt(rewards.claimed, slot) + amount;
  addBalance(state, observer, SystemAccount.rewards, Wallet.perp, rewards.asset, -amount);
  addBalance(state, observer, account, Wallet.perp, rewards.asset, amount);
}
