// One record into one ring, for producers whose room was made sure of before: a full ring is a bug
// of the one who counted, not something to wait for.

import { assert } from "../../core/assert.ts";
import { eventBytesMax, eventsPerUnitMax } from "../../core/limits.ts";
import { recordSpan } from "../../wire/ring-record.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";

/**
 * Room in the journal ring before clearing takes anything: a longest unit, the padding at the ring's
 * end, and the replies that one answer may release (fences and mass cancels waiting for it).
 */
export const unitRoomBytes = (eventsPerUnitMax + 1) * recordSpan(eventBytesMax) + 2 ** 20;

/** Claims `bytes` in a ring that must have room; the caller writes at the offset and commits. */
export function claimRoom(ring: SpscRing, bytes: number): number {
  const offset = ring.tryClaim(bytes);
  assert(offset >= 0, "room was made sure of");
  return offset;
}
