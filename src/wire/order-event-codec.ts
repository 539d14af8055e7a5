// Bytes of the events of an order's life: accepted, traded, closed. One pair of functions per kind,
// writing at the offsets of event-layout.ts. Views are over aligned memory, `offset` is a multiple of 8.

import { assert } from "../core/assert.ts";
import { EventKind, type OrderAccepted, type OrderClosed, type Traded } from "../core/events.ts";
import { clientIdBytesMax } from "../core/limits.ts";
import { CloseReason, OrderType, Side, TimeInForce } from "../core/orders.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import { orderAcceptedLayout, orderClosedLayout, tradedLayout } from "./event-layout.ts";
import {
  highestCode,
  readCode,
  readInt64,
  readLatin1,
  readUint53,
  writeHalfAndBytes,
  writeInt64,
  writeLatin1,
  writeThreeBytes,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const sideHighest = highestCode(Side);
const typeHighest = highestCode(OrderType);
const timeInForceHighest = highestCode(TimeInForce);
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
  writeUint53(u32, (offset + at.orderId) >> 2, event.orderId);
  writeUint53(u32, (offset + at.qty) >> 2, event.qty);
  writeUint53(u32, (offset + at.marginLots) >> 2, event.marginLots);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeUint32(u32, (offset + at.marginPrice) >> 2, event.marginPrice);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.side, event.type);
  const idLength = event.clientId.length;
  writeThreeBytes(u32, (offset + at.timeInForce) >> 2, event.timeInForce, idLength, 0);
  writeLatin1(u8, offset + at.size, event.clientId);
  return bytes;
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
