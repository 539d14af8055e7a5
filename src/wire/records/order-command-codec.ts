// Bytes of the commands about orders: place, cancel, cancel all. One pair of functions per kind,
// writing at the offsets of command-layout.ts.

import {
  type AmendOrder,
  type CancelAllOrders,
  type CancelOrder,
  CommandKind,
  type PlaceOrder,
  type SetCountdown,
} from "../../core/commands.ts";
import {
  CancelCondition,
  noOptions,
  type OrderAttachments,
  type OrderOptions,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../core/orders.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import {
  amendOrderLayout,
  attachmentsLayout,
  cancelAllOrdersLayout,
  cancelOrderLayout,
  commandHeaderLayout,
  placeOrderLayout,
  setCountdownLayout,
  specialOrderLayout,
} from "./command-layout.ts";
import {
  highestCode,
  readCode,
  readInt64,
  readLatin1,
  readSafeInteger,
  writeInt64,
  writeLatin1,
  writeSafeInteger,
  writeUint8,
  writeUint16,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const sideHighest = highestCode(Side);
const typeHighest = highestCode(OrderType);
const timeInForceHighest = highestCode(TimeInForce);

const stpModeHighest = highestCode(StpMode);
const workingPriceHighest = highestCode(WorkingPrice);
const cancelConditionHighest = highestCode(CancelCondition);
/** An amend that names no side. */
const noSide = 2;
const Flag = { reduceOnly: 1, closesPosition: 2, special: 4, attached: 8, keyed: 16 } as const;
const flagsHighest = 31;

/** Whether the record carries the options that only special orders have. */
function isSpecial(order: PlaceOrder): boolean {
  return (
    order.goodTillUs !== 0 ||
    order.triggerPrice !== 0 ||
    order.trailingBps !== 0 ||
    order.activationPrice !== 0 ||
    order.quoteQty !== 0n
  );
}

function flagsOf(order: PlaceOrder): number {
  return (
    (order.isReduceOnly ? Flag.reduceOnly : 0) |
    (order.closesPosition ? Flag.closesPosition : 0) |
    (isSpecial(order) ? Flag.special : 0) |
    (order.attached === null ? 0 : Flag.attached) |
    (order.attached?.key == null ? 0 : Flag.keyed)
  );
}

/** Bytes of the fixed part of an order with these flags, attachments included. */
function bytesOfFlags(flags: number): number {
  return attachedFrom(flags) + ((flags & Flag.attached) === 0 ? 0 : attachmentsLayout.size);
}

function attachedFrom(flags: number): number {
  return (flags & Flag.special) === 0 ? placeOrderLayout.size : specialOrderLayout.size;
}

/** Bytes of the fixed part. */
export function placeOrderBytes(order: PlaceOrder): number {
  return bytesOfFlags(flagsOf(order));
}

/** Bytes of the fixed part of the record at `offset`. */
export function placedBytes({ u8 }: RecordViews, offset: number): number {
  return bytesOfFlags(u8[offset + placeOrderLayout.flags] as number);
}

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
  const flags = flagsOf(command);
  u8[offset + at.flags] = flags;
  writeUint8(u8, offset + at.stpMode, command.stpMode);
  writeUint8(u8, offset + at.workingPrice, command.workingPrice);
  if ((flags & Flag.special) !== 0) writeSpecial(views, offset, command);
  if (command.attached !== null) {
    writeAttachments(views, offset + attachedFrom(flags), command.attached);
  }
  const size = bytesOfFlags(flags);
  writeLatin1(u8, offset + size, command.clientId);
  return size + command.clientId.length;
}

function writeSpecial({ f64, i64 }: RecordViews, offset: number, order: PlaceOrder): void {
  const at = specialOrderLayout;
  writeInt64(i64, (offset + at.quoteQty) >> 3, order.quoteQty);
  writeSafeInteger(f64, (offset + at.goodTillUs) >> 3, order.goodTillUs);
  writeSafeInteger(f64, (offset + at.triggerPrice) >> 3, order.triggerPrice);
  writeSafeInteger(f64, (offset + at.activationPrice) >> 3, order.activationPrice);
  writeSafeInteger(f64, (offset + at.trailingBps) >> 3, order.trailingBps);
}

function writeAttachments(
  { f64, i64 }: RecordViews,
  start: number,
  { key, leverage }: OrderAttachments,
): void {
  const at = attachmentsLayout;
  writeInt64(i64, (start + at.keyHigh) >> 3, key?.high ?? 0n);
  writeInt64(i64, (start + at.keyLow) >> 3, key?.low ?? 0n);
  writeInt64(i64, (start + at.payload) >> 3, key?.payload ?? 0n);
  writeSafeInteger(f64, (start + at.leverage) >> 3, leverage);
}

function readAttachments(
  { f64, i64 }: RecordViews,
  start: number,
  isKeyed: boolean,
): OrderAttachments {
  const at = attachmentsLayout;
  const high = readInt64(i64, (start + at.keyHigh) >> 3);
  const low = readInt64(i64, (start + at.keyLow) >> 3);
  const payload = readInt64(i64, (start + at.payload) >> 3);
  const leverage = readSafeInteger(f64, (start + at.leverage) >> 3);
  return { key: isKeyed ? { high, low, payload } : null, leverage };
}

type SpecialOptions = Pick<
  OrderOptions,
  "quoteQty" | "goodTillUs" | "triggerPrice" | "activationPrice" | "trailingBps"
>;

function readSpecial({ f64, i64 }: RecordViews, offset: number): SpecialOptions {
  const at = specialOrderLayout;
  return {
    quoteQty: readInt64(i64, (offset + at.quoteQty) >> 3),
    goodTillUs: readSafeInteger(f64, (offset + at.goodTillUs) >> 3),
    triggerPrice: readSafeInteger(f64, (offset + at.triggerPrice) >> 3),
    activationPrice: readSafeInteger(f64, (offset + at.activationPrice) >> 3),
    trailingBps: readSafeInteger(f64, (offset + at.trailingBps) >> 3),
  };
}

/** The command at `offset`. */
export function decodePlaceOrder(views: RecordViews, offset: number): PlaceOrder {
  const at = placeOrderLayout;
  const { u8, u16, f64 } = views;
  const header = readCommandHeader(views, offset, CommandKind.placeOrder);
  const idLength = u8[offset + commandHeaderLayout.clientIdLength] as number;
  const flags = readCode<number>(u8, offset + at.flags, flagsHighest);
  const isSpecial = (flags & Flag.special) !== 0;
  const special: SpecialOptions = isSpecial ? readSpecial(views, offset) : noOptions;
  const isKeyed = (flags & Flag.keyed) !== 0;
  const attached =
    (flags & Flag.attached) === 0
      ? null
      : readAttachments(views, offset + attachedFrom(flags), isKeyed);
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
    isReduceOnly: (flags & Flag.reduceOnly) !== 0,
    closesPosition: (flags & Flag.closesPosition) !== 0,
    stpMode: readCode<StpMode>(u8, offset + at.stpMode, stpModeHighest),
    workingPrice: readCode<WorkingPrice>(u8, offset + at.workingPrice, workingPriceHighest),
    quoteQty: special.quoteQty,
    goodTillUs: special.goodTillUs,
    triggerPrice: special.triggerPrice,
    activationPrice: special.activationPrice,
    trailingBps: special.trailingBps,
    clientId: readLatin1(u8, offset + bytesOfFlags(flags), idLength),
    attached,
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
  writeUint8(views.u8, offset + at.onlyIf, command.onlyIf ?? CancelCondition.always);
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
    onlyIf: readCode<CancelCondition>(u8, offset + at.onlyIf, cancelConditionHighest),
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

/** Writes `command` at `offset`; returns its bytes. */
export function encodeAmendOrder(views: RecordViews, offset: number, command: AmendOrder): number {
  const at = amendOrderLayout;
  writeCommandHeader(views, offset, command, command.clientId.length);
  writeSafeInteger(views.f64, (offset + at.orderId) >> 3, command.orderId);
  writeSafeInteger(views.f64, (offset + at.price) >> 3, command.price);
  writeSafeInteger(views.f64, (offset + at.qty) >> 3, command.qty);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  writeUint8(views.u8, offset + at.side, command.side ?? noSide);
  writeUint8(views.u8, offset + at.growsNot, command.growsNot === true ? 1 : 0);
  writeLatin1(views.u8, offset + at.size, command.clientId);
  return at.size + command.clientId.length;
}

/** The command at `offset`. */
export function decodeAmendOrder(views: RecordViews, offset: number): AmendOrder {
  const at = amendOrderLayout;
  const { u8, u16, f64 } = views;
  const idLength = u8[offset + commandHeaderLayout.clientIdLength] as number;
  const side = readCode<number>(u8, offset + at.side, noSide);
  return {
    ...readCommandHeader(views, offset, CommandKind.amendOrder),
    market: u16[(offset + at.market) >> 1] as number,
    orderId: readSafeInteger(f64, (offset + at.orderId) >> 3),
    price: readSafeInteger(f64, (offset + at.price) >> 3),
    qty: readSafeInteger(f64, (offset + at.qty) >> 3),
    clientId: readLatin1(u8, offset + at.size, idLength),
    side: side === noSide ? null : (side as Side),
    growsNot: u8[offset + at.growsNot] !== 0,
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetCountdown(
  views: RecordViews,
  offset: number,
  command: SetCountdown,
): number {
  const at = setCountdownLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.cancelAtUs) >> 3, command.cancelAtUs);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  return at.size;
}

/** The command at `offset`. */
export function decodeSetCountdown(views: RecordViews, offset: number): SetCountdown {
  const at = setCountdownLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.setCountdown),
    market: views.u16[(offset + at.market) >> 1] as number,
    cancelAtUs: readSafeInteger(views.f64, (offset + at.cancelAtUs) >> 3),
  };
}
