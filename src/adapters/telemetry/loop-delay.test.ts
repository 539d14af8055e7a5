// Tests when a thread's loop delay is sampled: while the thread uses the processor, not while it waits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { LoopDelay } from "./loop-delay.ts";
import { ownKernelThread, threadSeconds } from "./thread-time.ts";

const sampleMs = 5;

/** Keeps the thread busy for `ms` milliseconds of its processor time. */
function work(ms: number): void {
  const thread = ownKernelThread();
  const seconds = () => threadSeconds(thread) ?? performance.now() / 1000;
  for (const end = seconds() + ms / 1000; seconds() < end; );
}

/** Ends the sampling, which stops after several looks at a quiet loop; other programs may keep the loop from being one. */
async function quieten(delay: LoopDelay): Promise<void> {
  for (let look = 0; look < 200; look++) {
    await sleep(20);
    delay.look();
    if (look < 12) continue;
    delay.reset();
    await sleep(50);
    if (delay.quantileSeconds(1) === 0) return;
  }
}

test("a busy loop is sampled, and its delay is found", async () => {
  const delay = new LoopDelay(sampleMs);
  await sleep(30);
  work(60);
  await sleep(30);
  assert.equal(delay.longestSeconds > 0.03, true, `${delay.longestSeconds} s`);
  assert.equal(delay.quantileSeconds(1) > 0.03, true, `${delay.quantileSeconds(1)} s`);
  delay.reset();
  assert.equal(delay.quantileSeconds(1), 0);
  await quieten(delay);
});

test("a quiet loop is not sampled, and its delay is at most the time for which it was busy", async () => {
  const delay = new LoopDelay(sampleMs);
  await quieten(delay);
  await sleep(100);
  assert.equal(delay.quantileSeconds(1), 0, "no samples");
  work(50);
  await sleep(1);
  delay.look();
  assert.equal(delay.longestSeconds >= 0.04, true, `${delay.longestSeconds} s`);
  await quieten(delay);
});

test("a loop that becomes busy again is sampled again", async () => {
  const delay = new LoopDelay(sampleMs);
  await quieten(delay);
  // On a machine that gives this thread little time, its work may be too small a share of the time to be noticed.
  for (let turn = 0; turn < 50 && delay.quantileSeconds(1) <= 0.03; turn++) {
    work(60);
    delay.look();
    delay.reset();
    await sleep(30);
    work(60);
    await sleep(30);
  }
  assert.equal(delay.quantileSeconds(1) > 0.03, true, `${delay.quantileSeconds(1)} s`);
  await quieten(delay);
});
