// The header that every event starts with. `bytes` makes an event self-delimiting: a record or row
// that is shorter or longer than its event says is found before any field is believed.

import { assert } from "../core/assert.ts";
import type { VenueEvent } from "../core/events.ts";
import { headerLayout as at } from "./event-layout.ts";
import {
  readFlag,
  readUint53,
  writeFlag,
  writeUint8,
  writeUint16,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

/**
 * Writes the header of `event`, which takes `bytes` in all and whose fixed part ends at `fixedBytes`.
 * Zeroes the last eight bytes of the fixed part first, where every filler byte of every layout lies.
 */
export function writeEventHeader(
  views: RecordViews,
  offset: number,
  event: VenueEvent,
  size: { readonly fixedBytes: number; readonly bytes: number },
): void {
  const { u8, u16, u32 } = views;
  const lastWord = (offset + size.fixedBytes - 8) >> 2;
  u32[lastWord] = 0;
  u32[lastWord + 1] = 0;
  writeUint53(u32, (offset + at.seq) >> 2, event.seq);
  writeUint53(u32, (offset + at.tsUs) >> 2, event.tsUs);
  writeUint32(u32, (offset + at.account) >> 2, event.account);
  writeUint8(u8, offset + at.kind, event.kind);
  writeFlag(u8, offset + at.flags, event.isUnitEnd);
  writeUint16(u16, (offset + at.bytes) >> 1, size.bytes);
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
