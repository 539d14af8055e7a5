// Waiting for epochs of a running venue: by asking, with a deadline, never by time alone.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const deadlineMs = 30_000;
const pollMs = 25;

/** Asks until `look` answers something; fails after half a minute. */
export async function until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < deadlineMs) {
    const found = await look();
    if (found !== null) return found;
    await sleep(pollMs);
  }
  assert.fail(`${what} did not come`);
}
