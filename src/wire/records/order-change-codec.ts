// Bytes of the events that change an order or a market between acceptance and close: triggered,
// amended, reduced, a match prevented, countdown set. One pair of functions per kind, writing at the offsets of
// event-layout.ts. Views are over aligned memory, `offset` is a multiple of 8.

import {
  type CountdownSet,
  EventKind,
  type MatchPrevented,
  type OrderAmended,
  type OrderReduced,
  type OrderTriggered,
} from "../../core/events.ts";
import { StpMode } from "../../core/orders.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import {
  countdownSetLayout,
  matchPreventedLayout,
  orderAmendedLayout,
  orderReducedLayout,
  orderTriggeredLayout,
} from "./event-layout.ts";
import {
  highestCode,
  readCode,
  readFlag,
  readUint53,
  writeHalfAndBytes,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const stpModeHighest = highestCode(StpMode);

/** Writes `event` at `offset`; returns its bytes. */
export function encodeOrderTriggered(
  views: RecordViews,
  offset: number,
  event: OrderTriggered,
): number {
  const at = orderTriggeredLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.orderId) >> 2, event.orderId);
  writeUint53(u32, (offset + at.qty) >> 2, event.qty);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeUint32(u32, (offset + at.marginPrice) >> 2, event.marginPrice);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, 0, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeOrderTriggered(views: RecordViews, offset: number): OrderTriggered {
  const at = orderTriggeredLayout;
  const { u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.orderTriggered, at.size),
    orderId: readUint53(u32, (offset + at.orderId) >> 2),
    market: u16[(offset + at.market) >> 1] as number,
    price: u32[(offset + at.price) >> 2] as number,
    qty: readUint53(u32, (offset + at.qty) >> 2),
    marginPrice: u32[(offset + at.marginPrice) >> 2] as number,
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeOrderAmended(
  views: RecordViews,
  offset: number,
  event: OrderAmended,
): number {
  const at = orderAmendedLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.orderId) >> 2, event.orderId);
  writeUint53(u32, (offset + at.qty) >> 2, event.qty);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeUint32(u32, (offset + at.marginPrice) >> 2, event.marginPrice);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.isRequeued ? 1 : 0, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeOrderAmended(views: RecordViews, offset: number): OrderAmended {
  const at = orderAmendedLayout;
  const { u8, u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.orderAmended, at.size),
    orderId: readUint53(u32, (offset + at.orderId) >> 2),
    market: u16[(offset + at.market) >> 1] as number,
    price: u32[(offset + at.price) >> 2] as number,
    qty: readUint53(u32, (offset + at.qty) >> 2),
    marginPrice: u32[(offset + at.marginPrice) >> 2] as number,
    isRequeued: readFlag(u8, offset + at.isRequeued),
  };
}

/** Writes `event`, of a kind that is rare, at `offset`; returns its bytes. */
export function encodeRareChange(
  views: RecordViews,
  offset: number,
  event: OrderReduced | MatchPrevented | CountdownSet,
): number {
  if (event.kind === EventKind.orderReduced) return encodeOrderReduced(views, offset, event);
  if (event.kind === EventKind.countdownSet) return encodeCountdownSet(views, offset, event);
  return encodeMatchPrevented(views, offset, event);
}

function encodeOrderReduced(views: RecordViews, offset: number, event: OrderReduced): number {
  const at = orderReducedLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.orderId) >> 2, event.orderId);
  writeUint53(u32, (offset + at.qty) >> 2, event.qty);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, 0, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeOrderReduced(views: RecordViews, offset: number): OrderReduced {
  const at = orderReducedLayout;
  const { u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.orderReduced, at.size),
    orderId: readUint53(u32, (offset + at.orderId) >> 2),
    market: u16[(offset + at.market) >> 1] as number,
    qty: readUint53(u32, (offset + at.qty) >> 2),
  };
}

function encodeMatchPrevented(views: RecordViews, offset: number, event: MatchPrevented): number {
  const at = matchPreventedLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.takerOrderId) >> 2, event.takerOrderId);
  writeUint53(u32, (offset + at.makerOrderId) >> 2, event.makerOrderId);
  writeUint53(u32, (offset + at.takerQty) >> 2, event.takerQty);
  writeUint53(u32, (offset + at.makerQty) >> 2, event.makerQty);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.stpMode, 0);
  return at.size;
}

/** The event at `offset`. */
function decodeMatchPrevented(views: RecordViews, offset: number): MatchPrevented {
  const at = matchPreventedLayout;
  const { u8, u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.matchPrevented, at.size),
    market: u16[(offset + at.market) >> 1] as number,
    takerOrderId: readUint53(u32, (offset + at.takerOrderId) >> 2),
    makerOrderId: readUint53(u32, (offset + at.makerOrderId) >> 2),
    stpMode: readCode<StpMode>(u8, offset + at.stpMode, stpModeHighest),
    price: u32[(offset + at.price) >> 2] as number,
    takerQty: readUint53(u32, (offset + at.takerQty) >> 2),
    makerQty: readUint53(u32, (offset + at.makerQty) >> 2),
  };
}

function encodeCountdownSet(views: RecordViews, offset: number, event: CountdownSet): number {
  const at = countdownSetLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.cancelAtUs) >> 2, event.cancelAtUs);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, 0, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeCountdownSet(views: RecordViews, offset: number): CountdownSet {
  const at = countdownSetLayout;
  const { u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.countdownSet, at.size),
    market: u16[(offset + at.market) >> 1] as number,
    cancelAtUs: readUint53(u32, (offset + at.cancelAtUs) >> 2),
  };
}

type OrderChange = OrderTriggered | OrderAmended | OrderReduced | MatchPrevented | CountdownSet;

/** The event of that kind at `offset`. */
export function decodeOrderChange(
  views: RecordViews,
  offset: number,
  kind: OrderChange["kind"],
): OrderChange {
  if (kind === EventKind.orderTriggered) return decodeOrderTriggered(views, offset);
  if (kind === EventKind.orderAmended) return decodeOrderAmended(views, offset);
  if (kind === EventKind.orderReduced) return decodeOrderReduced(views, offset);
  if (kind === EventKind.matchPrevented) return decodeMatchPrevented(views, offset);
  return decodeCountdownSet(views, offset);
}
