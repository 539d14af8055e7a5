// The open orders of a snapshot as columns, one entry an order by ascending id: what cannot be derived.
// Holds, lists, lots of sides and indexes are made again from them, which checks them.

import { assert } from "../../../core/assert.ts";
import { amountAt, byteAt, numberAt, wordAt } from "../../../core/cells.ts";
import { isConditional, OrderType, type Side } from "../../../core/orders.ts";
import { addHold } from "../apply/holds.ts";
import { countReducing, isMargined } from "../apply/order-posting.ts";
import { OrderFlag, type OrderTable, SlotState } from "../orders/order-table.ts";
import type { VenueState } from "../venue-state.ts";

/** Order columns that are plain numbers, named as in the order table. */
const numberColumns = [
  "orderId",
  "account",
  "market",
  "side",
  "type",
  "timeInForce",
  "price",
  "marginPrice",
  "qty",
  "filledQty",
  "marginLots",
  "acceptedUs",
  "updatedUs",
  "flags",
  "stpMode",
] as const;

/** Columns of orders with options or with another place in the queue than their id says. */
const specialColumns = [
  "goodTillUs",
  "triggerPrice",
  "workingPrice",
  "trailingBps",
  "activationPrice",
  "bestPrice",
  "triggeredUs",
  "queuedUs",
] as const;

type SpecialColumns = Record<(typeof specialColumns)[number], Float64Array>;

interface SpecialColumnsSnapshot extends SpecialColumns {
  /** Place of the order among all. */
  place: Int32Array;
  quoteQty: BigInt64Array;
}

type NumberColumns = Record<(typeof numberColumns)[number], Float64Array>;

export interface OrderColumnsSnapshot extends NumberColumns {
  filledQuote: BigInt64Array;
  clientId: string[];
  special: SpecialColumnsSnapshot;
  /** Orders priced worse than the mark, by their places among all. */
  losses: { place: Int32Array; ticks: Int32Array; lots: Float64Array };
}

/** Copies the open orders out, by ascending id. */
export function captureOrders(state: VenueState): OrderColumnsSnapshot {
  const { orders } = state;
  const slots = orders.openSlots();
  const columns = Object.fromEntries(
    numberColumns.map((name) => [name, gather(orders[name], slots)]),
  );
  const filledQuote = new BigInt64Array(slots.length);
  const clientId: string[] = [];
  for (const [place, slot] of slots.entries()) {
    filledQuote[place] = amountAt(orders.filledQuote, slot);
    clientId.push(orders.chosenClientId(slot));
  }
  assert(clientId.length === slots.length, "an entry an open order");
  return {
    ...(columns as NumberColumns),
    filledQuote,
    clientId,
    special: captureSpecial(orders, slots),
    losses: captureLosses(orders, slots),
  };
}

function captureLosses(orders: OrderTable, slots: Int32Array): OrderColumnsSnapshot["losses"] {
  const places = Array.from(slots.keys()).filter(
    (place) => orders.lossTicks[wordAt(slots, place)] !== 0,
  );
  const place = Int32Array.from(places);
  const own = place.map((at) => wordAt(slots, at));
  const ticks = own.map((slot) => wordAt(orders.lossTicks, slot));
  return { place, ticks, lots: gather(orders.lossLots, own) };
}

function captureSpecial(orders: OrderTable, slots: Int32Array): SpecialColumnsSnapshot {
  const isSpecial = OrderFlag.special | OrderFlag.requeued;
  const places = Array.from(slots.keys()).filter((place) =>
    orders.has(wordAt(slots, place), isSpecial),
  );
  const place = Int32Array.from(places);
  const own = place.map((at) => wordAt(slots, at));
  const columns = Object.fromEntries(
    specialColumns.map((name) => [name, gather(orders[name], own)]),
  );
  const quoteQty = BigInt64Array.from(own, (slot) => amountAt(orders.quoteQty, slot));
  return { ...(columns as SpecialColumns), place, quoteQty };
}

/** The entries of `column` at `slots`, in their order. */
function gather(column: ArrayLike<number>, slots: Int32Array): Float64Array {
  const gathered = new Float64Array(slots.length);
  for (let place = 0; place < slots.length; place++) {
    gathered[place] = Number(column[wordAt(slots, place)]);
  }
  return gathered;
}

/**
 * Orders come by ascending id, so lists and priorities come out as they were. A fresh table gives
 * out its slots from 0 on, so whole columns are copied at once.
 */
export function restoreOrders(state: VenueState, columns: OrderColumnsSnapshot): void {
  const { orders } = state;
  assert(orders.touched === 0, "orders are restored into a fresh table");
  for (const name of numberColumns) orders[name].set(columns[name]);
  orders.filledQuote.set(columns.filledQuote);
  restoreSpecial(orders, columns.special);
  const { place: losing, ticks, lots } = columns.losses;
  for (const [row, slot] of losing.entries()) {
    orders.lossTicks[slot] = wordAt(ticks, row);
    orders.lossLots[slot] = numberAt(lots, row);
  }
  for (const [place, clientId] of columns.clientId.entries()) {
    const slot = orders.allocate();
    assert(slot === place, "a fresh table gives out its slots in order");
    orders.setClientId(slot, clientId);
    const waits = isWaiting(orders, slot);
    orders.link(slot, waits ? SlotState.waiting : SlotState.open);
    orders.count(wordAt(orders.account, slot), byteAt(orders.market, slot), 1);
    const isWhole = waits && orders.has(slot, OrderFlag.closesPosition);
    assert(orders.remaining(slot) > 0 || isWhole, "an open order has something open");
    if (waits && orders.type[slot] === OrderType.trailingStopMarket) {
      state.trailing.add(byteAt(orders.market, slot), slot);
    }
    restoreLots(state, slot);
    countReducing(state, slot, 1);
    addHold(state, slot);
  }
}

/** Slots are the places of the orders, as in `restoreOrders`. */
function restoreSpecial(orders: OrderTable, columns: SpecialColumnsSnapshot): void {
  for (const [row, slot] of columns.place.entries()) {
    for (const name of specialColumns) orders[name][slot] = numberAt(columns[name], row);
    orders.quoteQty[slot] = amountAt(columns.quoteQty, row);
  }
}

/** Whether a restored order has not triggered yet. */
function isWaiting(orders: OrderTable, slot: number): boolean {
  return isConditional(byteAt(orders.type, slot) as OrderType) && orders.triggeredUs[slot] === 0;
}

function restoreLots(state: VenueState, slot: number): void {
  const { orders, sideLots } = state;
  const market = byteAt(orders.market, slot);
  if (!isMargined(state, slot, state.table.market(byteAt(state.orders.market, slot)))) return;
  const change = { open: orders.remaining(slot), margined: numberAt(orders.marginLots, slot) };
  sideLots.add(wordAt(orders.account, slot), market, orders.side[slot] as Side, change);
}
