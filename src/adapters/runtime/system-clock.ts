// The machine's clocks as they are. Only who owns a venue's time reads them: everybody else is handed the
// venue's clock, which no step of the wall clock reaches.

import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { asUnixMs } from "../../core/unix-ms.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ClockReading } from "../../services/clock/clock-guard.ts";

/** Readings further apart than this were interrupted, and are taken again. */
const apartMsMax = 1;
const triesMax = 3;

/** A thread's `performance.now` begins with the thread; the system's clock behind it is one for all. */
const threadBeganMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Milliseconds of the system's monotonic clock: the same in all threads and processes of the machine. */
export function monotonicMs(): number {
  return performance.now() + threadBeganMs;
}

/** Both clocks, as close together as the machine lets them be read. */
export function readClocks(): ClockReading {
  // A millisecond that has begun is on average half over.
  const { readMs, monotonicMs: atMs } = readTogether(() => Date.now() + 0.5);
  return { wallMs: readMs, monotonicMs: atMs };
}

/** How long the machine has slept since it started: what its uptime counts and its monotonic clock does not. */
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

/** Which start of the machine this is; null where the system does not say. */
export function bootId(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return null;
  }
}

/** The wall clock itself, for programs that own no time and show nobody theirs. */
export const systemClock: Clock = {
  nowMs: () => asUnixMs(Date.now()),
  nowUs: () => Date.now() * 1000,
};
