// Applies order events: opens an order, books a match on both sides, closes an order. Each function preserves
// Reserved = Σ holds + unsettled coins + coins held for swaps, and the sum of cash less entry values.

import { SystemAccount, Wallet } from "../../../core/accounts.ts";
import { amountAt, assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import {
  EventKind,
  type IcebergAccepted,
  type OrderAccepted,
  type OrderAmended,
  type OrderClosed,
  type QuoteAmended,
  type SpecialAccepted,
  type Traded,
  type VenueEvent,
} from "../../../core/generated/events.ts";
import { type Market, MarketKind, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots, bigintOf } from "../../../core/money/amounts.ts";
import {
  CloseReason,
  OrderStatus,
  OrderType,
  opposite,
  Side,
  statusOfClose,
  WorkingPrice,
} from "../../../core/orders.ts";
import { OrderFlag } from "../orders/order-table.ts";
import type { StateObserver } from "../state-observer.ts";
import { changePosition, type PositionChange } from "../tables/positions.ts";
import type { VenueState } from "../venue-state.ts";
import { addBalance, takeBalance } from "./balance-posting.ts";
import { holdUnsettled } from "./custody-posting.ts";
import { countInGroups } from "./group-posting.ts";
import { refreshHold, setHold } from "./holds.ts";
import { leaveList, payPending } from "./list-posting.ts";
import { dropLoss, noteLoss } from "./mark-losses.ts";
import { openingLots, settleMarginLots } from "./position-coverage.ts";
import { countTrade } from "./reward-posting.ts";
import { noteTpSlFill, unlinkLeg } from "./tp-sl-posting.ts";

/** An accepted order of any kind. */
export type AcceptedOrder = OrderAccepted | SpecialAccepted | IcebergAccepted;

/**
 * Opens an order in `slot`; asserts gapless order ids. What clearing reserved for the slot while the order
 * was in flight becomes the order's own hold.
 */
export function openOrder(
  state: VenueState,
  event: OrderAccepted,
  observer: StateObserver | null,
  slot: number,
): void {
  assert(event.qty > 0, "the quantity of an order must be positive");
  setOrder(state, event, slot);
  const { orders } = state;
  orders.flags[slot] = event.isReduceOnly ? OrderFlag.reduceOnly : 0;
  orders.stpMode[slot] = event.stpMode;
  orders.link(slot);
  noteOpened(state, event, slot, observer);
}

/** Updates the derived tables for an order that has just opened and is linked. */
export function noteOpened(
  state: VenueState,
  event: AcceptedOrder,
  slot: number,
  observer: StateObserver | null,
): void {
  state.orders.count(event.account, event.market, 1);
  const market = state.table.market(event.market);
  if (isMargined(state, slot, market)) openLots(state, event);
  else
    assert(event.marginLots === 0, "an order that needs no margin must have no margined quantity");
  if (market.kind === MarketKind.perpetual) {
    noteLoss(state, slot);
    countReducing(state, slot, 1);
  }
  if (event.clientId !== "") state.clientIds?.open(event.account, event.clientId, event.orderId);
  refreshHold(state, slot, observer);
  observer?.orderOpened?.(slot);
}

/** Changes the account's count of reduce-only orders by `change` if the order in `slot` is one and is on its book. */
export function countReducing({ orders }: VenueState, slot: number, change: 1 | -1): void {
  if (!orders.has(slot, OrderFlag.reduceOnly) || !orders.isOnBook(slot)) return;
  orders.countReducing(wordAt(orders.account, slot), byteAt(orders.market, slot), change);
}

/** Sets the columns common to all orders; asserts gapless order ids. */
export function setOrder(state: VenueState, event: AcceptedOrder, slot: number): void {
  assert(event.orderId === state.nextOrderId, "order ids must be gapless");
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
  orders.setQty(slot, event.qty);
  orders.filledQty[slot] = 0;
  orders.filledQuote[slot] = 0n;
  orders.marginLots[slot] = event.marginLots;
  orders.acceptedUs[slot] = event.tsUs;
  orders.updatedUs[slot] = event.tsUs;
  orders.setClientId(slot, event.clientId);
}

/** Whether the order's lots may need margin: it is on the book of a perpetual and not reduce-only. */
export function isMargined({ orders }: VenueState, slot: number, market: Market): boolean {
  if (market.kind !== MarketKind.perpetual || orders.has(slot, OrderFlag.reduceOnly)) return false;
  return orders.isOnBook(slot);
}

/**
 * Counts the lots of a new order; asserts that the event's margined lots are exactly those that the position does not
 * cover.
 */
function openLots(state: VenueState, event: AcceptedOrder): void {
  const { account, market, side, qty: open, marginLots: margined } = event;
  assert(
    margined === openingLots(state, event, 0),
    "the quantity beyond the position must be margined",
  );
  state.sideLots.add(account, market, side, { open, margined });
}

/** Books one match on both orders, both accounts and the fee account. */
export function trade(state: VenueState, event: Traded, observer: StateObserver | null): void {
  assert(event.tradeId === state.nextTradeId, "trade ids must be gapless");
  assert(
    state.accounts.ownerOf(event.account) !== state.accounts.ownerOf(event.makerAccount),
    "accounts of one owner must not trade with each other",
  );
  assert(event.qty > 0, "the quantity of a trade must be positive");
  state.nextTradeId++;
  const market = state.table.market(event.market);
  const value = orderValue(market, asPriceTicks(event.price), asQtyLots(event.qty));
  const taker = state.orders.slotOf(event.takerOrderId);
  const maker = state.orders.slotOf(event.makerOrderId);
  assert(taker >= 0 && maker >= 0, "both orders of a trade must be open");
  assertMatch(state, event, taker, maker);
  if (market.kind === MarketKind.perpetual) {
    assertReduces(state, event, taker);
    assertReduces(state, event, maker);
  }
  const isIceberg = state.orders.has(maker, OrderFlag.iceberg);
  const isSliceFilled = isIceberg && fillSlice(state, maker, event);
  fillOrder(state, taker, market, event, value, observer);
  fillOrder(state, maker, market, event, value, observer);
  if (isSliceFilled && state.orders.remaining(maker) > 0) observer?.sliceShown?.(maker);
  const takerSide = event.takerSide;
  bookSide(state, market, takerSide, value, event, true, observer);
  bookSide(state, market, opposite(takerSide), value, event, false, observer);
  countTrade(state, event, { market, value });
  state.lastPrice[event.market] = event.price;
  if (state.trailing.of(event.market).length > 0) {
    state.trailing.follow(event.market, WorkingPrice.last, event.price);
  }
  settleMarginLots(state, event.account, market, observer);
  settleMarginLots(state, event.makerAccount, market, observer);
  if (market.kind === MarketKind.perpetual) {
    noteTpSlFill(state, taker);
    noteTpSlFill(state, maker);
  }
  countInGroups(state, event, { taker, maker, value });
  if (state.orderLists.count > 0) keepForPending(state, market, event, observer);
  closeIfFilled(state, taker, observer);
  closeIfFilled(state, maker, observer);
}

/** Asserts that the two orders match the event and that the price is acceptable to both. Spec ORD-3. */
function assertMatch(state: VenueState, event: Traded, taker: number, maker: number): void {
  const { orders } = state;
  const { takerSide, price } = event;
  const limit = wordAt(orders.price, taker);
  assert(
    orders.account[taker] === event.account,
    "the incoming order must belong to the account in the event",
  );
  assert(
    orders.account[maker] === event.makerAccount,
    "the resting order must belong to the account in the event",
  );
  assert(
    orders.market[taker] === event.market,
    "the incoming order must be in the market of the event",
  );
  assert(
    orders.market[maker] === event.market,
    "the resting order must be in the market of the event",
  );
  assert(orders.side[taker] === takerSide, "the incoming order must be on the side in the event");
  assert(
    orders.side[maker] === opposite(takerSide),
    "the resting order must be on the opposite side",
  );
  assert(orders.isOnBook(taker) && orders.isOnBook(maker), "orders that trade must be on the book");
  assert(
    orders.price[maker] === price,
    "the price of a fill must be the price of the resting order",
  );
  assert(
    takerSide === Side.buy ? price <= limit : price >= limit,
    "a fill must not be worse than the limit price",
  );
}

/** Asserts that a reduce-only order in the trade reduces its account's position. */
function assertReduces({ orders, positions }: VenueState, event: Traded, slot: number): void {
  if (!orders.has(slot, OrderFlag.reduceOnly)) return;
  const position = positions.qty(wordAt(orders.account, slot), event.market);
  const closable = orders.side[slot] === Side.buy ? -position : position;
  assert(event.qty <= closable, "a reduce-only order must only reduce the position");
}

/** Updates the order's filled quantity and hold. */
function fillOrder(
  state: VenueState,
  slot: number,
  market: Market,
  event: Traded,
  value: bigint,
  observer: StateObserver | null,
): void {
  const orders = state.orders;
  const filled = wordAt(orders.filledQty, slot) + event.qty;
  assert(filled <= wordAt(orders.qty, slot), "an order must not fill beyond its quantity");
  orders.filledQty[slot] = filled;
  orders.filledQuote[slot] = amountAt(orders.filledQuote, slot) + value;
  orders.updatedUs[slot] = event.tsUs;
  if (isMargined(state, slot, market)) fillLots(state, slot, market, event.qty);
  refreshHold(state, slot, observer);
}

/**
 * Takes a fill from the slice that a resting iceberg order shows. True if the slice is filled: the next one, if any, joins
 * the end of the queue. The time of the event is its priority there, and no two events have the same.
 */
function fillSlice({ orders }: VenueState, slot: number, { qty, tsUs }: Traded): boolean {
  const shown = orders.shownLots(slot);
  assert(qty <= shown, "a fill must not exceed what the resting order shows");
  if (qty === shown) orders.requeue(slot, tsUs);
  else orders.shownQty[slot] = shown - qty;
  return qty === shown;
}

/** Unmargined (closing) lots trade first; margined lots are used last. */
function fillLots(state: VenueState, slot: number, market: Market, qty: number): void {
  const { orders, sideLots } = state;
  const before = wordAt(orders.marginLots, slot);
  const after = Math.min(before, orders.remaining(slot));
  const side = orders.side[slot] as Side;
  orders.marginLots[slot] = after;
  sideLots.add(wordAt(orders.account, slot), market.id, side, {
    open: -qty,
    margined: after - before,
  });
}

const before = { qty: 0, entryValue: 0n };
const after: PositionChange = { qty: 0, entryValue: 0n, pnl: 0n };

/** Books the money of one side of a match. The fee goes to the venue's fee account, in the asset that was charged. */
function bookSide(
  state: VenueState,
  market: Market,
  side: Side,
  value: bigint,
  event: Traded,
  isTaker: boolean,
  observer: StateObserver | null,
): void {
  const account = isTaker ? event.account : event.makerAccount;
  const fee = isTaker ? event.takerFee : event.makerFee;
  if (market.kind === MarketKind.perpetual || market.base === null) {
    const pnl = isTaker ? event.takerPnl : event.makerPnl;
    bookPosition(state, market, account, side, value, event.qty, pnl, observer);
    addBalance(state, observer, account, Wallet.perp, market.quote.id, pnl - fee);
    bookFee(state, observer, account, Wallet.perp, market.quote.id, fee);
    return;
  }
  const { base, quote } = market;
  const baseAmount = bigintOf(event.qty) * market.baseUnitsPerLot;
  const isBuy = side === Side.buy;
  const got = isBuy ? base.id : quote.id;
  const given = isBuy ? quote.id : base.id;
  const received = (isBuy ? baseAmount : value) - fee;
  addBalance(state, observer, account, Wallet.spot, got, received);
  takeBalance(state, observer, account, Wallet.spot, given, isBuy ? value : baseAmount);
  bookFee(state, observer, account, Wallet.spot, got, fee);
  if (!isSettledOnLedger(state, event)) return;
  holdUnsettled(state, account, got, received);
  if (fee > 0n) holdUnsettled(state, SystemAccount.fees, got, fee);
}

/** Keeps what the buyer of a match has received for the pending orders of the order, if it pays for any. */
function keepForPending(
  state: VenueState,
  market: Market,
  event: Traded,
  observer: StateObserver | null,
): void {
  const isTaker = event.takerSide === Side.buy;
  const orderId = isTaker ? event.takerOrderId : event.makerOrderId;
  const fee = isTaker ? event.takerFee : event.makerFee;
  // Coins that are settled on the ledger are locked until then.
  const received = isSettledOnLedger(state, event)
    ? 0n
    : bigintOf(event.qty) * market.baseUnitsPerLot - fee;
  payPending(state, orderId, { lots: event.qty, received }, observer);
}

/**
 * Whether a spot fill is settled on the ledger: at least one of the two accounts is wallet-funded, with its own ledger
 * party.
 */
function isSettledOnLedger({ accounts }: VenueState, event: Traded): boolean {
  return accounts.isWallet(event.account) || accounts.isWallet(event.makerAccount);
}

/** Moves a fee charged to `account` to the venue's fee account. */
function bookFee(
  state: VenueState,
  observer: StateObserver | null,
  account: number,
  wallet: Wallet,
  asset: number,
  fee: bigint,
): void {
  if (fee === 0n) return;
  addBalance(state, observer, SystemAccount.fees, wallet, asset, fee);
  state.feesPaid.add(account, asset, fee);
}

function bookPosition(
  state: VenueState,
  market: Market,
  account: number,
  side: Side,
  value: bigint,
  qty: number,
  pnl: bigint,
  observer: StateObserver | null,
): void {
  before.qty = state.positions.qty(account, market.id);
  before.entryValue = state.positions.entryValue(account, market.id);
  changePosition(before, side === Side.buy ? qty : -qty, value, after);
  assert(
    after.pnl === pnl,
    "the profit in the event must be equal to the computed profit of the position",
  );
  state.positions.set(account, market.id, after);
  observer?.positionChanged(account, market.id);
}

function closeIfFilled(state: VenueState, slot: number, observer: StateObserver | null): void {
  if (state.orders.remaining(slot) === 0) closeOrder(state, slot, OrderStatus.filled, observer);
  else observer?.orderChanged?.(slot);
}

/** Closes an order that is not fully filled. */
export function closeUnfilled(
  state: VenueState,
  event: OrderClosed,
  observer: StateObserver | null,
): void {
  const slot = state.orders.slotOf(event.orderId);
  assert(slot >= 0, "an order must be open when it is closed");
  assert(
    state.orders.account[slot] === event.account,
    "the account in the event must own the closed order",
  );
  assert(
    state.orders.market[slot] === event.market,
    "the market in the event must be the market of the closed order",
  );
  state.orders.updatedUs[slot] = event.tsUs;
  if (event.reason === CloseReason.triggerRefused) {
    state.orders.flags[slot] = byteAt(state.orders.flags, slot) | OrderFlag.refused;
  }
  closeOrder(state, slot, statusOfClose(event.reason), observer);
}

function closeOrder(
  state: VenueState,
  slot: number,
  status: OrderStatus,
  observer: StateObserver | null,
): void {
  const orders = state.orders;
  const account = wordAt(orders.account, slot);
  const market = state.table.market(byteAt(orders.market, slot));
  if (market.kind === MarketKind.perpetual) {
    dropLoss(state, slot);
    countReducing(state, slot, -1);
  }
  setHold(state, slot, market, 0n, observer);
  if (isMargined(state, slot, market)) closeLots(state, slot, market);
  if (orders.isOffBook(slot)) {
    leaveTrailing(state, slot);
    unlinkLeg(state, slot, false);
  }
  forgetClientId(state, slot, account);
  state.connections.forget(numberAt(orders.orderId, slot));
  orders.unlink(slot);
  orders.count(account, market.id, -1);
  observer?.orderClosed?.(slot, status);
  if (orders.has(slot, OrderFlag.listed)) leaveList(state, slot, observer);
  orders.free(slot);
  settleMarginLots(state, account, market, observer);
}

/** The client order id of a closing order may be used again after ten minutes, that of a quote at once. */
function forgetClientId({ clientIds, orders, tsUs }: VenueState, slot: number, account: number) {
  if (clientIds === null) return;
  const key = orders.clientIdKey(slot);
  if (key === null) return;
  if (orders.quoteSide(slot) >= 0) clientIds.forget(account, orders.chosenClientId(slot));
  else clientIds.close(account, key, tsUs);
}

/** Removes an order that no longer waits from the list of trailing orders, if it is a trailing order. */
export function leaveTrailing({ orders, trailing }: VenueState, slot: number): void {
  const isTrailing = orders.type[slot] === OrderType.trailingStopMarket;
  if (isTrailing) trailing.remove(byteAt(orders.market, slot), slot);
}

/** Subtracts the remaining lots of a closing order from the open and margined lots of its side. */
function closeLots(state: VenueState, slot: number, market: Market): void {
  const { orders, sideLots } = state;
  const margined = -wordAt(orders.marginLots, slot);
  const side = orders.side[slot] as Side;
  const open = -orders.remaining(slot);
  sideLots.add(wordAt(orders.account, slot), market.id, side, { open, margined });
}

/** An amendment, by its owner's amend or by a mass quote. */
export type Amendment = OrderAmended | QuoteAmended;

export function isAmendment(event: VenueEvent): event is Amendment {
  return event.kind === EventKind.orderAmended || event.kind === EventKind.quoteAmended;
}
