// Reads the machine's clocks. Within a venue, only the owner of the venue's time reads them. All other code of a venue
// uses the venue's clock, which steps of the wall clock do not affect.

import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { asUnixMs } from "../../core/unix-ms.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ClockReading } from "../../services/clock/clock-guard.ts";

/**
 * Maximum difference in ms between two readings of the monotonic clock. A larger one means that the thread was
 * interrupted between them, so the clocks are read again.
 */
const apartMsMax = 1;
const triesMax = 3;

/**
 * `performance.now` counts from the start of the thread, but the underlying system clock is the same for all threads.
 */
const threadBeganMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Returns the system's monotonic clock in ms, which is equal in all threads and processes of the machine. */
export function monotonicMs(): number {
  return performance.now() + threadBeganMs;
}

/** Reads both clocks, as close together as possible. */
export function readClocks(): ClockReading {
  // Add half a millisecond: on average, the current millisecond is half over.
  const { readMs, monotonicMs: atMs } = readTogether(() => Date.now() + 0.5);
  return { wallMs: readMs, monotonicMs: atMs };
}

/** Returns how long the machine has slept since boot, in ms: its uptime minus its monotonic clock. */
export function asleepMs(): number {
  const { readMs, monotonicMs: atMs } = readTogether(() => uptime() * 1000);
  return readMs - atMs;
}

function readTogether(read: () => number): { readMs: number; monotonicMs: number } {
  let best = { apartMs: Number.POSITIVE_INFINITY, readMs: 0, monotonicMs: 0 };
  for (let tries = 0; tries < triesMax && best.apartMs > apartMsMax; tries++) {
    const beforeMs = monotonicMs();
    const readMs = read();
    const apartMs = monotonicMs() - beforeMs;
    if (apartMs < best.apartMs) best = { apartMs, readMs, monotonicMs: beforeMs + apartMs / 2 };
  }
  return best;
}

/** Returns the id of this boot; null if the system does not report one. */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

/** The wall clock, for programs that have no venue time. */
export const systemClock: Clock = {
  nowMs: () => asUnixMs(Date.now()),
  nowUs: () => Date.now() * 1000,
};
