// Posts one signed amount to one balance and notifies the observer. Callers make postings in pairs, or change the
// venue's deposits by the same amount, so that sums are conserved.

import type { Wallet } from "../../../core/accounts.ts";
import type { StateObserver } from "../state-observer.ts";
import { AccountTie } from "../tables/account-table.ts";
import type { VenueState } from "../venue-state.ts";

/** Subtracts `amount` (signed minor units) from a balance. */
export function takeBalance(
  state: VenueState,
  observer: StateObserver | null,
  account: number,
  wallet: Wallet,
  asset: number,
  amount: bigint,
): void {
  state.balances.take(account, wallet, asset, amount);
  observer?.balanceChanged(account, wallet, asset);
}

/** Adds `amount` (signed minor units) to a balance. */
export function addBalance(
  state: VenueState,
  observer: StateObserver | null,
  account: number,
  wallet: Wallet,
  asset: number,
  amount: bigint,
): void {
  state.balances.add(account, wallet, asset, amount);
  if (state.accounts.tie(account, AccountTie.money)) tieReferrer(state, account);
  observer?.balanceChanged(account, wallet, asset);
}

/** Called when an account has money: its referrer must stay open from then on, because it may earn commission. */
function tieReferrer({ accounts, rewards }: VenueState, account: number): void {
  const referrer = rewards.referrerOf(account);
  if (referrer !== 0 && accounts.exists(referrer)) accounts.tie(referrer, AccountTie.referral);
}
