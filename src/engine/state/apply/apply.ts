// How events change the state; no other code changes it. Nothing is decided here: an event that does not fit the state
// is a bug or a damaged journal, and fails an assertion. Replay calls the same functions as the live venue, so
// folding the journal reproduces the state.

import { AccountType, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { assert, present, unreachable } from "../../../core/assert.ts";
import {
  type AccountFlagsSet,
  type AccountOpened,
  type AccountTypeSet,
  type CountdownSet,
  type Credited,
  EventKind,
  type Granted,
  type IcebergAccepted,
  type LeverageSet,
  type LiabilitiesStated,
  type MarketAdded,
  type MarketStatusSet,
  type MatchPrevented,
  type MovedBetweenAccounts,
  type OrderAccepted,
  type OrderClosed,
  type OrderListAccepted,
  type OrderPegged,
  type OrderPeggedBehind,
  type OrderReleased,
  type RequestKeyed,
  type SpecialAccepted,
  type SubAccountOpened,
  type SwapMoved,
  type Traded,
  type Transferred,
  type VenueEvent,
} from "../../../core/generated/events.ts";
import { marketsMax } from "../../../core/limits.ts";
import type { StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { closeAccount } from "./account-removal.ts";
import { addBalance } from "./balance-posting.ts";
import { applyGateway, type GatewayEvent } from "./command-posting.ts";
import { applyConnection, type ConnectionEvent } from "./connection-posting.ts";
import { applyCustody } from "./custody-posting.ts";
import { applyFunding } from "./funding-posting.ts";
import { applyMakerGroup } from "./group-posting.ts";
import { refreshHold } from "./holds.ts";
import { applyLiquidation } from "./liquidation-posting.ts";
import { openList, releaseOrder } from "./list-posting.ts";
import {
  changeOrder,
  checkPrevented,
  type OrderChange,
  openSpecial,
  pegOrder,
} from "./order-changes.ts";
import { closeUnfilled, openOrder, trade } from "./order-posting.ts";
import { applyPrice } from "./price-posting.ts";
import { applyReward } from "./reward-posting.ts";
import { applyRights, type RightsEvent } from "./rights-posting.ts";
import { applySwapMove, bookAgainstHolds } from "./swap-posting.ts";

/** Advances the state to the next event; asserts its seq and time. */
export function advance(state: VenueState, seq: number, tsUs: number): void {
  assert(seq === state.seq + 1, "the seqs of events must be gapless");
  assert(tsUs > state.tsUs, "event times must increase");
  state.seq = seq;
  state.tsUs = tsUs;
  const { clientIds, requestKeys } = state;
  if (clientIds !== null && clientIds.expiresUs <= tsUs) clientIds.expire(tsUs);
  if (requestKeys !== null && requestKeys.expiresUs <= tsUs) requestKeys.expire(tsUs);
}

/** Applies one event; asserts that it is the next and fits the state. */
export function apply(
  state: VenueState,
  event: VenueEvent,
  observer: StateObserver | null = null,
): void {
  advance(state, event.seq, event.tsUs);
  switch (event.kind) {
    case EventKind.orderAccepted:
      openOrder(state, event, observer, state.orders.allocate());
      break;
    case EventKind.traded:
      trade(state, event, observer);
      break;
    case EventKind.orderClosed:
      closeUnfilled(state, event, observer);
      break;
    case EventKind.specialAccepted:
    case EventKind.icebergAccepted:
      openSpecial(state, event, observer, state.orders.allocate());
      break;
    case EventKind.orderTriggered:
    case EventKind.orderAmended:
    case EventKind.quoteAmended:
    case EventKind.orderReduced:
      changeOrder(state, event, observer);
      break;
    case EventKind.matchPrevented:
      checkPrevented(state, event);
      break;
    default:
      applyNonOrderEvent(state, event, observer);
      break;
  }
}

type OrderEvent =
  | OrderAccepted
  | SpecialAccepted
  | IcebergAccepted
  | OrderChange
  | MatchPrevented
  | Traded
  | OrderClosed;

export type NonOrderEvent = Exclude<VenueEvent, OrderEvent>;

/** Applies an event that concerns no order; the caller has called `advance`. */
export function applyNonOrderEvent(
  state: VenueState,
  event: NonOrderEvent,
  observer: StateObserver | null,
): void {
  switch (event.kind) {
    case EventKind.accountOpened:
    case EventKind.subAccountOpened:
    case EventKind.accountTypeSet:
    case EventKind.accountFlagsSet:
      setAccount(state, event);
      break;
    case EventKind.credited:
    case EventKind.granted:
    case EventKind.transferred:
    case EventKind.movedBetweenAccounts:
      moveMoney(state, event, observer);
      break;
    case EventKind.keyRegistered:
    case EventKind.keyChanged:
    case EventKind.keyRestricted:
    case EventKind.sessionOpened:
    case EventKind.sessionClosed:
    case EventKind.sessionKeySet:
      applyRights(state, event);
      break;
    case EventKind.marketStatusSet:
    case EventKind.marketAdded:
      setMarket(state, event);
      break;
    case EventKind.leverageSet:
    case EventKind.countdownSet:
    case EventKind.orderListAccepted:
    case EventKind.orderReleased:
    case EventKind.orderPegged:
    case EventKind.orderPeggedBehind:
      changeOrders(state, event, observer);
      break;
    case EventKind.requestKeyed:
      useKey(state, event);
      break;
    default:
      applyVenueEvent(state, event, observer);
      break;
  }
}

/** Events that are about accounts and markets themselves. */
type OwnEvent =
  | AccountChange
  | MoneyMoved
  | OrdersChange
  | RightsEvent
  | MarketStatusSet
  | MarketAdded
  | RequestKeyed;

/** Applies an event of prices, funding, rewards, liquidations, custody, swaps or gateways. */
function applyVenueEvent(
  state: VenueState,
  event: Exclude<NonOrderEvent, OwnEvent>,
  observer: StateObserver | null,
): void {
  switch (event.kind) {
    case EventKind.makerGroupSet:
    case EventKind.makerGroupReset:
      applyMakerGroup(state, event);
      break;
    case EventKind.marked:
    case EventKind.referenceSet:
    case EventKind.basisAveraged:
    case EventKind.riskTermSet:
    case EventKind.indexMeasured:
      applyPrice(state, event);
      break;
    case EventKind.premiumSampled:
    case EventKind.fundingStarted:
    case EventKind.fundingPaid:
      applyFunding(state, event, observer);
      break;
    case EventKind.referred:
    case EventKind.rewarded:
    case EventKind.rewardClaimed:
      applyReward(state, event, observer);
      break;
    case EventKind.liquidationStaged:
    case EventKind.insuranceSettled:
    case EventKind.positionMoved:
    case EventKind.tradingGateSet:
    case EventKind.fundHourSet:
      applyLiquidation(state, event, observer);
      break;
    default:
      applyOutside(state, event, observer);
  }
}

type OutsideEvent =
  | Parameters<typeof applyCustody>[1]
  | SwapMoved
  | GatewayEvent
  | ConnectionEvent
  | LiabilitiesStated;

/** Applies an event of the ledger, of a gateway or of an order connection, or a statement. */
function applyOutside(
  state: VenueState,
  event: OutsideEvent,
  observer: StateObserver | null,
): void {
  switch (event.kind) {
    case EventKind.walletBound:
    case EventKind.withdrawalRequested:
    case EventKind.withdrawalEnded:
    case EventKind.coinsSettled:
      applyCustody(state, event, observer);
      break;
    case EventKind.swapMoved:
      applySwapMove(state, event, observer);
      break;
    case EventKind.originRegistered:
    case EventKind.commandDone:
      applyGateway(state, event);
      break;
    case EventKind.connectionOpened:
    case EventKind.connectionEnded:
    case EventKind.orderBound:
      applyConnection(state, event);
      break;
    case EventKind.liabilitiesStated:
      // A statement is about the state and changes nothing in it.
      break;
    default:
      unreachable(event);
  }
}

type OrdersChange =
  | LeverageSet
  | CountdownSet
  | OrderListAccepted
  | OrderReleased
  | OrderPegged
  | OrderPeggedBehind;

/** Applies an event that concerns several orders of an account, or an order that is on no book. */
function changeOrders(
  state: VenueState,
  event: OrdersChange,
  observer: StateObserver | null,
): void {
  if (event.kind === EventKind.leverageSet) setLeverage(state, event, observer);
  else if (event.kind === EventKind.countdownSet) setCountdown(state, event);
  else if (event.kind === EventKind.orderListAccepted) openList(state, event);
  else if (event.kind === EventKind.orderReleased) releaseOrder(state, event, observer);
  else pegOrder(state, event);
}

type MoneyMoved = Credited | Granted | Transferred | MovedBetweenAccounts;

function moveMoney(state: VenueState, event: MoneyMoved, observer: StateObserver | null): void {
  if (event.kind === EventKind.credited) {
    credit(state, event, observer);
  } else if (event.kind === EventKind.granted) {
    grant(state, event, observer);
  } else {
    const { account, from, to, asset, amount } = event;
    const receiver = event.kind === EventKind.transferred ? account : event.receiver;
    addBalance(state, observer, account, from, asset, -amount);
    addBalance(state, observer, receiver, to, asset, amount);
  }
}

function useKey(state: VenueState, event: RequestKeyed): void {
  // Order ids never exceed the seq, so this is true whether the result is an order id or a seq.
  assert(
    event.subject > 0 && event.subject < event.seq,
    "a request key must refer to an earlier event",
  );
  state.requestKeys?.use(event.account, event, event.subject, event.tsUs);
}

function credit(state: VenueState, event: Credited, observer: StateObserver | null): void {
  const { account, wallet, asset, amount } = event;
  const isMirror = state.accounts.isWallet(account) && wallet === Wallet.spot;
  assert(
    amount > 0n || (amount < 0n && isMirror),
    "only a mirrored wallet may be credited with a negative amount",
  );
  state.deposited[asset] = present(state.deposited[asset], "the asset must be known") + amount;
  if (isMirror) bookAgainstHolds(state, account, asset, amount, observer);
  addBalance(state, observer, account, wallet, asset, amount);
}

/**
 * The granted amount is debited to the faucet's account, which may go below zero, so the venue's total is unchanged.
 * Spec ACC-24.
 */
function grant(state: VenueState, event: Granted, observer: StateObserver | null): void {
  const { account, wallet, asset, amount } = event;
  const { faucet } = SystemAccount;
  assert(
    amount > 0n && account !== faucet,
    "a grant must be positive and go to an account other than the faucet's",
  );
  addBalance(state, observer, account, wallet, asset, amount);
  addBalance(state, observer, faucet, Wallet.funding, asset, -amount);
}

function setCountdown(state: VenueState, { account, market, cancelAtUs }: CountdownSet): void {
  assert(state.accounts.exists(account), "the account of a countdown must exist");
  state.countdowns.set(account, market, cancelAtUs);
}

type AccountChange = AccountOpened | SubAccountOpened | AccountTypeSet | AccountFlagsSet;

function setAccount(state: VenueState, event: AccountChange): void {
  const { accounts } = state;
  const { account } = event;
  if (event.kind === EventKind.accountOpened) {
    accounts.open(account, event.accountType, event.tsUs);
  } else if (event.kind === EventKind.subAccountOpened) {
    accounts.open(account, AccountType.standard, event.tsUs);
    // Withdrawals leave the venue from the owner's account.
    accounts.setFlags(account, 0);
    accounts.adopt(event);
  } else if (event.kind === EventKind.accountFlagsSet) {
    accounts.setFlags(account, event.flags);
  } else if (event.accountType === AccountType.closed) {
    closeAccount(state, account);
  } else {
    // The new type's fee rate applies from the next fill. Holds contain no fees, so they do not change.
    assert(
      accounts.isCustomer(account) && !accounts.isWallet(account),
      "only a customer account that is not wallet-funded may change its type",
    );
    accounts.setType(account, event.accountType);
  }
}

/** An added market exists from this event on, even if this thread's table does not list it yet. */
function setMarket(state: VenueState, event: MarketStatusSet | MarketAdded): void {
  if (event.kind === EventKind.marketAdded) {
    const isNext = event.market === state.marketCount && event.market < marketsMax;
    assert(isNext, "markets must be added in the order of their ids");
    state.marketCount++;
  }
  assert(event.market < state.marketCount, "the market of a status change must exist");
  state.marketStatus[event.market] = event.status;
}

/** Leverage also changes the holds of the account's open orders in the market. */
function setLeverage(state: VenueState, event: LeverageSet, observer: StateObserver | null): void {
  state.positions.setLeverage(event.account, event.market, event.leverage);
  const orders = state.orders;
  for (
    let slot = orders.firstOfAccount(event.account);
    slot >= 0;
    slot = orders.nextOfAccount(slot)
  ) {
    if (orders.market[slot] === event.market) refreshHold(state, slot, observer);
  }
  observer?.positionChanged(event.account, event.market);
}
