// Decisions about deposits, withdrawals and accounts that mirror a ledger party. Each function returns a refusal or the
// event to write.

import { AccountFlag, AccountType, Wallet } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import {
  type BindWallet,
  CommandKind,
  type Deposit,
  type EndWithdrawal,
  type RecordSwapMove,
  type RequestWithdrawal,
  type SettleCoins,
} from "../../../core/generated/commands.ts";
import { EventKind, type SwapMoved } from "../../../core/generated/events.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import { isSpotWalletInUse } from "../../state/apply/custody-posting.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** The function that decides each kind of command; it returns a refusal or an event. */
export const custodyDecisions = {
  [CommandKind.bindWallet]: decideBinding,
  [CommandKind.deposit]: decideDeposit,
  [CommandKind.requestWithdrawal]: decideWithdrawal,
  [CommandKind.endWithdrawal]: decideWithdrawalEnd,
  [CommandKind.settleCoins]: decideSettled,
  [CommandKind.recordSwapMove]: decideSwapMove,
} as const;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

/** Largest sum of credits of an asset, in minor units: keeps totals far inside an int64. */
export const creditMax = 2n ** 60n;

/** Makes a standard account wallet-funded. Spec WAL-1. */
function decideBinding(state: VenueState, { account }: BindWallet): RejectReason | NonOrderEvent {
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (state.accounts.typeOf(account) !== AccountType.standard) return RejectReason.walletNotAllowed;
  if (state.accounts.familyOf(account) !== 0) return RejectReason.accountInFamily;
  if (isSpotWalletInUse(state, account)) return RejectReason.spotWalletInUse;
  // A wallet-funded account cannot withdraw here, because its party holds the coins. It may trade once the party has
  // accepted MemberAuth.
  const flags = state.accounts.flagsOf(account) & AccountFlag.frozen;
  return { ...unnumbered, kind: EventKind.walletBound, account, flags };
}

/** Credits a deposit to the funding wallet. Spec DEP-2. */
function decideDeposit(
  state: VenueState,
  { account, asset, amount }: Deposit,
): RejectReason | NonOrderEvent {
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (state.table.assets[asset] === undefined) return RejectReason.walletNotAllowed;
  if (amount <= 0n || (state.deposited[asset] ?? 0n) + amount > creditMax) {
    return RejectReason.amountNotPositive;
  }
  const wallet = Wallet.funding;
  return { ...unnumbered, kind: EventKind.credited, account, wallet, asset, amount };
}

/** Takes the amount of a withdrawal from the spot wallet. Spec WDR-1. */
function decideWithdrawal(
  state: VenueState,
  command: RequestWithdrawal,
): RejectReason | NonOrderEvent {
  const { accounts, balances, withdrawals, table } = state;
  const { account, asset, amount, fee, withdrawalId } = command;
  if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (accounts.isWallet(account)) return RejectReason.walletNotAllowed;
  if (!accounts.has(account, AccountFlag.canWithdraw)) return RejectReason.withdrawalNotPermitted;
  if (accounts.isFrozen(account)) return RejectReason.accountFrozen;
  if (table.assets[asset] === undefined) return RejectReason.walletNotAllowed;
  if (fee < 0n || amount <= fee) return RejectReason.amountNotPositive;
  if (balances.free(account, Wallet.spot, asset) < amount) return RejectReason.insufficientBalance;
  if (!withdrawals.hasRoom(account)) return RejectReason.tooManyWithdrawals;
  const { destinationHigh, destinationLow } = command;
  assert(
    Number.isSafeInteger(withdrawalId) && withdrawalId > 0,
    "the number of a withdrawal must be a positive safe integer",
  );
  assert(withdrawals.of(withdrawalId) === undefined, "the number of a withdrawal must be new");
  return {
    ...unnumbered,
    kind: EventKind.withdrawalRequested,
    account,
    withdrawalId,
    asset,
    amount,
    fee,
    destinationHigh,
    destinationLow,
  };
}

function decideWithdrawalEnd(
  state: VenueState,
  { withdrawalId, isCompleted }: EndWithdrawal,
): RejectReason | NonOrderEvent {
  const pending = state.withdrawals.of(withdrawalId);
  if (pending === undefined) return RejectReason.unknownWithdrawal;
  assert(
    pending.withdrawalId === withdrawalId,
    "the withdrawal in progress must have the number under which it is stored",
  );
  assert(pending.fee >= 0n && pending.fee < pending.amount, "the fee must be below the amount");
  return { ...unnumbered, kind: EventKind.withdrawalEnded, ...pending, isCompleted };
}

/** Records that locked coins of an account are settled. Spec SET-12. */
function decideSettled(
  state: VenueState,
  { account, asset, amount }: SettleCoins,
): RejectReason | NonOrderEvent {
  if (amount <= 0n) return RejectReason.amountNotPositive;
  // Only existing accounts and listed assets have unsettled amounts.
  if (amount > state.unsettled.of(account, asset)) return RejectReason.insufficientBalance;
  return { ...unnumbered, kind: EventKind.coinsSettled, account, asset, amount };
}

/**
 * Records one step of a swap, which is decided and carried out in settlement. Clearing only assigns the step a seq,
 * exactly once: settlement numbers its steps, and a step already journaled is refused. Asserts that no step is
 * missing. Spec RFQ-10.
 */
function decideSwapMove(state: VenueState, command: RecordSwapMove): RejectReason | SwapMoved {
  const { account, moveNo, swapNo, market, side, from, to, reason } = command;
  const { price, lots, digestHigh, digestLow } = command;
  if (moveNo <= state.swapMoves) return RejectReason.swapMoveKnown;
  assert(moveNo === state.swapMoves + 1, "the numbers of swap steps must be gapless");
  state.table.market(market);
  return {
    ...{ seq: 0, tsUs: 0, isTransactionEnd: true, kind: EventKind.swapMoved, account },
    ...{ moveNo, swapNo, market, side, from, to, reason, price, lots, digestHigh, digestLow },
  };
}
