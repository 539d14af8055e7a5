// Withdrawals under way: their money is the venue's account of withdrawals' until they end. Paid, it leaves
// the venue but for the fee; not paid, all of it goes back to the spot wallet it came from.
//
//   spot wallet ──requested──▶ account of withdrawals ──completed──▶ ledger, and fee to the fee account
//        ▲                              │
//        └────────────failed────────────┘

import { AccountType, SystemAccount, Wallet } from "../../core/accounts.ts";
import { assert, present } from "../../core/assert.ts";
import { byteAt } from "../../core/cells.ts";
import {
  type CoinsSettled,
  EventKind,
  type WalletBound,
  type WithdrawalEnded,
  type WithdrawalRequested,
} from "../../core/events.ts";
import { withdrawalsMax, withdrawalsPerAccountMax } from "../../core/limits.ts";
import { isPerpetual } from "../../core/markets.ts";
import { addBalance } from "./balance-posting.ts";
import type { StateObserver } from "./state-observer.ts";
import { settleCoins } from "./unsettled-coins.ts";
import type { VenueState } from "./venue-state.ts";

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

/** What the events of custody do: wallets are bound, money leaves and comes back, coins arrive. */
export function applyCustody(
  state: VenueState,
  event: WalletBound | WithdrawalRequested | WithdrawalEnded | CoinsSettled,
  observer: StateObserver,
): void {
  if (event.kind === EventKind.walletBound) bindWallet(state, event);
  else if (event.kind === EventKind.withdrawalRequested) beginWithdrawal(state, event, observer);
  else if (event.kind === EventKind.withdrawalEnded) endWithdrawal(state, event, observer);
  else settleCoins(state, event, observer);
}

function beginWithdrawal(
  state: VenueState,
  event: WithdrawalRequested,
  observer: StateObserver,
): void {
  const { account, withdrawalId, asset, amount, fee } = event;
  assert(fee >= 0n && fee < amount, "a withdrawal pays more than its fee");
  state.withdrawals.begin({ withdrawalId, account, asset, amount, fee });
  addBalance(state, observer, account, Wallet.spot, asset, -amount);
  addBalance(state, observer, SystemAccount.withdrawals, Wallet.spot, asset, amount);
}

function endWithdrawal(state: VenueState, event: WithdrawalEnded, observer: StateObserver): void {
  const { account, asset, amount, fee } = event;
  const ended = state.withdrawals.end(event.withdrawalId);
  const isSame = ended.account === account && ended.asset === asset;
  assert(isSame && ended.amount === amount && ended.fee === fee, "it ends as it began");
  addBalance(state, observer, SystemAccount.withdrawals, Wallet.spot, asset, -amount);
  if (!event.isCompleted) {
    addBalance(state, observer, account, Wallet.spot, asset, amount);
    return;
  }
  const inside = present(state.deposited[asset], "asset") - (amount - fee);
  assert(state.balances.total(SystemAccount.withdrawals, Wallet.spot, asset) >= 0n, "it was there");
  state.deposited[asset] = inside;
  if (fee > 0n) addBalance(state, observer, SystemAccount.fees, Wallet.spot, asset, fee);
}

/** Whether anything stands in the account's spot wallet, or is on its way back to it. */
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

/** The spot wallet becomes a mirror: nothing is transferred or withdrawn from it any more. */
function bindWallet(state: VenueState, { account, flags }: WalletBound): void {
  const { accounts } = state;
  assert(accounts.typeOf(account) === AccountType.standard, "a standard account is bound once");
  assert(!isSpotWalletInUse(state, account), "a mirror begins empty");
  accounts.setType(account, AccountType.wallet);
  accounts.setFlags(account, flags);
}
