// The header that every command starts with: who asked, when, until when, for which account. Commands live in
// a ring for microseconds and are never stored, so numbers that a client can influence travel as float64 holding a
// safe integer of either sign: clearing answers a negative or absurd one with a refusal, the codec must not stop on it.
//
//   0      1           2        4             8      16           24        32
//   ┌──────┬───────────┬────────┬─────────────┬──────┬────────────┬─────────┬──────────────────────┐
//   │ kind │ id length │ source │ correlation │ atUs │ deadlineUs │ account │ body, then client id │
//   │ u8   │ u8        │ u16    │ u32         │ f64  │ f64        │ f64     │                      │
//   └──────┴───────────┴────────┴─────────────┴──────┴────────────┴─────────┴──────────────────────┘

import type { Command } from "../../core/generated/commands.ts";
import {
  readSafeInteger,
  writeSafeInteger,
  writeUint8,
  writeUint16,
  writeUint32,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const at = {
  kind: 0,
  clientIdLength: 1,
  source: 2,
  correlation: 4,
  atUs: 8,
  deadlineUs: 16,
  account: 24,
} as const;

/** How many characters the client id of the command at `offset` has. */
export function clientIdLengthAt({ u8 }: RecordViews, offset: number): number {
  return u8[offset + at.clientIdLength] as number;
}

/** Writes the header of `command`, whose client id has `clientIdLength` characters. */
export function writeCommandHeader(
  views: RecordViews,
  offset: number,
  command: Command,
  clientIdLength: number,
): void {
  const { u8, u16, u32, f64 } = views;
  writeUint8(u8, offset + at.kind, command.kind);
  writeUint8(u8, offset + at.clientIdLength, clientIdLength);
  writeUint16(u16, (offset + at.source) >> 1, command.source);
  writeUint32(u32, (offset + at.correlation) >> 2, command.correlation);
  writeSafeInteger(f64, (offset + at.atUs) >> 3, command.atUs);
  writeSafeInteger(f64, (offset + at.deadlineUs) >> 3, command.deadlineUs);
  writeSafeInteger(f64, (offset + at.account) >> 3, command.account);
}

/** The fields of the header, and the kind that its caller has looked up. */
export function readCommandHeader<Kind extends number>(
  views: RecordViews,
  offset: number,
  kind: Kind,
): {
  kind: Kind;
  source: number;
  correlation: number;
  atUs: number;
  deadlineUs: number;
  account: number;
} {
  const { u16, u32, f64 } = views;
  return {
    kind,
    source: u16[(offset + at.source) >> 1] as number,
    correlation: u32[(offset + at.correlation) >> 2] as number,
    atUs: readSafeInteger(f64, (offset + at.atUs) >> 3),
    deadlineUs: readSafeInteger(f64, (offset + at.deadlineUs) >> 3),
    account: readSafeInteger(f64, (offset + at.account) >> 3),
  };
}
