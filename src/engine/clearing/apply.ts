// How events change the state: the only code that does. Nothing here decides; an event that does
// not fit the state is a bug or a damaged journal, and asserts. Replay calls the same functions as
// the live venue, so folding the journal gives the same state by construction.

import { SystemAccount, Wallet } from "../../core/accounts.ts";
import { asPriceTicks, asQtyLots } from "../../core/amounts.ts";
import { assert, unreachable } from "../../core/assert.ts";
import {
  EventKind,
  type KeyChanged,
  type LeverageSet,
  type OrderAccepted,
  type OrderClosed,
  type Traded,
  type VenueEvent,
} from "../../core/events.ts";
import { type Market, MarketKind, orderValue } from "../../core/markets.ts";
import { OrderStatus, opposite, Side, statusOfClose } from "../../core/orders.ts";
import { changePosition, type PositionChange } from "./positions.ts";
import { heldAsset, holdOf, walletOf } from "./reservations.ts";
import type { VenueState } from "./venue-state.ts";

/** Told what an event touched, after the fact; a read model marks or renders what changed. */
export interface StateObserver {
  orderOpened(slot: number): void;
  orderChanged(slot: number): void;
  /** The order is final; its slot is still readable and freed right after. */
  orderClosed(slot: number, status: OrderStatus): void;
  balanceChanged(account: number, wallet: Wallet, asset: number): void;
  positionChanged(account: number, market: number): void;
}

/** Watches nothing. */
export const idleObserver: StateObserver = {
  orderOpened() {},
  orderChanged() {},
  orderClosed() {},
  balanceChanged() {},
  positionChanged() {},
};

/**
 * Applies one event. Asserts that it is the next in seq, later in time, and fits the state.
 * `slot` is clearing's slot of an accepted order; elsewhere the table chooses one.
 */
export function apply(
  state: VenueState,
  event: VenueEvent,
  observer: StateObserver = idleObserver,
  slot?: number,
): void {
  assert(event.seq === state.seq + 1, `seq ${event.seq} follows ${state.seq}`);
  assert(event.tsUs > state.tsUs, "event time goes forward");
  state.seq = event.seq;
  state.tsUs = event.tsUs;
  state.clientIds?.expire(event.tsUs);
  switch (event.kind) {
    case EventKind.orderAccepted:
      return openOrder(state, event, observer, slot ?? state.orders.allocate());
    case EventKind.traded:
      return trade(state, event, observer);
    case EventKind.orderClosed:
      return closeUnfilled(state, event, observer);
    default:
      return applyStanding(state, event, observer);
  }
}

type StandingEvent = Exclude<VenueEvent, OrderAccepted | Traded | OrderClosed>;

/** Events about accounts, money from outside, keys and markets. */
function applyStanding(state: VenueState, event: StandingEvent, observer: StateObserver): void {
  switch (event.kind) {
    case EventKind.accountOpened:
      return state.accounts.open(event.account, event.accountType, event.tsUs);
    case EventKind.credited:
      assert(event.amount > 0n, "a credit is positive");
      state.deposited[event.asset] = (state.deposited[event.asset] ?? 0n) + event.amount;
      return addBalance(state, observer, event.account, event.wallet, event.asset, event.amount);
    case EventKind.transferred:
      addBalance(state, observer, event.account, event.from, event.asset, -event.amount);
      return addBalance(state, observer, event.account, event.to, event.asset, event.amount);
    case EventKind.leverageSet:
      return setLeverage(state, event, observer);
    case EventKind.accountFlagsSet:
      assert(state.accounts.exists(event.account), "flags belong to an account");
      state.accounts.flags[event.account] = event.flags;
      return;
    case EventKind.keyRegistered:
      return state.keys.register({
        keyId: event.keyId,
        account: event.account,
        keyType: event.keyType,
        tier: event.tier,
        permissions: event.permissions,
        isRevoked: false,
      });
    case EventKind.keyChanged:
      return changeKey(state, event);
    case EventKind.marketStatusSet:
      state.table.market(event.market);
      state.marketStatus[event.market] = event.status;
      return;
    default:
      return unreachable(event);
  }
}

function addBalance(
  state: VenueState,
  observer: StateObserver,
  account: number,
  wallet: Wallet,
  asset: number,
  amount: bigint,
): void {
  state.balances.add(account, wallet, asset, amount);
  observer.balanceChanged(account, wallet, asset);
}

function changeKey(state: VenueState, event: KeyChanged): void {
  const key = state.keys.get(event.keyId);
  assert(key !== undefined, "a changed key is registered");
  assert(!key.isRevoked, "a revoked key never changes");
  key.tier = event.tier;
  key.permissions = event.permissions;
  key.isRevoked = event.isRevoked;
}

/** Leverage also changes what the account's open orders in the market hold. */
function setLeverage(state: VenueState, event: LeverageSet, observer: StateObserver): void {
  state.positions.setLeverage(event.account, event.market, event.leverage);
  const orders = state.orders;
  for (
    let slot = orders.firstOfAccount(event.account);
    slot >= 0;
    slot = orders.nextOfAccount(slot)
  ) {
    if (orders.market[slot] === event.market) refreshHold(state, slot, observer);
  }
  observer.positionChanged(event.account, event.market);
}

function openOrder(
  state: VenueState,
  event: OrderAccepted,
  observer: StateObserver,
  slot: number,
): void {
  assert(event.orderId === state.nextOrderId, "order ids are gapless");
  assert(event.qty > 0, "an order has a quantity");
  state.nextOrderId++;
  const orders = state.orders;
  orders.orderId[slot] = event.orderId;
  orders.account[slot] = event.account;
  orders.market[slot] = event.market;
  orders.side[slot] = event.side;
  orders.type[slot] = event.type;
  orders.timeInForce[slot] = event.timeInForce;
  orders.price[slot] = event.price;
  orders.marginPrice[slot] = event.marginPrice;
  orders.qty[slot] = event.qty;
  orders.filledQty[slot] = 0;
  orders.filledQuote[slot] = 0n;
  orders.marginLots[slot] = event.marginLots;
  orders.reserved[slot] = 0n;
  orders.acceptedUs[slot] = event.tsUs;
  orders.updatedUs[slot] = event.tsUs;
  orders.setClientId(slot, event.clientId);
  orders.link(slot);
  orders.count(event.account, event.market, 1);
  if (event.clientId !== "") state.clientIds?.open(event.account, event.clientId, event.orderId);
  refreshHold(state, slot, observer);
  observer.orderOpened(slot);
}

/** Sets what the order in `slot` holds to what its open part needs now. */
function refreshHold(state: VenueState, slot: number, observer: StateObserver): void {
  const orders = state.orders;
  const account = orders.account[slot] ?? 0;
  const market = state.table.market(orders.market[slot] ?? 0);
  const side = orders.side[slot] as Side;
  const remaining = orders.remaining(slot);
  const hold =
    remaining === 0
      ? 0n
      : holdOf(market, {
          side,
          price: orders.price[slot] ?? 0,
          qty: remaining,
          marginPrice: orders.marginPrice[slot] ?? 0,
          marginLots: orders.marginLots[slot] ?? 0,
          leverage: state.positions.leverage(account, market.id),
        });
  setHold(state, slot, market, hold, observer);
}

function setHold(
  state: VenueState,
  slot: number,
  market: Market,
  hold: bigint,
  observer: StateObserver,
): void {
  const orders = state.orders;
  const before = orders.reserved[slot] ?? 0n;
  if (hold === before) return;
  const account = orders.account[slot] ?? 0;
  const wallet = walletOf(market);
  const asset = heldAsset(market, orders.side[slot] as Side);
  if (hold > before) state.balances.reserve(account, wallet, asset, hold - before);
  else state.balances.release(account, wallet, asset, before - hold);
  orders.reserved[slot] = hold;
  observer.balanceChanged(account, wallet, asset);
}

function trade(state: VenueState, event: Traded, observer: StateObserver): void {
  assert(event.tradeId === state.nextTradeId, "trade ids are gapless");
  assert(event.account !== event.makerAccount, "no account trades with itself");
  assert(event.qty > 0, "a trade has a quantity");
  state.nextTradeId++;
  const market = state.table.market(event.market);
  const value = orderValue(market, asPriceTicks(event.price), asQtyLots(event.qty));
  const taker = state.orders.slotOf(event.takerOrderId);
  const maker = state.orders.slotOf(event.makerOrderId);
  assert(taker >= 0 && maker >= 0, "both orders of a trade are open");
  fillOrder(state, taker, event, value, observer);
  fillOrder(state, maker, event, value, observer);
  const takerSide = event.takerSide;
  bookSide(state, market, takerSide, value, event, true, observer);
  bookSide(state, market, opposite(takerSide), value, event, false, observer);
  state.lastPrice[event.market] = event.price;
  closeIfFilled(state, taker, observer);
  closeIfFilled(state, maker, observer);
}

/** The order's own figures and its hold. */
function fillOrder(
  state: VenueState,
  slot: number,
  event: Traded,
  value: bigint,
  observer: StateObserver,
): void {
  const orders = state.orders;
  const filled = (orders.filledQty[slot] ?? 0) + event.qty;
  assert(filled <= (orders.qty[slot] ?? 0), "no order fills beyond its quantity");
  orders.filledQty[slot] = filled;
  orders.filledQuote[slot] = (orders.filledQuote[slot] ?? 0n) + value;
  orders.updatedUs[slot] = event.tsUs;
  refreshHold(state, slot, observer);
}

const positionScratch: PositionChange = { qty: 0, entryValue: 0n, pnl: 0n };

/** One side's money. Fees go to the venue's fee account in the asset they were taken in. */
function bookSide(
  state: VenueState,
  market: Market,
  side: Side,
  value: bigint,
  event: Traded,
  isTaker: boolean,
  observer: StateObserver,
): void {
  const account = isTaker ? event.account : event.makerAccount;
  const fee = isTaker ? event.takerFee : event.makerFee;
  if (market.kind === MarketKind.perpetual || market.base === null) {
    const pnl = isTaker ? event.takerPnl : event.makerPnl;
    bookPosition(state, market, account, side, value, event.qty, pnl, observer);
    addBalance(state, observer, account, Wallet.perp, market.quote.id, pnl - fee);
    if (fee !== 0n) {
      addBalance(state, observer, SystemAccount.fees, Wallet.perp, market.quote.id, fee);
    }
    return;
  }
  const baseAmount = BigInt(event.qty) * market.baseUnitsPerLot;
  const base = market.base.id;
  const quote = market.quote.id;
  const isBuy = side === Side.buy;
  addBalance(state, observer, account, Wallet.spot, base, isBuy ? baseAmount - fee : -baseAmount);
  addBalance(state, observer, account, Wallet.spot, quote, isBuy ? -value : value - fee);
  if (fee !== 0n) {
    addBalance(state, observer, SystemAccount.fees, Wallet.spot, isBuy ? base : quote, fee);
  }
}

function bookPosition(
  state: VenueState,
  market: Market,
  account: number,
  side: Side,
  value: bigint,
  qty: number,
  pnl: bigint,
  observer: StateObserver,
): void {
  const before = {
    qty: state.positions.qty(account, market.id),
    entryValue: state.positions.entryValue(account, market.id),
  };
  changePosition(before, side === Side.buy ? qty : -qty, value, positionScratch);
  assert(positionScratch.pnl === pnl, "the event's profit is the position's");
  state.positions.set(account, market.id, positionScratch);
  observer.positionChanged(account, market.id);
}

function closeIfFilled(state: VenueState, slot: number, observer: StateObserver): void {
  if (state.orders.remaining(slot) === 0) closeOrder(state, slot, OrderStatus.filled, observer);
  else observer.orderChanged(slot);
}

function closeUnfilled(state: VenueState, event: OrderClosed, observer: StateObserver): void {
  const slot = state.orders.slotOf(event.orderId);
  assert(slot >= 0, "a closed order was open");
  assert(state.orders.account[slot] === event.account, "an order closes for its owner");
  state.orders.updatedUs[slot] = event.tsUs;
  closeOrder(state, slot, statusOfClose(event.reason), observer);
}

function closeOrder(
  state: VenueState,
  slot: number,
  status: OrderStatus,
  observer: StateObserver,
): void {
  const orders = state.orders;
  const account = orders.account[slot] ?? 0;
  const market = state.table.market(orders.market[slot] ?? 0);
  setHold(state, slot, market, 0n, observer);
  const chosen = state.clientIds === null ? "" : orders.chosenClientId(slot);
  if (chosen !== "") state.clientIds?.close(account, chosen, state.tsUs);
  orders.unlink(slot);
  orders.count(account, market.id, -1);
  observer.orderClosed(slot, status);
  orders.free(slot);
}
