// Decodes events at any address: the rows that the database returns are not aligned. The journal may have been continued
// by a later version of the program, whose new kinds of events are refused in words.

import { assert } from "../../core/assert.ts";
import { EventKind, type VenueEvent } from "../../core/generated/events.ts";
import { eventBytesMax } from "../../core/limits.ts";
import type { EventChunk } from "../../ports/journal/event-store.ts";
import { decodeEvent } from "../generated/event-codec.ts";
import { createRecordViews } from "./record-views.ts";

/** Aligned memory for one event. */
const scratch = createRecordViews(new ArrayBuffer(eventBytesMax));

/** Where every event has its kind. */
const kindAt = 20;

/** 1 for each kind that this program knows. */
const knownKinds = new Uint8Array(256);
for (const kind of Object.values(EventKind)) knownKinds[kind] = 1;

/** The journal has an event that only a later version of the program can read. Not a bug of this one. */
export class UnknownEvent extends Error {
  override name = "UnknownEvent";

  constructor(kind: number) {
    super(
      `the journal has events of kind ${kind}, which this version of the program does not know: ` +
        "a later version has written them; run that version here too",
    );
  }
}

/** Decodes the event in `length` bytes at `start` of memory of any alignment; otherwise like `decodeEvent`. Throws UnknownEvent for the event of a later version. */
export function decodeEventBytes(bytes: Uint8Array, start: number, length: number): VenueEvent {
  assert(start >= 0 && start + length <= bytes.length, "the event must be inside the given bytes");
  assert(length <= eventBytesMax, "an event must be at most eventBytesMax bytes long");
  const kind = bytes[start + kindAt] ?? 0;
  if (length > kindAt && knownKinds[kind] === 0) throw new UnknownEvent(kind);
  const { u8 } = scratch;
  // A loop, because `set` needs a subarray, which costs more than copying a hundred bytes.
  for (let i = 0; i < length; i++) u8[i] = bytes[start + i] as number;
  return decodeEvent(scratch, 0, length);
}

/** Passes the events of a chunk to `fold`, in order. */
export function foldChunk(chunk: EventChunk, fold: (event: VenueEvent) => void): void {
  for (let index = 0; index < chunk.count; index++) {
    const start = chunk.offsets[index] ?? 0;
    fold(decodeEventBytes(chunk.bytes, start, chunk.lengths[index] ?? 0));
  }
}
