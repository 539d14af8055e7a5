// Applies custody events: wallets that are bound, withdrawals, and coins that are settled on the ledger.

import { AccountType, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { assert, byteAt, present } from "../../../core/assert.ts";
import {
  type CoinsSettled,
  EventKind,
  type WalletBound,
  type WithdrawalEnded,
  type WithdrawalRequested,
} from "../../../core/generated/events.ts";
import { isPerpetual } from "../../../core/markets.ts";
import type { StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { addBalance } from "./balance-posting.ts";

/** Holds what an account, such as the fee account, receives from a fill that settles on the ledger. Spec SET-12. */
export function holdUnsettled(
  state: VenueState,
  account: number,
  asset: number,
  amount: bigint,
): void {
  state.unsettled.add(account, asset, amount);
  state.balances.reserve(account, Wallet.spot, asset, amount);
}

/** Releases an amount that has been settled on the ledger. */
export function settleCoins(
  state: VenueState,
  { account, asset, amount }: CoinsSettled,
  observer: StateObserver | null,
): void {
  assert(amount > 0n, "the settled amount must be positive");
  state.unsettled.add(account, asset, -amount);
  state.balances.reserve(account, Wallet.spot, asset, -amount);
  observer?.balanceChanged(account, Wallet.spot, asset);
}

export function applyCustody(
  state: VenueState,
  event: WalletBound | WithdrawalRequested | WithdrawalEnded | CoinsSettled,
  observer: StateObserver | null,
): void {
  if (event.kind === EventKind.walletBound) bindWallet(state, event);
  else if (event.kind === EventKind.withdrawalRequested) beginWithdrawal(state, event, observer);
  else if (event.kind === EventKind.withdrawalEnded) endWithdrawal(state, event, observer);
  else settleCoins(state, event, observer);
}

function beginWithdrawal(
  state: VenueState,
  event: WithdrawalRequested,
  observer: StateObserver | null,
): void {
  const { account, withdrawalId, asset, amount, fee } = event;
  assert(fee >= 0n && fee < amount, "the amount of a withdrawal must be above its fee");
  state.withdrawals.begin({ withdrawalId, account, asset, amount, fee });
  addBalance(state, observer, account, Wallet.spot, asset, -amount);
  addBalance(state, observer, SystemAccount.withdrawals, Wallet.spot, asset, amount);
}

function endWithdrawal(
  state: VenueState,
  event: WithdrawalEnded,
  observer: StateObserver | null,
): void {
  const { account, asset, amount, fee } = event;
  const ended = state.withdrawals.end(event.withdrawalId);
  const isSame = ended.account === account && ended.asset === asset;
  assert(
    isSame && ended.amount === amount && ended.fee === fee,
    "a withdrawal must end with the terms of its request",
  );
  addBalance(state, observer, SystemAccount.withdrawals, Wallet.spot, asset, -amount);
  if (!event.isCompleted) {
    addBalance(state, observer, account, Wallet.spot, asset, amount);
    return;
  }
  const inside = present(state.deposited[asset], "the asset must be known") - (amount - fee);
  assert(
    state.balances.total(SystemAccount.withdrawals, Wallet.spot, asset) >= 0n,
    "the withdrawals account must not be overdrawn",
  );
  state.deposited[asset] = inside;
  if (fee > 0n) addBalance(state, observer, SystemAccount.fees, Wallet.spot, asset, fee);
}

/** Whether the account's spot wallet has money or open orders, or a withdrawal in progress may return to it. */
export function isSpotWalletInUse(
  { table, balances, orders, withdrawals }: VenueState,
  account: number,
): boolean {
  if (withdrawals.countOf(account) > 0) return true;
  if (table.assets.some(({ id }) => balances.total(account, Wallet.spot, id) !== 0n)) return true;
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (!isPerpetual(table.market(byteAt(orders.market, slot)))) return true;
  }
  return false;
}

/** Makes the spot wallet a mirror, from which transfers and withdrawals are no longer possible. */
function bindWallet(state: VenueState, { account, flags }: WalletBound): void {
  const { accounts } = state;
  assert(
    accounts.typeOf(account) === AccountType.standard,
    "only a standard account can be bound to a party",
  );
  assert(
    !isSpotWalletInUse(state, account),
    "the spot wallet must be unused when it becomes a mirror",
  );
  accounts.setType(account, AccountType.wallet);
  accounts.setFlags(account, flags);
}
