// One record into one ring, for producers whose room was made sure of before: a full ring is a bug
// of the one who counted, not something to wait for.

import { assert } from "../../core/assert.ts";
import type { SpscRing } from "../../wire/spsc-ring.ts";

/** Claims `bytes` in a ring that must have room; the caller writes at the offset and commits. */
export function claimRoom(ring: SpscRing, bytes: number): number {
  const offset = ring.tryClaim(bytes);
  assert(offset >= 0, "room was made sure of");
  return offset;
}
