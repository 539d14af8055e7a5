// Bytes of the commands about orders: place, cancel, cancel all. One pair of functions per kind,
// writing at the offsets of command-layout.ts.

import {
  type CancelAllOrders,
  type CancelOrder,
  CommandKind,
  type PlaceOrder,
} from "../core/commands.ts";
import { OrderType, Side, TimeInForce } from "../core/orders.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import {
  cancelAllOrdersLayout,
  cancelOrderLayout,
  commandHeaderLayout,
  placeOrderLayout,
} from "./command-layout.ts";
import {
  highestCode,
  readCode,
  readLatin1,
  readSafeInteger,
  writeLatin1,
  writeSafeInteger,
  writeUint8,
  writeUint16,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const sideHighest = highestCode(Side);
const typeHighest = highestCode(OrderType);
const timeInForceHighest = highestCode(TimeInForce);

/** Writes `command` at `offset`; returns its bytes. */
export function encodePlaceOrder(views: RecordViews, offset: number, command: PlaceOrder): number {
  const at = placeOrderLayout;
  const { u8, u16, f64 } = views;
  writeCommandHeader(views, offset, command, command.clientId.length);
  writeSafeInteger(f64, (offset + at.price) >> 3, command.price);
  writeSafeInteger(f64, (offset + at.qty) >> 3, command.qty);
  writeUint16(u16, (offset + at.market) >> 1, command.market);
  writeUint8(u8, offset + at.side, command.side);
  writeUint8(u8, offset + at.type, command.type);
  writeUint8(u8, offset + at.timeInForce, command.timeInForce);
  writeLatin1(u8, offset + at.size, command.clientId);
  return at.size + command.clientId.length;
}

/** The command at `offset`. */
export function decodePlaceOrder(views: RecordViews, offset: number): PlaceOrder {
  const at = placeOrderLayout;
  const { u8, u16, f64 } = views;
  const header = readCommandHeader(views, offset, CommandKind.placeOrder);
  const idLength = u8[offset + commandHeaderLayout.clientIdLength] as number;
  return {
    kind: header.kind,
    source: header.source,
    correlation: header.correlation,
    atUs: header.atUs,
    deadlineUs: header.deadlineUs,
    account: header.account,
    market: u16[(offset + at.market) >> 1] as number,
    side: readCode<Side>(u8, offset + at.side, sideHighest),
    type: readCode<OrderType>(u8, offset + at.type, typeHighest),
    timeInForce: readCode<TimeInForce>(u8, offset + at.timeInForce, timeInForceHighest),
    price: readSafeInteger(f64, (offset + at.price) >> 3),
    qty: readSafeInteger(f64, (offset + at.qty) >> 3),
    clientId: readLatin1(u8, offset + at.size, idLength),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeCancelOrder(
  views: RecordViews,
  offset: number,
  command: CancelOrder,
): number {
  const at = cancelOrderLayout;
  writeCommandHeader(views, offset, command, command.clientId.length);
  writeSafeInteger(views.f64, (offset + at.orderId) >> 3, command.orderId);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  writeLatin1(views.u8, offset + at.size, command.clientId);
  return at.size + command.clientId.length;
}

/** The command at `offset`. */
export function decodeCancelOrder(views: RecordViews, offset: number): CancelOrder {
  const at = cancelOrderLayout;
  const { u8, u16, f64 } = views;
  const header = readCommandHeader(views, offset, CommandKind.cancelOrder);
  const idLength = u8[offset + commandHeaderLayout.clientIdLength] as number;
  return {
    kind: header.kind,
    source: header.source,
    correlation: header.correlation,
    atUs: header.atUs,
    deadlineUs: header.deadlineUs,
    account: header.account,
    market: u16[(offset + at.market) >> 1] as number,
    orderId: readSafeInteger(f64, (offset + at.orderId) >> 3),
    clientId: readLatin1(u8, offset + at.size, idLength),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeCancelAllOrders(
  views: RecordViews,
  offset: number,
  command: CancelAllOrders,
): number {
  writeCommandHeader(views, offset, command, 0);
  writeUint16(views.u16, (offset + cancelAllOrdersLayout.market) >> 1, command.market);
  return cancelAllOrdersLayout.size;
}

/** The command at `offset`. */
export function decodeCancelAllOrders(views: RecordViews, offset: number): CancelAllOrders {
  return {
    ...readCommandHeader(views, offset, CommandKind.cancelAllOrders),
    market: views.u16[(offset + cancelAllOrdersLayout.market) >> 1] as number,
  };
}
