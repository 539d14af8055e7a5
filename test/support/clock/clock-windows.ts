// Windows of the real clock: a test of something that is counted per minute or day starts when enough of the window is
// left.

import { setTimeout as sleep } from "node:timers/promises";

/** Resolves when `neededMs` of the window are left: at once, or at the start of the next window. */
export async function untilRoomIn(windowMs: number, neededMs: number): Promise<void> {
  for (;;) {
    const leftMs = windowMs - (Date.now() % windowMs);
    if (leftMs >= neededMs) return;
    await sleep(leftMs);
  }
}
