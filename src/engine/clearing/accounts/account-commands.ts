// Decisions about accounts: opening and closing, credits, transfers between wallets, leverage, flags. Each function
// returns a refusal or the event to write.
//
// An account that never had money can be closed, and its slot is reused: anybody may open accounts, and unused ones
// must not fill the venue. Account numbers are never reused, so keys, sessions, deposit references and referral codes
// of a closed account refer to no account.

import {
  AccountFlag,
  AccountType,
  everyAccountFlag,
  firstCustomerAccount,
  isCustomerType,
  SystemAccount,
  Wallet,
} from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import {
  CommandKind,
  type Credit,
  type OpenAccount,
  type RefillFund,
  type SetAccountFlags,
  type SetAccountType,
  type SetLeverage,
  type Transfer,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { InsuranceCause } from "../../../core/liquidation.ts";
import { isPerpetual, MarketKind } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { available } from "../../risk/margin.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { RequestLane } from "../matchers/request-lane.ts";
import type { Admission } from "../orders/admission.ts";
import { leverageShortfall } from "../perpetuals/leverage-change.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { creditMax } from "./custody-decisions.ts";
import { endKey } from "./key-commands.ts";
import { endSession } from "./session-commands.ts";
import { refusalOfMove } from "./wallet-moves.ts";

/** The function that decides each kind of command; it returns a refusal or an event. */
export const accountDecisions = {
  [CommandKind.setLeverage]: decideLeverage,
  [CommandKind.transfer]: decideTransfer,
  [CommandKind.openAccount]: decideOpenAccount,
  [CommandKind.credit]: decideCredit,
  [CommandKind.setAccountFlags]: decideFlags,
  [CommandKind.setAccountType]: decideType,
  [CommandKind.refillFund]: decideRefill,
} as const;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

/** The orders in flight that a leverage change has to consider. */
export interface OrdersOnTheirWay {
  /** Returns the lane that holds a market's orders in flight. */
  readonly laneOf: (market: number) => RequestLane;
  readonly admission: Admission;
}

function decideLeverage(
  state: VenueState,
  command: SetLeverage,
  orders: OrdersOnTheirWay,
): RejectReason | NonOrderEvent {
  const market = state.table.markets[command.market];
  if (market === undefined || market.kind !== MarketKind.perpetual) {
    return RejectReason.unknownMarket;
  }
  if (!state.accounts.isCustomer(command.account)) return RejectReason.unknownAccount;
  const { leverage } = command;
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > market.leverageMax) {
    return RejectReason.leverageOutOfRange;
  }
  if (!orders.admission.allowsLeverage(command.account, market.id, leverage)) {
    return RejectReason.positionBeyondLeverage;
  }
  const pending = orders.laneOf(market.id);
  if (leverageShortfall(state, pending, command.account, market, leverage) > 0n) {
    return RejectReason.insufficientBalance;
  }
  return {
    ...unnumbered,
    kind: EventKind.leverageSet,
    account: command.account,
    market: market.id,
    leverage,
  };
}

function decideTransfer(
  state: VenueState,
  command: Transfer,
  { floor }: { readonly floor: MarginFloor },
): RejectReason | NonOrderEvent {
  const { account, from, to, asset, amount } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  const refusal = refusalOfMove(state, command, floor);
  if (refusal !== RejectReason.none) return refusal;
  return { ...unnumbered, kind: EventKind.transferred, account, from, to, asset, amount };
}

function decideOpenAccount(state: VenueState, command: OpenAccount): RejectReason | NonOrderEvent {
  assert(
    isCustomerType(command.accountType),
    "only a customer account can be opened; system accounts exist from the start",
  );
  if (!state.accounts.hasRoom()) return RejectReason.tooManyAccounts;
  return {
    ...unnumbered,
    kind: EventKind.accountOpened,
    account: state.accounts.nextNumber(),
    accountType: command.accountType,
  };
}

/** Minor units of an asset credited so far: by grants of the faucet if `isFromFaucet` is set, otherwise by deposits. */
function creditedSoFar({ deposited, balances }: VenueState, asset: number, isFromFaucet: boolean) {
  if (!isFromFaucet) return deposited[asset] ?? 0n;
  return -balances.total(SystemAccount.faucet, Wallet.funding, asset);
}

function decideCredit(state: VenueState, command: Credit): RejectReason | NonOrderEvent {
  const { account, wallet, asset, amount, isFromFaucet } = command;
  if (!state.accounts.exists(account) || account === SystemAccount.faucet) {
    return RejectReason.unknownAccount;
  }
  if (state.table.assets[asset] === undefined) return RejectReason.walletNotAllowed;
  if (amount < 0n) return decideDebit(state, command);
  if (amount === 0n || creditedSoFar(state, asset, isFromFaucet) + amount > creditMax) {
    return RejectReason.amountNotPositive;
  }
  if (wallet === Wallet.perp && !state.table.isMargin(asset)) return RejectReason.walletNotAllowed;
  const kind = isFromFaucet ? EventKind.granted : EventKind.credited;
  return { ...unnumbered, kind, account, wallet, asset, amount };
}

/**
 * Reduces the mirrored balance of a wallet-funded account whose party has moved coins away. The debit may use the free
 * balance and amounts held for swaps, because a swap's lock moves exactly those coins. Amounts held for orders and
 * unsettled fills cannot be debited. Only wallet-funded accounts are debited this way. Spec SET-6.
 */
function decideDebit(state: VenueState, command: Credit): RejectReason | NonOrderEvent {
  const { account, wallet, asset, amount, isFromFaucet } = command;
  const isMirror = state.accounts.isWallet(account) && wallet === Wallet.spot;
  if (!isMirror || isFromFaucet) return RejectReason.amountNotPositive;
  const held = state.swapHolds.heldOf(account, asset);
  if (state.balances.free(account, wallet, asset) + held < -amount) {
    return RejectReason.insufficientBalance;
  }
  return { ...unnumbered, kind: EventKind.credited, account, wallet, asset, amount };
}

function decideFlags(state: VenueState, command: SetAccountFlags): RejectReason | NonOrderEvent {
  const { account, flags, mask } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  assert((mask & ~everyAccountFlag) === 0, "the mask must contain only known account flags");
  assert((flags & ~mask) === 0, "the flags that are set must be inside the mask");
  // Money leaves the venue from the owner's account only. Spec SUB-8.
  const withdraws = (flags & AccountFlag.canWithdraw) !== 0;
  if (withdraws && state.accounts.isSubAccount(account)) return RejectReason.accountInFamily;
  const kept = state.accounts.flagsOf(account) & ~mask;
  return { ...unnumbered, kind: EventKind.accountFlagsSet, account, flags: kept | flags };
}

/**
 * Changes an account between standard and house type, or closes an unused account. A wallet-funded account keeps its
 * type. Spec OPS-27, ACC-28.
 */
function decideType(state: VenueState, command: SetAccountType): RejectReason | NonOrderEvent {
  const { account, accountType } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (accountType === AccountType.closed) {
    if (!mayClose(state, account)) return RejectReason.accountInUse;
    return { ...unnumbered, kind: EventKind.accountTypeSet, account, accountType };
  }
  if (state.accounts.familyOf(account) !== 0) return RejectReason.accountInFamily;
  const isEither = accountType === AccountType.standard || accountType === AccountType.house;
  if (!isEither || state.accounts.isWallet(account)) return RejectReason.walletNotAllowed;
  return { ...unnumbered, kind: EventKind.accountTypeSet, account, accountType };
}

/** Refills the insurance fund from a house account, with money that no position or order needs. Spec RSK-21. */
function decideRefill(state: VenueState, command: RefillFund): RejectReason | NonOrderEvent {
  const { account, amount } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (!state.accounts.isHouse(account)) return RejectReason.walletNotAllowed;
  if (amount <= 0n) return RejectReason.amountNotPositive;
  const market = state.table.markets.find(isPerpetual);
  if (market === undefined) return RejectReason.unknownMarket;
  if (available(state, account) < amount) return RejectReason.insufficientBalance;
  const { refill: cause } = InsuranceCause;
  const event = { kind: EventKind.insuranceSettled, market: market.id, amount: -amount, cause };
  return { ...unnumbered, ...event, account };
}

/**
 * Whether an open account may be closed for good: it never had money and referred no account that had money; it has no
 * order, TP/SL or remembered idempotency key; its type and flags are unchanged, and none of its keys comes from the
 * operator. An open session keeps the account open, unless the venue is short of accounts. The first account always
 * stays, because the first funding interval counts from its opening. Spec ACC-28, ACC-29.
 */
function mayClose(state: VenueState, account: number): boolean {
  const { accounts, sessions } = state;
  if (!accounts.isCustomer(account) || account === firstCustomerAccount) return false;
  const isPlain =
    accounts.typeOf(account) === AccountType.standard &&
    accounts.flagsOf(account) === AccountFlag.canWithdraw;
  if (!isPlain || accounts.hasTies(account) || accounts.familyOf(account) !== 0) return false;
  if (sessions.ofAccount(account).length > 0 && !accounts.isShort) return false;
  return !isBusy(state, account) && !state.keys.hasOperators(account);
}

/**
 * Whether the account has an order, open or in flight, a TP/SL, an order connection that cancels on disconnect, or an
 * idempotency key that is still remembered.
 */
function isBusy(
  { table, orders, tpSl, connections, requestKeys }: VenueState,
  account: number,
): boolean {
  if ((requestKeys?.countOf(account) ?? 0) > 0 || connections.countOf(account) > 0) return true;
  return table.markets.some(
    ({ id }) => orders.countOf(account, id) > 0 || tpSl.get(account, id) !== undefined,
  );
}

/**
 * Writes the end of the account's sessions and keys. The caller then writes the close of the account, the last event
 * of the transaction.
 */
export function endRights(
  state: VenueState,
  writer: TransactionWriter,
  account: number,
  atUs: number,
): void {
  for (const session of [...state.sessions.ofAccount(account)]) {
    endSession(writer, session, atUs, false);
  }
  for (const key of [...state.keys.ofAccount(account)]) endKey(writer, key, atUs, false);
}
