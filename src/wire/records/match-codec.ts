// What clearing asks a matcher and what it answers, as fixed records of one cache line. Numbers are
// float64 holding safe integers: one store each, exact to 53 bits, and the records are never stored.
//
//            0      1        2      4       8            12        16        24      32          40       48      64
//            ┌──────┬────────┬──────┬───────┬────────────┬─────────┬─────────┬───────┬───────────┬────────┬───────┐
//   request  │ kind │ lane   │market│ slot  │ generation │ account │ price   │ qty   │ side type │ budget │ seen  │
//            │ u8   │ u8     │ u16  │ u32   │ u32        │ u32     │ f64     │ f64   │ tif flags │ f64    │ qty   │
//   filled   │ 10   │        │      │ taker │ maker slot │         │ price   │ qty   │ u8 × 4    │        │ f64   │
//   ended    │ 11   │ lane   │market│ slot  │ generation │ outcome │remaining│ bid   │ ask f64   │        │       │
//   reduced  │ 12   │        │      │ taker │ maker slot │         │         │ qty   │           │        │       │
//   removed  │ 13   │        │      │ taker │ maker slot │ reason  │remaining│       │           │        │       │
//   met      │ 14   │        │      │ taker │ maker slot │         │         │       │           │        │       │
//            └──────┴────────┴──────┴───────┴────────────┴─────────┴─────────┴───────┴───────────┴────────┴───────┘
//   flags: bits 0 … 2 self-trade prevention mode, bit 3 reduce-only

import { assert, unreachable } from "../../core/assert.ts";
import { matcherRecordBytes } from "../../core/limits.ts";
import {
  MatchLane,
  MatchOutcome,
  type MatchReplySink,
  type MatchRequest,
  MatchRequestKind,
  RemovalReason,
} from "../../core/match-messages.ts";
import { OrderType, Side, StpMode, TimeInForce } from "../../core/orders.ts";
import {
  highestCode,
  readCode,
  readSafeInteger,
  writeSafeInteger,
  writeUint8,
  writeUint16,
  writeUint32,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const at = {
  kind: 0,
  lane: 1,
  market: 2,
  slot: 4,
  generation: 8,
  makerSlot: 8,
  account: 12,
  outcome: 12,
  reason: 12,
  price: 16,
  remaining: 16,
  qty: 24,
  bestBid: 24,
  bestAsk: 32,
  side: 32,
  type: 33,
  timeInForce: 34,
  flags: 35,
  budget: 40,
  seenQty: 48,
} as const;

const stpModeBits = 7;
const reduceOnlyBit = 8;

/** Not among the request kinds, so that a record in the wrong ring is noticed. */
const ReplyKind = { filled: 10, ended: 11, reduced: 12, removed: 13, met: 14 } as const;
type ReplyKind = (typeof ReplyKind)[keyof typeof ReplyKind];

const sideHighest = highestCode(Side);
const typeHighest = highestCode(OrderType);
const timeInForceHighest = highestCode(TimeInForce);
const laneHighest = highestCode(MatchLane);
const outcomeHighest = highestCode(MatchOutcome);
const stpModeHighest = highestCode(StpMode);
const reasonHighest = highestCode(RemovalReason);
const requestKindHighest = highestCode(MatchRequestKind);

/** Writes `request` into `matcherRecordBytes` at byte `offset` (a multiple of 8). */
export function encodeMatchRequest(
  views: RecordViews,
  offset: number,
  request: MatchRequest,
): void {
  const { u8, u16, u32, f64 } = views;
  writeUint8(u8, offset + at.kind, request.kind);
  writeUint16(u16, (offset + at.market) >> 1, request.market);
  writeUint32(u32, (offset + at.slot) >> 2, request.slot);
  writeUint32(u32, (offset + at.generation) >> 2, request.generation);
  writeUint32(u32, (offset + at.account) >> 2, request.account);
  writeSafeInteger(f64, (offset + at.price) >> 3, request.price);
  writeSafeInteger(f64, (offset + at.qty) >> 3, request.qty);
  writeUint8(u8, offset + at.side, request.side);
  writeUint8(u8, offset + at.type, request.type);
  writeUint8(u8, offset + at.timeInForce, request.timeInForce);
  writeUint8(u8, offset + at.flags, request.stpMode | (request.isReduceOnly ? reduceOnlyBit : 0));
  writeSafeInteger(f64, (offset + at.budget) >> 3, request.budget);
  writeSafeInteger(f64, (offset + at.seenQty) >> 3, request.seenQty);
}

/** Reads the request of `length` bytes at `offset` into `into`; asserts its kind and codes. */
export function decodeMatchRequest(
  views: RecordViews,
  offset: number,
  length: number,
  into: MatchRequest,
): void {
  const { u8, u16, u32, f64 } = views;
  assert(length === matcherRecordBytes, "a matcher record has its length");
  assert(u8[offset + at.kind] !== 0, "a request has a kind");
  into.kind = readCode<MatchRequestKind>(u8, offset + at.kind, requestKindHighest);
  into.market = u16[(offset + at.market) >> 1] as number;
  into.slot = u32[(offset + at.slot) >> 2] as number;
  into.generation = u32[(offset + at.generation) >> 2] as number;
  into.account = u32[(offset + at.account) >> 2] as number;
  into.price = readSafeInteger(f64, (offset + at.price) >> 3);
  into.qty = readSafeInteger(f64, (offset + at.qty) >> 3);
  into.side = readCode<Side>(u8, offset + at.side, sideHighest);
  into.type = readCode<OrderType>(u8, offset + at.type, typeHighest);
  into.timeInForce = readCode<TimeInForce>(u8, offset + at.timeInForce, timeInForceHighest);
  const flags = u8[offset + at.flags] as number;
  const stpMode = flags & stpModeBits;
  assert(stpMode <= stpModeHighest && flags < 2 * reduceOnlyBit, "the flags of a request");
  into.stpMode = stpMode as StpMode;
  into.isReduceOnly = (flags & reduceOnlyBit) !== 0;
  into.budget = readSafeInteger(f64, (offset + at.budget) >> 3);
  into.seenQty = readSafeInteger(f64, (offset + at.seenQty) >> 3);
}

/** Writes a fill, the arguments of `MatchReplySink.filled`, into `matcherRecordBytes` at `offset`. */
export function encodeFilled(
  views: RecordViews,
  offset: number,
  takerSlot: number,
  makerSlot: number,
  price: number,
  qty: number,
): void {
  const { u8, u32, f64 } = views;
  u8[offset + at.kind] = ReplyKind.filled;
  writeUint32(u32, (offset + at.slot) >> 2, takerSlot);
  writeUint32(u32, (offset + at.makerSlot) >> 2, makerSlot);
  writeSafeInteger(f64, (offset + at.price) >> 3, price);
  writeSafeInteger(f64, (offset + at.qty) >> 3, qty);
}

/** Writes the arguments of `MatchReplySink.reduced` into `matcherRecordBytes` at `offset`. */
export function encodeReduced(
  views: RecordViews,
  offset: number,
  takerSlot: number,
  makerSlot: number,
  qty: number,
): void {
  const { u8, u32, f64 } = views;
  u8[offset + at.kind] = ReplyKind.reduced;
  writeUint32(u32, (offset + at.slot) >> 2, takerSlot);
  writeUint32(u32, (offset + at.makerSlot) >> 2, makerSlot);
  writeSafeInteger(f64, (offset + at.qty) >> 3, qty);
}

/** Writes the arguments of `MatchReplySink.removed` into `matcherRecordBytes` at `offset`. */
export function encodeRemoved(
  views: RecordViews,
  offset: number,
  takerSlot: number,
  makerSlot: number,
  reason: RemovalReason,
  remaining: number,
): void {
  const { u8, u32, f64 } = views;
  u8[offset + at.kind] = ReplyKind.removed;
  writeUint32(u32, (offset + at.slot) >> 2, takerSlot);
  writeUint32(u32, (offset + at.makerSlot) >> 2, makerSlot);
  writeUint8(u8, offset + at.reason, reason);
  writeSafeInteger(f64, (offset + at.remaining) >> 3, remaining);
}

/** Writes the arguments of `MatchReplySink.met` into `matcherRecordBytes` at `offset`. */
export function encodeMet(
  views: RecordViews,
  offset: number,
  takerSlot: number,
  makerSlot: number,
): void {
  const { u8, u32 } = views;
  u8[offset + at.kind] = ReplyKind.met;
  writeUint32(u32, (offset + at.slot) >> 2, takerSlot);
  writeUint32(u32, (offset + at.makerSlot) >> 2, makerSlot);
}

/** Writes an end, the arguments of `MatchReplySink.ended`, into `matcherRecordBytes` at `offset`. */
export function encodeEnded(
  views: RecordViews,
  offset: number,
  market: number,
  slot: number,
  generation: number,
  lane: MatchLane,
  outcome: MatchOutcome,
  remaining: number,
  bestBid: number,
  bestAsk: number,
): void {
  const { u8, u16, u32, f64 } = views;
  u8[offset + at.kind] = ReplyKind.ended;
  writeUint8(u8, offset + at.lane, lane);
  writeUint16(u16, (offset + at.market) >> 1, market);
  writeUint32(u32, (offset + at.slot) >> 2, slot);
  writeUint32(u32, (offset + at.generation) >> 2, generation);
  writeUint8(u8, offset + at.outcome, outcome);
  writeSafeInteger(f64, (offset + at.remaining) >> 3, remaining);
  writeSafeInteger(f64, (offset + at.bestBid) >> 3, bestBid);
  writeSafeInteger(f64, (offset + at.bestAsk) >> 3, bestAsk);
}

/** Hands the reply of `length` bytes at `offset` to `sink`; asserts its kind and codes. */
export function deliverMatchReply(
  views: RecordViews,
  offset: number,
  length: number,
  sink: MatchReplySink,
): void {
  const { u8, u16, u32, f64 } = views;
  assert(length === matcherRecordBytes, "a matcher record has its length");
  const kind = u8[offset + at.kind] as ReplyKind;
  switch (kind) {
    case ReplyKind.filled:
      sink.filled(
        u32[(offset + at.slot) >> 2] as number,
        u32[(offset + at.makerSlot) >> 2] as number,
        readSafeInteger(f64, (offset + at.price) >> 3),
        readSafeInteger(f64, (offset + at.qty) >> 3),
      );
      break;
    case ReplyKind.ended:
      assert(u8[offset + at.outcome] !== 0, "an end has an outcome");
      sink.ended(
        u16[(offset + at.market) >> 1] as number,
        u32[(offset + at.slot) >> 2] as number,
        u32[(offset + at.generation) >> 2] as number,
        readCode<MatchLane>(u8, offset + at.lane, laneHighest),
        readCode<MatchOutcome>(u8, offset + at.outcome, outcomeHighest),
        readSafeInteger(f64, (offset + at.remaining) >> 3),
        readSafeInteger(f64, (offset + at.bestBid) >> 3),
        readSafeInteger(f64, (offset + at.bestAsk) >> 3),
      );
      break;
    case ReplyKind.reduced:
      sink.reduced(
        u32[(offset + at.slot) >> 2] as number,
        u32[(offset + at.makerSlot) >> 2] as number,
        readSafeInteger(f64, (offset + at.qty) >> 3),
      );
      break;
    case ReplyKind.met:
      sink.met(u32[(offset + at.slot) >> 2] as number, u32[(offset + at.makerSlot) >> 2] as number);
      break;
    case ReplyKind.removed:
      assert(u8[offset + at.reason] !== 0, "a removal has a reason");
      sink.removed(
        u32[(offset + at.slot) >> 2] as number,
        u32[(offset + at.makerSlot) >> 2] as number,
        readCode<RemovalReason>(u8, offset + at.reason, reasonHighest),
        readSafeInteger(f64, (offset + at.remaining) >> 3),
      );
      break;
    default:
      unreachable(kind);
  }
}
