// Bytes of the events of an order's life: accepted, traded, closed. One pair of functions per kind,
// writing at the offsets of event-layout.ts. Views are over aligned memory, `offset` is a multiple of 8.

import { assert } from "../../core/assert.ts";
import {
  EventKind,
  type OrderAccepted,
  type OrderClosed,
  type RequestKeyed,
  type SpecialAccepted,
  type Traded,
} from "../../core/events.ts";
import { clientIdBytesMax } from "../../core/limits.ts";
import {
  CloseReason,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../core/orders.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import {
  orderAcceptedLayout,
  orderClosedLayout,
  requestKeyedLayout,
  specialAcceptedLayout,
  tradedLayout,
} from "./event-layout.ts";
import {
  highestCode,
  readCode,
  readFlag,
  readInt64,
  readLatin1,
  readUint53,
  writeBytes,
  writeHalfAndBytes,
  writeInt64,
  writeLatin1,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const sideHighest = highestCode(Side);
const typeHighest = highestCode(OrderType);
const timeInForceHighest = highestCode(TimeInForce);
const stpModeHighest = highestCode(StpMode);
const workingPriceHighest = highestCode(WorkingPrice);
const flagsHighest = 3;
const closeReasonHighest = highestCode(CloseReason);

/** Bytes of `event` with its client id. */
export function orderAcceptedBytes(event: OrderAccepted): number {
  assert(event.clientId.length <= clientIdBytesMax, "a client id of at most 36 characters");
  return orderAcceptedLayout.size + event.clientId.length;
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeOrderAccepted(
  views: RecordViews,
  offset: number,
  event: OrderAccepted,
): number {
  const at = orderAcceptedLayout;
  const { u8, u32 } = views;
  const bytes = orderAcceptedBytes(event);
  writeEventHeader(views, offset, event, bytes);
  writeAccepted(u32, offset, event, event.isReduceOnly ? 1 : 0);
  writeLatin1(u8, offset + at.size, event.clientId);
  return bytes;
}

/** The fields that all accepted orders have, at one place. */
function writeAccepted(
  u32: Uint32Array,
  offset: number,
  event: OrderAccepted | SpecialAccepted,
  flags: number,
): void {
  const at = orderAcceptedLayout;
  writeUint53(u32, (offset + at.orderId) >> 2, event.orderId);
  writeUint53(u32, (offset + at.qty) >> 2, event.qty);
  writeUint53(u32, (offset + at.marginLots) >> 2, event.marginLots);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeUint32(u32, (offset + at.marginPrice) >> 2, event.marginPrice);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.side, event.type);
  const idLength = event.clientId.length;
  const word = (offset + at.timeInForce) >> 2;
  writeBytes(u32, word, event.timeInForce, idLength, flags, event.stpMode);
}

/** The event at `offset`. */
export function decodeOrderAccepted(views: RecordViews, offset: number): OrderAccepted {
  const at = orderAcceptedLayout;
  const { u8, u16, u32 } = views;
  const idLength = readCode<number>(u8, offset + at.clientIdLength, clientIdBytesMax);
  const header = readEventHeader(views, offset, EventKind.orderAccepted, at.size + idLength);
  return {
    seq: header.seq,
    tsUs: header.tsUs,
    account: header.account,
    isUnitEnd: header.isUnitEnd,
    kind: header.kind,
    orderId: readUint53(u32, (offset + at.orderId) >> 2),
    market: u16[(offset + at.market) >> 1] as number,
    side: readCode<Side>(u8, offset + at.side, sideHighest),
    type: readCode<OrderType>(u8, offset + at.type, typeHighest),
    timeInForce: readCode<TimeInForce>(u8, offset + at.timeInForce, timeInForceHighest),
    price: u32[(offset + at.price) >> 2] as number,
    qty: readUint53(u32, (offset + at.qty) >> 2),
    marginPrice: u32[(offset + at.marginPrice) >> 2] as number,
    marginLots: readUint53(u32, (offset + at.marginLots) >> 2),
    isReduceOnly: readFlag(u8, offset + at.flags),
    stpMode: readCode<StpMode>(u8, offset + at.stpMode, stpModeHighest),
    clientId: readLatin1(u8, offset + at.size, idLength),
  };
}

/** Bytes of `event` with its client id. */
export function specialAcceptedBytes(event: SpecialAccepted): number {
  assert(event.clientId.length <= clientIdBytesMax, "a client id of at most 36 characters");
  return specialAcceptedLayout.size + event.clientId.length;
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeSpecialAccepted(
  views: RecordViews,
  offset: number,
  event: SpecialAccepted,
): number {
  const at = specialAcceptedLayout;
  const { u8, u32, i64 } = views;
  const bytes = specialAcceptedBytes(event);
  writeEventHeader(views, offset, event, bytes);
  const flags = (event.isReduceOnly ? 1 : 0) | (event.closesPosition ? 2 : 0);
  writeAccepted(u32, offset, event, flags);
  writeUint53(u32, (offset + at.goodTillUs) >> 2, event.goodTillUs);
  writeInt64(i64, (offset + at.quoteQty) >> 3, event.quoteQty);
  writeUint32(u32, (offset + at.triggerPrice) >> 2, event.triggerPrice);
  writeUint32(u32, (offset + at.activationPrice) >> 2, event.activationPrice);
  writeHalfAndBytes(u32, (offset + at.trailingBps) >> 2, event.trailingBps, event.workingPrice, 0);
  u32[(offset + at.filler) >> 2] = 0;
  writeLatin1(u8, offset + at.size, event.clientId);
  return bytes;
}

/** The event at `offset`. */
export function decodeSpecialAccepted(views: RecordViews, offset: number): SpecialAccepted {
  const at = specialAcceptedLayout;
  const { u8, u16, u32, i64 } = views;
  const idLength = readCode<number>(u8, offset + at.clientIdLength, clientIdBytesMax);
  const header = readEventHeader(views, offset, EventKind.specialAccepted, at.size + idLength);
  const flags = readCode<number>(u8, offset + at.flags, flagsHighest);
  return {
    ...header,
    orderId: readUint53(u32, (offset + at.orderId) >> 2),
    market: u16[(offset + at.market) >> 1] as number,
    side: readCode<Side>(u8, offset + at.side, sideHighest),
    type: readCode<OrderType>(u8, offset + at.type, typeHighest),
    timeInForce: readCode<TimeInForce>(u8, offset + at.timeInForce, timeInForceHighest),
    price: u32[(offset + at.price) >> 2] as number,
    qty: readUint53(u32, (offset + at.qty) >> 2),
    marginPrice: u32[(offset + at.marginPrice) >> 2] as number,
    marginLots: readUint53(u32, (offset + at.marginLots) >> 2),
    isReduceOnly: (flags & 1) !== 0,
    closesPosition: (flags & 2) !== 0,
    stpMode: readCode<StpMode>(u8, offset + at.stpMode, stpModeHighest),
    goodTillUs: readUint53(u32, (offset + at.goodTillUs) >> 2),
    quoteQty: readInt64(i64, (offset + at.quoteQty) >> 3),
    triggerPrice: u32[(offset + at.triggerPrice) >> 2] as number,
    activationPrice: u32[(offset + at.activationPrice) >> 2] as number,
    trailingBps: u16[(offset + at.trailingBps) >> 1] as number,
    workingPrice: readCode<WorkingPrice>(u8, offset + at.workingPrice, workingPriceHighest),
    clientId: readLatin1(u8, offset + at.size, idLength),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeTraded(views: RecordViews, offset: number, event: Traded): number {
  const at = tradedLayout;
  const { u32, i64 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.tradeId) >> 2, event.tradeId);
  writeUint53(u32, (offset + at.takerOrderId) >> 2, event.takerOrderId);
  writeUint53(u32, (offset + at.makerOrderId) >> 2, event.makerOrderId);
  writeUint53(u32, (offset + at.qty) >> 2, event.qty);
  writeInt64(i64, (offset + at.takerFee) >> 3, event.takerFee);
  writeInt64(i64, (offset + at.makerFee) >> 3, event.makerFee);
  writeInt64(i64, (offset + at.takerPnl) >> 3, event.takerPnl);
  writeInt64(i64, (offset + at.makerPnl) >> 3, event.makerPnl);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeUint32(u32, (offset + at.makerAccount) >> 2, event.makerAccount);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.takerSide, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
export function decodeTraded(views: RecordViews, offset: number): Traded {
  const at = tradedLayout;
  const { u8, u16, u32, i64 } = views;
  const header = readEventHeader(views, offset, EventKind.traded, at.size);
  return {
    seq: header.seq,
    tsUs: header.tsUs,
    account: header.account,
    isUnitEnd: header.isUnitEnd,
    kind: header.kind,
    tradeId: readUint53(u32, (offset + at.tradeId) >> 2),
    market: u16[(offset + at.market) >> 1] as number,
    takerSide: readCode<Side>(u8, offset + at.takerSide, sideHighest),
    takerOrderId: readUint53(u32, (offset + at.takerOrderId) >> 2),
    makerOrderId: readUint53(u32, (offset + at.makerOrderId) >> 2),
    makerAccount: u32[(offset + at.makerAccount) >> 2] as number,
    price: u32[(offset + at.price) >> 2] as number,
    qty: readUint53(u32, (offset + at.qty) >> 2),
    takerFee: readInt64(i64, (offset + at.takerFee) >> 3),
    makerFee: readInt64(i64, (offset + at.makerFee) >> 3),
    takerPnl: readInt64(i64, (offset + at.takerPnl) >> 3),
    makerPnl: readInt64(i64, (offset + at.makerPnl) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeOrderClosed(views: RecordViews, offset: number, event: OrderClosed): number {
  const at = orderClosedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(views.u32, (offset + at.orderId) >> 2, event.orderId);
  writeHalfAndBytes(views.u32, (offset + at.market) >> 2, event.market, event.reason, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
export function decodeOrderClosed(views: RecordViews, offset: number): OrderClosed {
  const at = orderClosedLayout;
  const header = readEventHeader(views, offset, EventKind.orderClosed, at.size);
  return {
    seq: header.seq,
    tsUs: header.tsUs,
    account: header.account,
    isUnitEnd: header.isUnitEnd,
    kind: header.kind,
    orderId: readUint53(views.u32, (offset + at.orderId) >> 2),
    market: views.u16[(offset + at.market) >> 1] as number,
    reason: readCode<CloseReason>(views.u8, offset + at.reason, closeReasonHighest),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeRequestKeyed(
  views: RecordViews,
  offset: number,
  event: RequestKeyed,
): number {
  const at = requestKeyedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.high) >> 3, event.high);
  writeInt64(views.i64, (offset + at.low) >> 3, event.low);
  writeInt64(views.i64, (offset + at.payload) >> 3, event.payload);
  writeUint53(views.u32, (offset + at.subject) >> 2, event.subject);
  return at.size;
}

/** The event at `offset`. */
export function decodeRequestKeyed(views: RecordViews, offset: number): RequestKeyed {
  const at = requestKeyedLayout;
  return {
    ...readEventHeader(views, offset, EventKind.requestKeyed, at.size),
    high: readInt64(views.i64, (offset + at.high) >> 3),
    low: readInt64(views.i64, (offset + at.low) >> 3),
    payload: readInt64(views.i64, (offset + at.payload) >> 3),
    subject: readUint53(views.u32, (offset + at.subject) >> 2),
  };
}
