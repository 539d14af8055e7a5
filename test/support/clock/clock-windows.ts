// Windows of the real clock: a test of something that is counted per minute or day starts when enough of the window is
// left.

import { setTimeout as sleep } from "node:timers/promises";

/**
 * Returns a period of at most a day that does not end within `neededMs`. It begins at multiples of itself, as the venue's
 * funding intervals do, so a venue with this interval pays no funding while a test runs.
 */
export function quietPeriodMs(neededMs: number, nowMs = Date.now()): number {
  for (let periodMs = 86_400_000; periodMs > neededMs; periodMs -= 3_600_000)
    if (periodMs - (nowMs % periodMs) >= neededMs) return periodMs;
  throw new Error(`every period ends within ${neededMs} ms`);
}

/** Resolves when `neededMs` of the window are left: at once, or at the start of the next window. */
export async function untilRoomIn(windowMs: number, neededMs: number): Promise<void> {
  for (;;) {
    const leftMs = windowMs - (Date.now() % windowMs);
    if (leftMs >= neededMs) return;
    await sleep(leftMs);
  }
}
