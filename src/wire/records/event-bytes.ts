// Decodes events at any address: the rows that the database returns are not aligned.

import { assert } from "../../core/assert.ts";
import type { VenueEvent } from "../../core/generated/events.ts";
import { eventBytesMax } from "../../core/limits.ts";
import { decodeEvent } from "../generated/event-codec.ts";
import { createRecordViews } from "./record-views.ts";

/** Aligned memory for one event. */
const scratch = createRecordViews(new ArrayBuffer(eventBytesMax));

/** Decodes the event in `length` bytes at `start` of memory of any alignment; otherwise like `decodeEvent`. */
export function decodeEventBytes(bytes: Uint8Array, start: number, length: number): VenueEvent {
  assert(start >= 0 && start + length <= bytes.length, "the event must be inside the given bytes");
  assert(length <= eventBytesMax, "an event must be at most eventBytesMax bytes long");
  const { u8 } = scratch;
  // A loop, because `set` needs a subarray, which costs more than copying a hundred bytes.
  for (let i = 0; i < length; i++) u8[i] = bytes[start + i] as number;
  return decodeEvent(scratch, 0, length);
}
