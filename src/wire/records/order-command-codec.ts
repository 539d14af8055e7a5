// Bytes of the command that places an order, whose length depends on what it asks: one that is plain does not
// pay for special options or for what goes with an order.

import { assert } from "../../core/assert.ts";
import { CommandKind, type PlaceOrder } from "../../core/generated/commands.ts";
import { clientIdBytesMax, commandBytesMax } from "../../core/limits.ts";
import {
  noOptions,
  type OrderAttachments,
  type OrderOptions,
  OrderType,
  Side,
  StpMode,
  TimeInForce,
  WorkingPrice,
} from "../../core/orders.ts";
import { clientIdLengthAt, readCommandHeader, writeCommandHeader } from "./command-header.ts";
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

/** The client id follows the fixed part. */
const placeOrderLayout = {
  price: 32,
  qty: 40,
  market: 48,
  side: 50,
  type: 51,
  timeInForce: 52,
  /** 1: reduce-only; 2: closes the position; 4: special options follow; 8: attachments, 16: with a key. */
  flags: 53,
  stpMode: 54,
  workingPrice: 55,
  size: 56,
} as const;

/** The fixed part of an order with special options: a plain one does not pay for them. */
const specialOrderLayout = {
  quoteQty: 56,
  goodTillUs: 64,
  triggerPrice: 72,
  activationPrice: 80,
  trailingBps: 88,
  size: 96,
} as const;

/** What goes with an order, behind its fixed part or its special options: offsets from there. */
const attachmentsLayout = {
  keyHigh: 0,
  keyLow: 8,
  payload: 16,
  leverage: 24,
  size: 32,
} as const;

assert(
  specialOrderLayout.size + attachmentsLayout.size + clientIdBytesMax <= commandBytesMax,
  "the longest command has room",
);

const sideHighest = highestCode(Side);
const typeHighest = highestCode(OrderType);
const timeInForceHighest = highestCode(TimeInForce);

const stpModeHighest = highestCode(StpMode);
const workingPriceHighest = highestCode(WorkingPrice);
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
export function placeOrderBytesAt({ u8 }: RecordViews, offset: number): number {
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
  const idLength = clientIdLengthAt(views, offset);
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
