// Tests that timers with a common multiple fire together, wherever they started.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { alignedInterval } from "./aligned-interval.ts";

/** Timers fire a few milliseconds late on a busy machine. */
const lateMsMax = 40;

test("a timer fires at multiples of its interval, and not after it was stopped", async () => {
  const firedAt: number[] = [];
  await sleep(37);
  const stop = alignedInterval(() => firedAt.push(performance.now()), 100, true);
  await sleep(560);
  stop();
  const { length } = firedAt;
  assert(length >= 4 && length <= 6, `fired ${length} times`);
  const lateness = firedAt.map((atMs) => Math.round(atMs) % 100);
  const onTime = lateness.filter((lateMs) => lateMs <= lateMsMax || lateMs >= 99);
  assert(onTime.length >= length - 1, `fired late by ${lateness.join(", ")} ms`);
  await sleep(210);
  assert.equal(firedAt.length, length);
});
