// Windows of the real clock: what a minute or a day counts is begun where enough of it is left.

import { setTimeout as sleep } from "node:timers/promises";

/** Resolves where `neededMs` are left of the window: at once, or when the next one has begun. */
export async function untilRoomIn(windowMs: number, neededMs: number): Promise<void> {
  for (;;) {
    const leftMs = windowMs - (Date.now() % windowMs);
    if (leftMs >= neededMs) return;
    await sleep(leftMs);
  }
}
