// The venue's clocks, from what the main thread maintains in shared memory. The venue's time is monotonic time plus an
// offset; changes of the machine's wall clock do not affect it. The market's time is the same, except in a venue that can
// be rewound (docs/decisions/0098): there it has its own base and speed, and the venue's time is the edge's.

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

/** The time of events, candles, funding and expiries. */
export interface MarketClock extends Clock {
  /** The time up to which scheduled tasks are run. */
  dutyMs(): number;
  /** Whether it stands still, and only the operator moves it. Never true in a venue that cannot be rewound. */
  isPaused(): boolean;
  /** Real milliseconds until it is `atUs`; 0 if that is past, infinite while it is paused. */
  untilMs(atUs: number): number;
  /** The edge's time in µs if it is another than the market's; null if both are one. */
  edgeUs(): number | null;
}

/**
 * Returns the clock of the market's time that the main thread maintains in `memory`. Whether the market has a time of
 * its own is read once, so a venue without one pays nothing for it.
 */
export function marketClock(memory: SharedArrayBuffer): MarketClock {
  const buffer = new ClockBuffer(memory);
  const venue = venueClock(memory);
  if (!buffer.hasMarketTime()) {
    const untilMs = (atUs: number) => Math.max(0, (atUs - venue.nowUs()) / 1000);
    return { ...venue, isPaused: () => false, untilMs, edgeUs: () => null };
  }
  const nowMs = () => asUnixMs(buffer.marketMs(monotonicMs()));
  return {
    nowMs,
    nowUs: () => nowMs() * 1000,
    dutyMs: nowMs,
    isPaused: () => buffer.marketSpeed() === 0,
    untilMs: (atUs) => {
      const leftMs = atUs / 1000 - nowMs();
      return leftMs <= 0 ? 0 : leftMs / buffer.marketSpeed();
    },
    edgeUs: () => venue.nowUs(),
  };
}
