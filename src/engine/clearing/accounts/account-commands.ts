// Decisions about everything that is not an order: accounts, money between wallets, leverage, keys. Each either answers a refusal or writes one unit of one event.

import {
  AccountFlag,
  AccountType,
  everyAccountFlag,
  isCustomerType,
  SystemAccount,
  Wallet,
} from "../../../core/accounts.ts";
import { assert, unreachable } from "../../../core/assert.ts";
import {
  type ChangeKey,
  CommandKind,
  type Credit,
  type OpenAccount,
  type RecordSwapMove,
  type RefillFund,
  type RegisterKey,
  type SetAccountFlags,
  type SetAccountType,
  type SetLeverage,
  type Transfer,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { indexGapMs, keysPerAccountMax } from "../../../core/limits.ts";
import { InsuranceCause } from "../../../core/liquidation.ts";
import { isPerpetual, MarketKind } from "../../../core/markets.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import { available } from "../../risk/margin.ts";
import type { StandingEvent } from "../../state/apply/apply.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { RequestLane } from "../matchers/request-lane.ts";
import type { Admission } from "../orders/admission.ts";
import { leverageShortfall } from "../perpetuals/leverage-change.ts";
import type { MarginFloor } from "../perpetuals/margin-floor.ts";
import type { UnitWriter } from "../units/unit-writer.ts";
import { endRights, mayClose } from "./account-closing.ts";
import { type CustodyCommand, creditMax, decideCustody } from "./custody-decisions.ts";
import { decideMarket, type MarketCommand } from "./market-decisions.ts";
import { decideSwapMove } from "./swap-decisions.ts";

export type AccountCommand =
  | SetLeverage
  | Transfer
  | OpenAccount
  | Credit
  | SetAccountFlags
  | RegisterKey
  | ChangeKey
  | SetAccountType
  | RefillFund
  | RecordSwapMove
  | MarketCommand
  | CustodyCommand;

const unnumbered = { seq: 0, tsUs: 0, isUnitEnd: true };

/** What a change of leverage asks about the account's orders. */
export interface OrdersOnTheirWay {
  /** Orders of a market that are still with its matcher. */
  readonly laneOf: (market: number) => RequestLane;
  readonly admission: Pick<Admission, "allowsLeverage">;
  readonly floor: MarginFloor;
}

/** Decides and, unless it refuses, writes the unit. */
export function decideAccountCommand(
  state: VenueState,
  writer: UnitWriter,
  command: AccountCommand,
  orders: OrdersOnTheirWay,
): RejectReason {
  const decision = decide(state, command, orders);
  if (typeof decision === "number") return decision;
  const key = keyOf(command);
  const closes =
    decision.kind === EventKind.accountTypeSet && decision.accountType === AccountType.closed;
  if (closes) endRights(state, writer, decision.account, command.atUs);
  writer.standing(decision, command.atUs, key === null);
  if (key !== null) {
    const { account, atUs } = command;
    const used = { ...unnumbered, kind: EventKind.requestKeyed, account, ...key };
    writer.standing({ ...used, subject: decision.seq }, atUs);
  }
  return RejectReason.none;
}

/** The idempotency key under which it was asked; null for none. */
export function keyOf(command: AccountCommand): RequestKey | null {
  return "key" in command ? command.key : null;
}

function decide(
  state: VenueState,
  command: AccountCommand,
  orders: OrdersOnTheirWay,
): RejectReason | StandingEvent {
  switch (command.kind) {
    case CommandKind.setLeverage:
      return decideLeverage(state, command, orders);
    case CommandKind.transfer:
      return decideTransfer(state, command, orders);
    case CommandKind.openAccount:
      return decideOpenAccount(state, command);
    case CommandKind.credit:
      return decideCredit(state, command);
    case CommandKind.setAccountFlags:
      return decideFlags(state, command);
    case CommandKind.registerKey:
      return decideRegisterKey(state, command);
    case CommandKind.changeKey:
      return decideChangeKey(state, command);
    case CommandKind.setAccountType:
      return decideType(state, command);
    case CommandKind.setMarketStatus:
    case CommandKind.addMarket:
    case CommandKind.setReference:
    case CommandKind.setRiskTerm:
      return decideMarket(state, command);
    case CommandKind.refillFund:
      return decideRefill(state, command);
    case CommandKind.bindWallet:
    case CommandKind.deposit:
    case CommandKind.requestWithdrawal:
    case CommandKind.endWithdrawal:
    case CommandKind.settleCoins:
      return decideCustody(state, command);
    case CommandKind.recordSwapMove:
      return decideSwapMove(state, command);
    default:
      return unreachable(command);
  }
}

function decideLeverage(
  state: VenueState,
  command: SetLeverage,
  orders: OrdersOnTheirWay,
): RejectReason | StandingEvent {
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

/** Only margin assets may stand in the perp wallet, because nothing else counts there. */
function isPerpAsset(state: VenueState, asset: number): boolean {
  return state.table.markets.some(
    (market) => market.kind === MarketKind.perpetual && market.quote.id === asset,
  );
}

function decideTransfer(
  state: VenueState,
  command: Transfer,
  orders: OrdersOnTheirWay,
): RejectReason | StandingEvent {
  const { account, from, to, asset, amount } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  // Settlement's freeze is about a wallet's coins: margin may still be brought to what is open.
  if (state.accounts.has(account, AccountFlag.frozen)) return RejectReason.accountFrozen;
  if (state.table.assets[asset] === undefined) return RejectReason.walletNotAllowed;
  if (amount <= 0n) return RejectReason.amountNotPositive;
  const touchesSpot = from === Wallet.spot || to === Wallet.spot;
  if (from === to) return RejectReason.walletNotAllowed;
  if (touchesSpot && state.accounts.isWallet(account)) {
    return RejectReason.walletNotAllowed;
  }
  const touchesPerp = from === Wallet.perp || to === Wallet.perp;
  if (touchesPerp && !isPerpAsset(state, asset)) return RejectReason.walletNotAllowed;
  if (from === Wallet.perp && restsOnStaleIndex(state, account, command.atUs)) {
    return RejectReason.indexStale;
  }
  const free =
    from === Wallet.perp
      ? available(state, account) - orders.floor.extraOf(account, 0, 0)
      : state.balances.free(account, from, asset);
  if (free < amount) return RejectReason.insufficientBalance;
  return { ...unnumbered, kind: EventKind.transferred, account, from, to, asset, amount };
}

/**
 * Whether the account has a position or an order in a market whose index nothing measures: what it owes there
 * is not known, and whoever took the depth away could leave with what stands behind it. Spec RSK-39.
 */
function restsOnStaleIndex(state: VenueState, account: number, atUs: number): boolean {
  const { indexes, orders, positions, riskTerms, table } = state;
  const nowUs = Math.max(state.tsUs + 1, atUs);
  return table.markets.some((market) => {
    const { id } = market;
    if (!isPerpetual(market) || riskTerms.of(id, RiskTerm.staleMs) === 0) return false;
    if (!indexes.isStale(id, indexGapMs, nowUs)) return false;
    return positions.qty(account, id) !== 0 || orders.countOf(account, id) > 0;
  });
}

function decideOpenAccount(state: VenueState, command: OpenAccount): RejectReason | StandingEvent {
  assert(isCustomerType(command.accountType), "system accounts exist from the start");
  if (!state.accounts.hasRoom()) return RejectReason.tooManyAccounts;
  return {
    ...unnumbered,
    kind: EventKind.accountOpened,
    account: state.accounts.nextNumber(),
    accountType: command.accountType,
  };
}

/** What of an asset came from outside, or from the faucet, so far. */
function creditedSoFar({ deposited, balances }: VenueState, asset: number, isFromFaucet: boolean) {
  if (!isFromFaucet) return deposited[asset] ?? 0n;
  return -balances.total(SystemAccount.faucet, Wallet.funding, asset);
}

function decideCredit(state: VenueState, command: Credit): RejectReason | StandingEvent {
  const { account, wallet, asset, amount, isFromFaucet } = command;
  if (!state.accounts.exists(account) || account === SystemAccount.faucet) {
    return RejectReason.unknownAccount;
  }
  if (state.table.assets[asset] === undefined) return RejectReason.walletNotAllowed;
  if (amount < 0n) return decideDebit(state, command);
  if (amount === 0n || creditedSoFar(state, asset, isFromFaucet) + amount > creditMax) {
    return RejectReason.amountNotPositive;
  }
  if (wallet === Wallet.perp && !isPerpAsset(state, asset)) return RejectReason.walletNotAllowed;
  const kind = isFromFaucet ? EventKind.granted : EventKind.credited;
  return { ...unnumbered, kind, account, wallet, asset, amount };
}

/**
 * A party of the ledger took coins away, so its mirror has less: no more than what is free or held for swaps,
 * which take it away themselves, because what orders and fills count on has to be dealt with first. Nobody else's money goes like this. Spec SET-6.
 */
function decideDebit(state: VenueState, command: Credit): RejectReason | StandingEvent {
  const { account, wallet, asset, amount, isFromFaucet } = command;
  const isMirror = state.accounts.isWallet(account) && wallet === Wallet.spot;
  if (!isMirror || isFromFaucet) return RejectReason.amountNotPositive;
  const held = state.swapHolds.heldOf(account, asset);
  if (state.balances.free(account, wallet, asset) + held < -amount) {
    return RejectReason.insufficientBalance;
  }
  return { ...unnumbered, kind: EventKind.credited, account, wallet, asset, amount };
}

function decideFlags(state: VenueState, command: SetAccountFlags): RejectReason | StandingEvent {
  const { account, flags, mask } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  assert((mask & ~everyAccountFlag) === 0, "flags are known bits");
  assert((flags & ~mask) === 0, "flags that are set are among those that change");
  const kept = state.accounts.flagsOf(account) & ~mask;
  return { ...unnumbered, kind: EventKind.accountFlagsSet, account, flags: kept | flags };
}

function decideRegisterKey(state: VenueState, command: RegisterKey): RejectReason | StandingEvent {
  const { account, keyId, keyType, tier, permissions } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (state.keys.get(keyId) !== undefined) return RejectReason.keyExists;
  if (state.keys.countOf(account) >= keysPerAccountMax) return RejectReason.tooManyKeysOfAccount;
  if (!state.keys.hasRoom()) return RejectReason.tooManyKeys;
  return {
    ...unnumbered,
    kind: EventKind.keyRegistered,
    account,
    keyId,
    keyType,
    tier,
    permissions,
  };
}

function decideChangeKey(state: VenueState, command: ChangeKey): RejectReason | StandingEvent {
  const key = state.keys.get(command.keyId);
  if (key === undefined) return RejectReason.unknownKey;
  const { expects } = command;
  if (expects !== 0 && expects !== key.permissions) return RejectReason.keyChanged;
  return {
    ...unnumbered,
    kind: EventKind.keyChanged,
    account: key.account,
    keyId: key.keyId,
    tier: command.tier,
    permissions: command.permissions,
    isRevoked: command.isRevoked,
  };
}

/**
 * Between a customer's account and the operator's own; a wallet keeps its type for good. What was never used may
 * be closed. Spec OPS-27, ACC-28.
 */
function decideType(state: VenueState, command: SetAccountType): RejectReason | StandingEvent {
  const { account, accountType } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (accountType === AccountType.closed) {
    if (!mayClose(state, account)) return RejectReason.accountInUse;
    return { ...unnumbered, kind: EventKind.accountTypeSet, account, accountType };
  }
  const isEither = accountType === AccountType.standard || accountType === AccountType.house;
  if (!isEither || state.accounts.isWallet(account)) return RejectReason.walletNotAllowed;
  return { ...unnumbered, kind: EventKind.accountTypeSet, account, accountType };
}

/** The venue's own money alone, as far as positions and orders do not need it. Spec RSK-21. */
function decideRefill(state: VenueState, command: RefillFund): RejectReason | StandingEvent {
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
