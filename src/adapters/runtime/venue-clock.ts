// The venue's clock: monotonic time plus the offset that the main thread maintains in shared memory. Changes
// of the machine's wall clock do not affect it.

import { asUnixMs } from "../../core/unix-ms.ts";
import type { Clock } from "../../ports/clock.ts";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import { monotonicMs } from "./system-clock.ts";

export interface VenueClock extends Clock {
  /**
   * The time up to which scheduled tasks are run: the current time, or while the clock is held the time when the wall
   * clock was last trusted.
   */
  dutyMs(): number;
  isHeld(): boolean;
  /** Wall clock minus venue time, at main's last check. */
  differenceMs(): number;
}

/** Reads the time that main maintains in `memory`. */
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
