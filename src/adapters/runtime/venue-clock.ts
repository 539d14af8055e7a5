// The venue's clock: monotonic time and the offset that the main thread keeps in shared memory. Where the
// wall clock of the machine is set to something else, this one goes on.

import { asUnixMs } from "../../core/unix-ms.ts";
import type { Clock } from "../../ports/clock.ts";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import { monotonicMs } from "./system-clock.ts";

export interface VenueClock extends Clock {
  /** The time up to which duties of the calendar are done: now, or when the wall clock was last believed. */
  dutyMs(): number;
  isHeld(): boolean;
  /** The wall clock of the machine less the venue's time, when main looked last. */
  differenceMs(): number;
}

/** Reads the time that main keeps in `memory`. */
export function venueClock(memory: SharedArrayBuffer): VenueClock {
  const buffer = new ClockBuffer(memory);
  const nowMs = () => asUnixMs(Math.floor(monotonicMs() + buffer.offsetUs() / 1000));
  return {
    nowMs,
    // Whole milliseconds, as clients send and read them.
    nowUs: () => nowMs() * 1000,
    dutyMs: () => buffer.heldSinceMs() || nowMs(),
    isHeld: () => buffer.heldSinceMs() !== 0,
    differenceMs: () => buffer.differenceMs(),
  };
}
