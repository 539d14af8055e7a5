// Tests that the delay of a busy event loop is measured, and that an idle loop is not woken for it.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LoopDelay } from "./loop-delay.ts";

/** Blocks the event loop. */
function work(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test("a busy loop's delay is measured, and an idle loop has none", async () => {
  const delay = new LoopDelay(5);
  assert.equal(delay.maxSeconds, 0);
  // Keep the loop busy for two intervals: after the first one sampling starts, and the second one is sampled.
  for (let turn = 0; turn < 30; turn++) {
    work(30);
    await sleep(10);
  }
  assert(delay.maxSeconds >= 0.01, `${delay.maxSeconds} s`);
  assert(delay.quantileSeconds(0.99) > 0);
  // On a loaded machine the loop may count as busy once more, so wait for an interval without a sample.
  for (let tries = 0; ; tries++) {
    delay.reset();
    await sleep(300);
    if (delay.maxSeconds === 0) break;
    assert(tries < 50, "an idle loop must not be sampled");
  }
});
