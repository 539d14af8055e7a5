// Applies events of special orders (those with options) and order changes: a special order opens or waits, a
// waiting order goes to its book, an open order is amended or reduced. Called only by `apply` and the
// transaction writer; each function preserves Reserved = Σ holds.

import { assert, byteAt, unreachable, wordAt } from "../../../core/assert.ts";
import {
  EventKind,
  type IcebergAccepted,
  type MatchPrevented,
  type OrderPegged,
  type OrderPeggedBehind,
  type OrderReduced,
  type OrderTriggered,
  type SpecialAccepted,
} from "../../../core/generated/events.ts";
import {
  isConditional,
  noOptions,
  type OrderOptions,
  OrderType,
  Peg,
  type Side,
  StpMode,
} from "../../../core/orders.ts";
import { OrderFlag, type OrderTable, SlotState } from "../orders/order-table.ts";
import { watchedPrice } from "../orders/trigger-terms.ts";
import type { StateObserver } from "../state-observer.ts";
import type { VenueState } from "../venue-state.ts";
import { refreshHold } from "./holds.ts";
import { leavePending, listFlagsOf } from "./list-posting.ts";
import { noteLoss } from "./mark-losses.ts";
import {
  type Amendment,
  countReducing,
  isMargined,
  leaveTrailing,
  noteOpened,
  setOrder,
} from "./order-posting.ts";
import { settleMarginLots } from "./position-coverage.ts";
import { linkLeg, unlinkLeg } from "./tp-sl-posting.ts";

/** Opens a special order in `slot`: on its book, or waiting for its trigger. */
export function openSpecial(
  state: VenueState,
  event: SpecialAccepted | IcebergAccepted,
  observer: StateObserver | null,
  slot: number,
): void {
  const { orders, trailing } = state;
  const listFlags = listFlagsOf(state, event.orderId);
  const isPending = (listFlags & OrderFlag.pending) !== 0;
  assert(hasQty(event) || isPending, "the quantity of an order must be positive");
  setOrder(state, event, slot);
  if (event.kind === EventKind.specialAccepted) setSpecial(orders, slot, event, 0);
  else setSpecial(orders, slot, { ...noOptions, ...event }, event.icebergQty);
  orders.flags[slot] = byteAt(orders.flags, slot) | listFlags;
  const waits = isPending || isConditional(event.type);
  orders.link(slot, waits ? SlotState.waiting : SlotState.open);
  if (event.kind === EventKind.specialAccepted && event.type === OrderType.trailingStopMarket) {
    trailing.add(event.market, slot);
    const price = watchedPrice(state, event.market, event.workingPrice);
    trailing.followOne(slot, event.workingPrice, price);
  }
  noteOpened(state, event, slot, observer);
  if (waits && event.kind === EventKind.specialAccepted) linkLeg(state, event);
}

function hasQty(event: SpecialAccepted | IcebergAccepted): boolean {
  if (event.kind === EventKind.icebergAccepted) {
    const { icebergQty, qty } = event;
    assert(icebergQty > 0, "the slice of an iceberg order must be positive");
    return icebergQty < qty;
  }
  return event.qty > 0 || event.closesPosition || event.quoteQty > 0n;
}

/** Sets the columns that only special orders use; a plain order sets only its flags and self-trade prevention mode. */
function setSpecial(
  orders: OrderTable,
  slot: number,
  event: Omit<OrderOptions, "icebergQty" | "peg" | "pegOffset">,
  icebergQty: number,
): void {
  orders.flags[slot] =
    OrderFlag.special |
    (event.isReduceOnly ? OrderFlag.reduceOnly : 0) |
    (event.closesPosition ? OrderFlag.closesPosition : 0) |
    (icebergQty > 0 ? OrderFlag.iceberg : 0);
  orders.icebergQty[slot] = icebergQty;
  orders.shownQty[slot] = 0;
  orders.peg[slot] = Peg.none;
  orders.pegOffset[slot] = 0;
  orders.stpMode[slot] = event.stpMode;
  orders.quoteQty[slot] = event.quoteQty;
  orders.goodTillUs[slot] = event.goodTillUs;
  orders.triggerPrice[slot] = event.triggerPrice;
  orders.workingPrice[slot] = event.workingPrice;
  orders.trailingBps[slot] = event.trailingBps;
  orders.activationPrice[slot] = event.activationPrice;
  orders.bestPrice[slot] = 0;
  orders.triggeredUs[slot] = 0;
}

/** Pegs an order that waits; its acceptance has just been applied. */
export function pegOrder({ orders }: VenueState, event: OrderPegged | OrderPeggedBehind): void {
  const slot = orders.slotOf(event.orderId);
  assert(slot >= 0 && orders.isOffBook(slot), "an order must wait when it is pegged");
  assert(orders.account[slot] === event.account, "the account in the event must own the order");
  assert(orders.has(slot, OrderFlag.special), "a pegged order must be accepted with its options");
  assert(event.peg !== Peg.none, "an order is pegged to a price");
  orders.peg[slot] = event.peg;
  orders.pegOffset[slot] = event.kind === EventKind.orderPeggedBehind ? event.pegOffset : 0;
}

/** Asserts that both orders of a prevented match are as the event states; separate events reduce or close them. */
export function checkPrevented({ orders, accounts }: VenueState, event: MatchPrevented): void {
  const taker = orders.slotOf(event.takerOrderId);
  const maker = orders.slotOf(event.makerOrderId);
  assert(
    taker >= 0 && orders.isOnBook(taker),
    "the incoming order of a prevented match must be open",
  );
  assert(
    maker >= 0 && orders.isOnBook(maker),
    "the resting order of a prevented match must be open",
  );
  assert(taker !== maker, "an order must not match itself");
  assert(
    orders.account[taker] === event.account,
    "the incoming order must belong to the account in the event",
  );
  assert(
    accounts.ownerOf(wordAt(orders.account, maker)) === accounts.ownerOf(event.account),
    "the resting order must belong to the owner of the account in the event",
  );
  assert(
    orders.market[taker] === event.market,
    "the incoming order must be in the market of the event",
  );
  assert(
    orders.market[maker] === event.market,
    "the resting order must be in the market of the event",
  );
  assert(orders.side[taker] !== orders.side[maker], "matched orders must be on opposite sides");
  assert(
    orders.price[maker] === event.price,
    "the price of a prevented match must be the price of the resting order",
  );
  assert(
    event.makerQty <= orders.remaining(maker),
    "the resting order must have the quantity that it loses",
  );
  assert(
    event.stpMode === orders.stpMode[taker],
    "the event must have the self-trade prevention mode of the incoming order",
  );
  assert(
    event.stpMode !== StpMode.skip,
    "a prevented match must not have the self-trade prevention mode skip",
  );
}

/** The events that change an open order. */
export type OrderChange = OrderTriggered | Amendment | OrderReduced;

export function changeOrder(
  state: VenueState,
  event: OrderChange,
  observer: StateObserver | null,
): void {
  switch (event.kind) {
    case EventKind.orderTriggered:
      triggerOrder(state, event, observer);
      break;
    case EventKind.orderAmended:
    case EventKind.quoteAmended:
      amendOrder(state, event, observer);
      break;
    case EventKind.orderReduced:
      reduceOrder(state, event, observer);
      break;
    default:
      unreachable(event);
  }
}

/** Puts a waiting order on its book, on the event's terms. */
function triggerOrder(
  state: VenueState,
  event: OrderTriggered,
  observer: StateObserver | null,
): void {
  const { orders } = state;
  const slot = orders.slotOf(event.orderId);
  assert(slot >= 0 && orders.isOffBook(slot), "an order must be off the book when it triggers");
  assertIsOwn(state, event, slot);
  assert(event.qty > 0, "the quantity of an order must be positive");
  leaveTrailing(state, slot);
  unlinkLeg(state, slot, true);
  leavePending(state, slot);
  orders.state[slot] = SlotState.open;
  orders.price[slot] = event.price;
  orders.marginPrice[slot] = event.marginPrice;
  orders.setQty(slot, event.qty);
  orders.triggeredUs[slot] = event.tsUs;
  orders.requeue(slot, event.tsUs);
  if (isMargined(state, slot, state.table.market(byteAt(state.orders.market, slot))))
    addLots(state, slot, { open: event.qty, margined: 0 });
  noteLoss(state, slot);
  countReducing(state, slot, 1);
  settle(state, slot, observer);
}

/** Gives an open order its new terms. */
function amendOrder(state: VenueState, event: Amendment, observer: StateObserver | null): void {
  const { orders } = state;
  const slot = orders.slotOf(event.orderId);
  assert(slot >= 0 && orders.isOnBook(slot), "an amended order must be on the book");
  assertIsOwn(state, event, slot);
  const before = orders.remaining(slot);
  orders.price[slot] = event.price;
  orders.marginPrice[slot] = event.marginPrice;
  orders.setQty(slot, event.qty);
  orders.updatedUs[slot] = event.tsUs;
  assert(orders.remaining(slot) > 0, "an amended order must have an open quantity");
  if (event.isRequeued) orders.requeue(slot, event.tsUs);
  else orders.keepShown(slot);
  changeLots(state, slot, before);
  noteLoss(state, slot);
  settle(state, slot, observer);
}

/** Removes lots from an open order that stays open. */
function reduceOrder(state: VenueState, event: OrderReduced, observer: StateObserver | null): void {
  const { orders } = state;
  const slot = orders.slotOf(event.orderId);
  assert(slot >= 0 && orders.isOnBook(slot), "a reduced order must be on the book");
  assertIsOwn(state, event, slot);
  const before = orders.remaining(slot);
  assert(
    event.qty > 0 && event.qty < before,
    "a reduction must be positive and leave an open quantity",
  );
  orders.qty[slot] = wordAt(orders.qty, slot) - event.qty;
  orders.updatedUs[slot] = event.tsUs;
  orders.keepShown(slot);
  changeLots(state, slot, before);
  settle(state, slot, observer);
}

function assertIsOwn(
  { orders }: VenueState,
  event: { account: number; market: number },
  slot: number,
): void {
  assert(orders.account[slot] === event.account, "the account in the event must own the order");
  assert(
    orders.market[slot] === event.market,
    "the market in the event must be the market of the order",
  );
}

/**
 * Updates the side's open and margined lots for an order that had `before` lots open. Lots that the order has lost are
 * taken from its unmargined lots first.
 */
function changeLots(state: VenueState, slot: number, before: number): void {
  if (!isMargined(state, slot, state.table.market(byteAt(state.orders.market, slot)))) return;
  const { orders } = state;
  const now = orders.remaining(slot);
  const margined = wordAt(orders.marginLots, slot);
  const after = Math.min(margined, now);
  orders.marginLots[slot] = after;
  addLots(state, slot, { open: now - before, margined: after - margined });
}

function addLots(
  { orders, sideLots }: VenueState,
  slot: number,
  change: { open: number; margined: number },
): void {
  const account = wordAt(orders.account, slot);
  const side = byteAt(orders.side, slot) as Side;
  sideLots.add(account, byteAt(orders.market, slot), side, change);
}

function settle(state: VenueState, slot: number, observer: StateObserver | null): void {
  const { orders, table } = state;
  const market = table.market(byteAt(orders.market, slot));
  refreshHold(state, slot, observer);
  settleMarginLots(state, wordAt(orders.account, slot), market, observer);
  observer?.orderChanged?.(slot);
}
