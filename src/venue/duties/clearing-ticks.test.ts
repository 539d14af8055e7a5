// Tests which ticks reach clearing, and how often the main thread wakes for them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asUnixMs } from "../../core/unix-ms.ts";
import { ClearingTicks } from "./clearing-ticks.ts";

const tickMs = 50;

function sceneOf() {
  const scene = { nowMs: 10_000, clockOffsetMs: 0, quietUntilMs: 0, looks: 0, isPaused: false };
  const sentAt: number[] = [];
  let planned: { readonly atMs: number; readonly run: () => void } | null = null;
  const clockMs = () => scene.nowMs + scene.clockOffsetMs;
  const ticks = new ClearingTicks({
    clearing: {
      tick: () => sentAt.push(scene.nowMs),
      doWork: () => 0,
      hasWork: () => false,
      onClose: () => undefined,
    },
    counters: { quietUntilUs: () => 1000 * scene.quietUntilMs },
    clock: {
      nowUs: () => 1000 * clockMs(),
      dutyMs: () => asUnixMs(clockMs()),
      untilMs: (atUs) => Math.max(0, atUs / 1000 - clockMs()),
      isPaused: () => scene.isPaused,
    },
    tickMs,
    monotonicMs: () => scene.nowMs,
    later: (run, delayMs) => {
      const own = { atMs: scene.nowMs + delayMs, run };
      planned = own;
      return () => {
        if (planned === own) planned = null;
      };
    },
  });
  /** Lets the time pass up to `endMs`; returns when ticks were sent. */
  const runTo = (endMs: number) => {
    while (planned !== null && planned.atMs <= endMs) {
      const { atMs, run } = planned;
      planned = null;
      scene.nowMs = atMs;
      scene.looks++;
      run();
    }
    scene.nowMs = endMs;
    return sentAt.splice(0);
  };
  return { scene, ticks, runTo };
}

test("every tick is sent while clearing needs it, and none in a quiet time", () => {
  const { scene, runTo } = sceneOf();
  assert.deepEqual(runTo(10_150), [10_050, 10_100, 10_150]);
  scene.quietUntilMs = 10_310;
  assert.deepEqual(runTo(10_350), [10_350]);
});

test("a command that ends a quiet time is followed by a tick at the next multiple of the interval", () => {
  const { scene, ticks, runTo } = sceneOf();
  runTo(10_050);
  scene.quietUntilMs = 99_000;
  assert.deepEqual(runTo(10_420), []);
  assert.equal(ticks.hasWork(), false);
  scene.quietUntilMs = 0;
  assert.equal(ticks.hasWork(), true, "the thread must not go to sleep again");
  ticks.doWork();
  assert.equal(ticks.hasWork(), false);
  assert.deepEqual(runTo(10_500), [10_450, 10_500]);
});

test("commands that keep ending quiet times do not put a tick off", () => {
  const { scene, ticks, runTo } = sceneOf();
  const sent: number[] = [];
  for (let step = 0; step < 20; step++) {
    scene.quietUntilMs = step % 2 === 0 ? scene.nowMs + 400 : 0;
    ticks.doWork();
    sent.push(...runTo(scene.nowMs + 10));
  }
  assert.equal(sent.length >= 2, true, `ticks at ${sent.join(", ")}`);
});

test("in a quiet time the thread looks five times a second, and a tick is sent each second", () => {
  const { scene, runTo } = sceneOf();
  runTo(10_050);
  scene.quietUntilMs = 99_000;
  scene.looks = 0;
  assert.deepEqual(runTo(13_000), [11_000, 12_000, 13_000]);
  assert.equal(scene.looks < 22, true, `${scene.looks} looks in three seconds`);
});

test("a clock that was set forward ends a quiet time within 200 ms", () => {
  const { scene, runTo } = sceneOf();
  runTo(10_050);
  scene.quietUntilMs = 10_900;
  runTo(10_210);
  scene.clockOffsetMs = 60_000;
  assert.equal(runTo(10_420)[0], 10_400);
});

test("stopped ticks are not sent again by a later command", () => {
  const { scene, ticks, runTo } = sceneOf();
  ticks.stop();
  scene.quietUntilMs = 10_010;
  ticks.doWork();
  assert.deepEqual(runTo(11_000), []);
});
