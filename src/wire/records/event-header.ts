// The header that every event starts with. `bytes` makes an event self-delimiting: a record or row
// that is shorter or longer than its event says is found before any field is believed.

import { assert } from "../../core/assert.ts";
import type { VenueEvent } from "../../core/events.ts";
import { headerLayout as at } from "./event-layout.ts";
import { readFlag, readUint53, writeUint32, writeUint53 } from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

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
