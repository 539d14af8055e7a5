// Reads the machine's clocks. Only the owner of a venue's time reads them; all others use the venue's clock,
// which is immune to steps of the wall clock.

import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { asUnixMs } from "../../core/unix-ms.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ClockReading } from "../../services/clock/clock-guard.ts";

/** If the two readings are further apart than this, the thread was interrupted between them and both are repeated. */
const apartMsMax = 1;
const triesMax = 3;

/** `performance.now` starts with the thread; the system clock behind it is shared. */
const threadBeganMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** The system's monotonic clock in ms: equal in all threads and processes of the machine. */
export function monotonicMs(): number {
  return performance.now() + threadBeganMs;
}

/** Both clocks, read as close together as possible. */
export function readClocks(): ClockReading {
  // Add half a millisecond: on average, the current millisecond is half over.
  const { readMs, monotonicMs: atMs } = readTogether(() => Date.now() + 0.5);
  return { wallMs: readMs, monotonicMs: atMs };
}

/** How long the machine has slept since boot: its uptime minus its monotonic clock. */
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

/** The id of this boot; null if the system does not report one. */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

/** The wall clock, for programs without venue time. */
export const systemClock: Clock = {
  nowMs: () => asUnixMs(Date.now()),
  nowUs: () => Date.now() * 1000,
};
