// Bytes of the command and events about prices that nobody traded at: marks, references from outside and the
// average basis. Written at the offsets of the two layouts; views are over aligned memory, `offset` is a
// multiple of 8.

import { CommandKind, type SetReference, type SetRiskTerm } from "../../core/commands.ts";
import { IndexOrigin } from "../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../core/perpetuals/risk-terms.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { setReferenceLayout, setRiskTermLayout } from "./command-layout.ts";
import {
  highestCode,
  readCode,
  readSafeInteger,
  writeSafeInteger,
  writeUint8,
  writeUint16,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

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
