// Waits for a condition of a running venue by polling until a deadline.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

const usualMsMax = 120_000;
const pollMs = 25;

/** Polls `look` until it returns a value; fails after `msMax`, by default two minutes. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null>,
  msMax = usualMsMax,
): Promise<T> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < msMax) {
    const found = await look();
    if (found !== null) return found;
    await sleep(pollMs);
  }
  assert.fail(`${what}: not within the deadline`);
}
