// The header that every event starts with. `bytes` makes an event self-delimiting: a record or row
// that is shorter or longer than its event says is found before any field is believed.
//
//   0         8         16        20     21      22       24
//   ┌─────────┬─────────┬─────────┬──────┬───────┬────────┬──────────────────────┐
//   │ seq     │ tsUs    │ account │ kind │ flags │ bytes  │ body, then client id │
//   │ ulong   │ ulong   │ uint    │ ubyte│ ubyte │ ushort │                      │
//   └─────────┴─────────┴─────────┴──────┴───────┴────────┴──────────────────────┘
//
// Little-endian, fields aligned to their size. `ulong` carries at most 53 bits, filler bytes are zero.

import { assert } from "../../core/assert.ts";
import type { EventKind, VenueEvent } from "../../core/generated/events.ts";
import { readFlag, readUint53, writeUint32, writeUint53 } from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

/** In front of every event. */
export const headerLayout = {
  seq: 0,
  tsUs: 8,
  account: 16,
  kind: 20,
  /** 1: last event of its unit. */
  flags: 21,
  /** Length of the whole event, client id included. */
  bytes: 22,
  size: 24,
} as const;

const at = headerLayout;

/** Writes the header of `event`, which takes `bytes` in all (at most `eventBytesMax`). */
export function writeEventHeader(
  views: RecordViews,
  offset: number,
  event: VenueEvent,
  bytes: number,
): void {
  const { u32 } = views;
  writeUint53(u32, (offset + at.seq) >> 2, event.seq);
  writeUint53(u32, (offset + at.tsUs) >> 2, event.tsUs);
  writeUint32(u32, (offset + at.account) >> 2, event.account);
  // Kind, flags and length share one word, lowest byte first.
  u32[(offset + at.kind) >> 2] = event.kind | (event.isUnitEnd ? 1 << 8 : 0) | (bytes << 16);
}

/** The kind of the event of `length` bytes at `offset`; asserts that it is as long as it says. */
export function eventKindAt(views: RecordViews, offset: number, length: number): EventKind {
  assert(length >= at.size, "an event has a header");
  assert(views.u16[(offset + at.bytes) >> 1] === length, "an event is as long as it says");
  return views.u8[offset + at.kind] as EventKind;
}

/** The fields of the header; asserts that the event of `kind` has the `bytes` it says. */
export function readEventHeader<Kind extends number>(
  views: RecordViews,
  offset: number,
  kind: Kind,
  bytes: number,
): { seq: number; tsUs: number; account: number; isUnitEnd: boolean; kind: Kind } {
  const { u8, u16, u32 } = views;
  assert(u16[(offset + at.bytes) >> 1] === bytes, "an event has the length of its kind");
  return {
    seq: readUint53(u32, (offset + at.seq) >> 2),
    tsUs: readUint53(u32, (offset + at.tsUs) >> 2),
    account: u32[(offset + at.account) >> 2] as number,
    isUnitEnd: readFlag(u8, offset + at.flags),
    kind,
  };
}
