// The venue's clock: monotonic time plus the offset that the main thread maintains in shared memory. Changes
// of the machine's wall clock do not affect it.

import { asUnixMs } from "../../core/unix-ms.ts";
import type { Clock } from "../../ports/clock.ts";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import { monotonicMs } from "./system-clock.ts";

export interface VenueClock extends Clock {
  /**
   * Returns the time up to which scheduled tasks are run: normally the current time. While the clock is held, it is the
   * time when the wall clock was last trusted.
   */
  dutyMs(): number;
  isHeld(): boolean;
  /** Difference of wall clock and venue time in ms, at the main thread's last check. */
  differenceMs(): number;
}

/** Returns a clock of the time that the main thread maintains in `memory`. */
export function venueClock(memory: SharedArrayBuffer): VenueClock {
  const buffer = new ClockBuffer(memory);
  const nowMs = () => asUnixMs(Math.floor(monotonicMs() + buffer.offsetUs() / 1000));
  return {
    nowMs,
    // Times are whole milliseconds, as clients send and read them.
    nowUs: () => nowMs() * 1000,
    dutyMs: () => buffer.heldSinceMs() || nowMs(),
    isHeld: () => buffer.heldSinceMs() !== 0,
    differenceMs: () => buffer.differenceMs(),
  };
}
