// The open orders of a snapshot as columns, one entry per order by ascending id, without fields that can be derived.
// Holds, lists, side lots and indexes are rebuilt from the columns, which also checks the columns.

import { amountAt, assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { isConditional, OrderType, type Side, TimeInForce } from "../../../core/orders.ts";
import { addHold } from "../apply/holds.ts";
import { countReducing, isMargined } from "../apply/order-posting.ts";
import {
  type ClientIdTexts,
  OrderFlag,
  type OrderTable,
  SlotState,
} from "../orders/order-table.ts";
import type { VenueState } from "../venue-state.ts";

/** Order columns by their array type, named as in the order table. */
const byteColumns = ["market", "side", "type", "timeInForce", "flags", "stpMode"] as const;
const wordColumns = ["account", "price", "marginPrice"] as const;
const numberColumns = [
  "orderId",
  "qty",
  "filledQty",
  "marginLots",
  "acceptedUs",
  "updatedUs",
] as const;

/** Columns only for orders with options, or with a queue priority that differs from the order of ids. */
const specialColumns = [
  "goodTillUs",
  "triggerPrice",
  "workingPrice",
  "trailingBps",
  "activationPrice",
  "bestPrice",
  "triggeredUs",
  "queuedUs",
  "icebergQty",
  "shownQty",
  "peg",
  "pegOffset",
] as const;

type SpecialColumns = Record<(typeof specialColumns)[number], Float64Array>;

interface SpecialColumnsSnapshot extends SpecialColumns {
  /** Index of the order in the columns of all orders. */
  place: Int32Array;
  quoteQty: BigInt64Array;
}

type ByteColumns = Record<(typeof byteColumns)[number], Uint8Array>;
type WordColumns = Record<(typeof wordColumns)[number], Int32Array>;
type NumberColumns = Record<(typeof numberColumns)[number], Float64Array>;

export interface OrderColumnsSnapshot extends ByteColumns, WordColumns, NumberColumns {
  filledQuote: BigInt64Array;
  clientIds: ClientIdTexts;
  special: SpecialColumnsSnapshot;
  /** Orders that hold an amount for a loss at the mark, by their index in the columns of all orders. */
  losses: { place: Int32Array; ticks: Int32Array; lots: Float64Array };
}

/** Copies the open orders, by ascending id. */
export function captureOrders(state: VenueState): OrderColumnsSnapshot {
  const { orders } = state;
  const slots = orders.openSlots();
  const bytes = byteColumns.map((name) => [name, gatherBytes(orders[name], slots)]);
  const words = wordColumns.map((name) => [name, gatherWords(orders[name], slots)]);
  const numbers = numberColumns.map((name) => [name, gather(orders[name], slots)]);
  const filledQuote = new BigInt64Array(slots.length);
  for (let place = 0; place < slots.length; place++) {
    filledQuote[place] = amountAt(orders.filledQuote, wordAt(slots, place));
  }
  return {
    ...(Object.fromEntries(bytes) as ByteColumns),
    ...(Object.fromEntries(words) as WordColumns),
    ...(Object.fromEntries(numbers) as NumberColumns),
    filledQuote,
    clientIds: orders.captureClientIds(slots),
    special: captureSpecial(orders, slots),
    losses: captureLosses(orders, slots),
  };
}

/** Indexes of the wanted orders among `slots`. */
function placesOf(slots: Int32Array, isWanted: (slot: number) => boolean): Int32Array {
  const places: number[] = [];
  for (let place = 0; place < slots.length; place++) {
    if (isWanted(wordAt(slots, place))) places.push(place);
  }
  return Int32Array.from(places);
}

function captureLosses(orders: OrderTable, slots: Int32Array): OrderColumnsSnapshot["losses"] {
  const place = placesOf(slots, (slot) => orders.lossTicks[slot] !== 0);
  const own = place.map((at) => wordAt(slots, at));
  const ticks = own.map((slot) => wordAt(orders.lossTicks, slot));
  return { place, ticks, lots: gather(orders.lossLots, own) };
}

function captureSpecial(orders: OrderTable, slots: Int32Array): SpecialColumnsSnapshot {
  const isSpecial = OrderFlag.special | OrderFlag.requeued;
  const place = placesOf(slots, (slot) => orders.has(slot, isSpecial));
  const own = place.map((at) => wordAt(slots, at));
  const columns = Object.fromEntries(
    specialColumns.map((name) => [name, gather(orders[name], own)]),
  );
  const quoteQty = BigInt64Array.from(own, (slot) => amountAt(orders.quoteQty, slot));
  return { ...(columns as SpecialColumns), place, quoteQty };
}

/** The entries of `column` at `slots`, in order, as numbers. */
function gather(column: ArrayLike<number>, slots: Int32Array): Float64Array {
  const gathered = new Float64Array(slots.length);
  for (let place = 0; place < slots.length; place++) {
    gathered[place] = Number(column[wordAt(slots, place)]);
  }
  return gathered;
}

function gatherBytes(column: Uint8Array, slots: Int32Array): Uint8Array {
  const gathered = new Uint8Array(slots.length);
  for (let place = 0; place < slots.length; place++) {
    gathered[place] = byteAt(column, wordAt(slots, place));
  }
  return gathered;
}

function gatherWords(column: Int32Array, slots: Int32Array): Int32Array {
  const gathered = new Int32Array(slots.length);
  for (let place = 0; place < slots.length; place++) {
    gathered[place] = wordAt(column, wordAt(slots, place));
  }
  return gathered;
}

/**
 * Restores the orders of a snapshot. The columns are in the order of ids, so the account lists and queue priorities are
 * restored unchanged. The orders get the slots from 0 on, so whole columns are copied at once.
 */
export function restoreOrders(state: VenueState, columns: OrderColumnsSnapshot): void {
  const { orders } = state;
  const count = columns.orderId.length;
  orders.allocateFirst(count);
  for (const name of byteColumns) orders[name].set(columns[name]);
  for (const name of wordColumns) orders[name].set(columns[name]);
  for (const name of numberColumns) orders[name].set(columns[name]);
  orders.filledQuote.set(columns.filledQuote);
  assert(
    columns.clientIds.lengths.length === count,
    "there must be one client id length for each order",
  );
  orders.restoreClientIds(columns.clientIds);
  restoreSpecial(orders, columns.special);
  const { place: losing, ticks, lots } = columns.losses;
  for (const [row, slot] of losing.entries()) {
    orders.lossTicks[slot] = wordAt(ticks, row);
    orders.lossLots[slot] = numberAt(lots, row);
  }
  for (let slot = 0; slot < count; slot++) {
    const waits = isWaiting(orders, slot);
    orders.link(slot, waits ? SlotState.waiting : SlotState.open);
    orders.count(wordAt(orders.account, slot), byteAt(orders.market, slot), 1);
    const isWhole = waits && orders.has(slot, OrderFlag.closesPosition | OrderFlag.pending);
    assert(orders.remaining(slot) > 0 || isWhole, "an open order must have a remaining quantity");
    if (waits) recallWaiting(state, slot);
    restoreLots(state, slot);
    countReducing(state, slot, 1);
  }
  // Orders of one list hold for each other, so all of them must be open first.
  for (let slot = 0; slot < count; slot++) addHold(state, slot);
}

/** Enters a waiting order where the state lists such orders. */
function recallWaiting({ orders, trailing, tpSl }: VenueState, slot: number): void {
  const market = byteAt(orders.market, slot);
  if (orders.type[slot] === OrderType.trailingStopMarket) trailing.add(market, slot);
  // A snapshot does not say which legs were replaced and not closed yet.
  if (orders.timeInForce[slot] !== TimeInForce.gte) return;
  tpSl.recall(wordAt(orders.account, slot), market, numberAt(orders.orderId, slot));
}

/** Slots equal order indexes, as in `restoreOrders`. */
function restoreSpecial(orders: OrderTable, columns: SpecialColumnsSnapshot): void {
  for (const [row, slot] of columns.place.entries()) {
    for (const name of specialColumns) orders[name][slot] = numberAt(columns[name], row);
    const isIceberg = orders.has(slot, OrderFlag.iceberg);
    assert(
      !isIceberg || wordAt(orders.icebergQty, slot) > 0,
      "a stored iceberg order must have a slice",
    );
    orders.quoteQty[slot] = amountAt(columns.quoteQty, row);
  }
}

/** Whether a restored order waits for its trigger, or for the working order of its list. */
function isWaiting(orders: OrderTable, slot: number): boolean {
  if (orders.has(slot, OrderFlag.pending)) return true;
  return isConditional(byteAt(orders.type, slot) as OrderType) && orders.triggeredUs[slot] === 0;
}

function restoreLots(state: VenueState, slot: number): void {
  const { orders, sideLots } = state;
  const market = byteAt(orders.market, slot);
  if (!isMargined(state, slot, state.table.market(byteAt(state.orders.market, slot)))) return;
  const change = { open: orders.remaining(slot), margined: wordAt(orders.marginLots, slot) };
  sideLots.add(wordAt(orders.account, slot), market, orders.side[slot] as Side, change);
}
