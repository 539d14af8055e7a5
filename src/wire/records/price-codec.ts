// Bytes of the command and events about prices that nobody traded at: marks, references from outside and the
// average basis. Written at the offsets of the two layouts; views are over aligned memory, `offset` is a
// multiple of 8.

import { unreachable } from "../../core/assert.ts";
import { CommandKind, type SetReference, type SetRiskTerm } from "../../core/commands.ts";
import {
  type BasisAveraged,
  EventKind,
  type IndexMeasured,
  type Marked,
  type ReferenceSet,
  type RiskTermSet,
} from "../../core/events.ts";
import { IndexOrigin } from "../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../core/perpetuals/risk-terms.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { setReferenceLayout, setRiskTermLayout } from "./command-layout.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import {
  basisAveragedLayout,
  indexMeasuredLayout,
  markedLayout,
  referenceSetLayout,
  riskTermSetLayout,
} from "./event-layout.ts";
import {
  highestCode,
  readCode,
  readFlag,
  readInt64,
  readSafeInteger,
  readUint53,
  writeFlag,
  writeHalfAndBytes,
  writeInt64,
  writeSafeInteger,
  writeUint8,
  writeUint16,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

type PriceEvent = Marked | ReferenceSet | BasisAveraged | RiskTermSet | IndexMeasured;

const originHighest = highestCode(IndexOrigin);
const termHighest = highestCode(RiskTerm);

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetReference(
  views: RecordViews,
  offset: number,
  command: SetReference,
): number {
  const at = setReferenceLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.price) >> 3, command.price);
  writeSafeInteger(views.f64, (offset + at.untilUs) >> 3, command.untilUs);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  writeUint8(views.u8, offset + at.origin, command.origin);
  return at.size;
}

/** The command at `offset`. */
export function decodeSetReference(views: RecordViews, offset: number): SetReference {
  const at = setReferenceLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.setReference),
    market: views.u16[(offset + at.market) >> 1] as number,
    origin: readCode(views.u8, offset + at.origin, originHighest),
    price: readSafeInteger(views.f64, (offset + at.price) >> 3),
    untilUs: readSafeInteger(views.f64, (offset + at.untilUs) >> 3),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetRiskTerm(
  views: RecordViews,
  offset: number,
  command: SetRiskTerm,
): number {
  const at = setRiskTermLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.value) >> 3, command.value);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  writeUint8(views.u8, offset + at.term, command.term);
  return at.size;
}

/** The command at `offset`. */
export function decodeSetRiskTerm(views: RecordViews, offset: number): SetRiskTerm {
  const at = setRiskTermLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.setRiskTerm),
    market: views.u16[(offset + at.market) >> 1] as number,
    term: readCode(views.u8, offset + at.term, termHighest),
    value: readSafeInteger(views.f64, (offset + at.value) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodePriceEvent(views: RecordViews, offset: number, event: PriceEvent): number {
  switch (event.kind) {
    case EventKind.marked:
      return encodeMarked(views, offset, event);
    case EventKind.referenceSet:
      return encodeReferenceSet(views, offset, event);
    case EventKind.basisAveraged:
      return encodeBasisAveraged(views, offset, event);
    case EventKind.riskTermSet:
      return encodeRiskTermSet(views, offset, event);
    case EventKind.indexMeasured:
      return encodeIndexMeasured(views, offset, event);
    default:
      return unreachable(event);
  }
}

/** The event of `kind` at `offset`. */
export function decodePriceEvent(
  views: RecordViews,
  offset: number,
  kind: PriceEvent["kind"],
): PriceEvent {
  switch (kind) {
    case EventKind.marked:
      return decodeMarked(views, offset);
    case EventKind.referenceSet:
      return decodeReferenceSet(views, offset);
    case EventKind.basisAveraged:
      return decodeBasisAveraged(views, offset);
    case EventKind.riskTermSet:
      return decodeRiskTermSet(views, offset);
    case EventKind.indexMeasured:
      return decodeIndexMeasured(views, offset);
    default:
      return unreachable(kind);
  }
}

function encodeReferenceSet(views: RecordViews, offset: number, event: ReferenceSet): number {
  const at = referenceSetLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.untilUs) >> 2, event.untilUs);
  writeUint32(u32, (offset + at.price) >> 2, event.price);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.origin, 0);
  return at.size;
}

function decodeReferenceSet(views: RecordViews, offset: number): ReferenceSet {
  const at = referenceSetLayout;
  const { u8, u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.referenceSet, at.size),
    market: u16[(offset + at.market) >> 1] as number,
    origin: readCode(u8, offset + at.origin, originHighest),
    price: u32[(offset + at.price) >> 2] as number,
    untilUs: readUint53(u32, (offset + at.untilUs) >> 2),
  };
}

function encodeBasisAveraged(views: RecordViews, offset: number, event: BasisAveraged): number {
  const at = basisAveragedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.basis) >> 3, BigInt(event.basis));
  writeHalfAndBytes(views.u32, (offset + at.market) >> 2, event.market, 0, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeBasisAveraged(views: RecordViews, offset: number): BasisAveraged {
  const at = basisAveragedLayout;
  return {
    ...readEventHeader(views, offset, EventKind.basisAveraged, at.size),
    market: views.u16[(offset + at.market) >> 1] as number,
    basis: Number(readInt64(views.i64, (offset + at.basis) >> 3)),
  };
}

function encodeRiskTermSet(views: RecordViews, offset: number, event: RiskTermSet): number {
  const at = riskTermSetLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(views.u32, (offset + at.value) >> 2, event.value);
  writeHalfAndBytes(views.u32, (offset + at.market) >> 2, event.market, event.term, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeRiskTermSet(views: RecordViews, offset: number): RiskTermSet {
  const at = riskTermSetLayout;
  return {
    ...readEventHeader(views, offset, EventKind.riskTermSet, at.size),
    market: views.u16[(offset + at.market) >> 1] as number,
    term: readCode(views.u8, offset + at.term, termHighest),
    value: readUint53(views.u32, (offset + at.value) >> 2),
  };
}

function encodeIndexMeasured(views: RecordViews, offset: number, event: IndexMeasured): number {
  const at = indexMeasuredLayout;
  const { u8, u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(u32, (offset + at.level) >> 2, event.level);
  writeUint53(u32, (offset + at.believed) >> 2, event.believed);
  writeUint53(u32, (offset + at.leap) >> 2, event.leap);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, event.witnesses, 0);
  writeFlag(u8, offset + at.isFresh, event.isFresh);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeIndexMeasured(views: RecordViews, offset: number): IndexMeasured {
  const at = indexMeasuredLayout;
  const { u8, u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.indexMeasured, at.size),
    market: u16[(offset + at.market) >> 1] as number,
    level: readUint53(u32, (offset + at.level) >> 2),
    believed: readUint53(u32, (offset + at.believed) >> 2),
    leap: readUint53(u32, (offset + at.leap) >> 2),
    witnesses: u8[offset + at.witnesses] as number,
    isFresh: readFlag(u8, offset + at.isFresh),
  };
}

function encodeMarked(views: RecordViews, offset: number, event: Marked): number {
  const at = markedLayout;
  const { u32 } = views;
  writeEventHeader(views, offset, event, at.size);
  writeUint32(u32, (offset + at.mark) >> 2, event.mark);
  writeUint32(u32, (offset + at.index) >> 2, event.index);
  writeHalfAndBytes(u32, (offset + at.market) >> 2, event.market, 0, 0);
  u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

function decodeMarked(views: RecordViews, offset: number): Marked {
  const at = markedLayout;
  const { u16, u32 } = views;
  return {
    ...readEventHeader(views, offset, EventKind.marked, at.size),
    market: u16[(offset + at.market) >> 1] as number,
    mark: u32[(offset + at.mark) >> 2] as number,
    index: u32[(offset + at.index) >> 2] as number,
  };
}
