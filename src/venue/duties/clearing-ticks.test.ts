// Tests which ticks reach clearing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { asUnixMs } from "../../core/unix-ms.ts";
import { ClearingTicks } from "./clearing-ticks.ts";

const tickMs = 50;

function sceneOf() {
  const scene = { nowMs: 10_000, quietUntilMs: 0, sentAt: [] as number[] };
  const ticks = new ClearingTicks({
    clearing: { tick: () => scene.sentAt.push(scene.nowMs) },
    counters: { quietUntilUs: () => 1000 * scene.quietUntilMs },
    clock: { nowUs: () => 1000 * scene.nowMs, dutyMs: () => asUnixMs(scene.nowMs) },
    tickMs,
  });
  const runTo = (endMs: number) => {
    while (scene.nowMs < endMs) {
      scene.nowMs += tickMs;
      ticks.look();
    }
    return scene.sentAt.splice(0);
  };
  return { scene, runTo };
}

test("every tick is sent while clearing needs it, and none in a quiet time", () => {
  const { scene, runTo } = sceneOf();
  assert.deepEqual(runTo(10_150), [10_050, 10_100, 10_150]);
  scene.quietUntilMs = 10_310;
  assert.deepEqual(runTo(10_350), [10_350]);
  scene.quietUntilMs = 11_000;
  assert.deepEqual(runTo(10_500), []);
  scene.quietUntilMs = 0;
  assert.deepEqual(runTo(10_550), [10_550], "a command ends the quiet time");
});

test("a tick is sent each second even if the quiet time never ends", () => {
  const { scene, runTo } = sceneOf();
  scene.quietUntilMs = 99_000;
  assert.deepEqual(runTo(12_500), [11_000, 12_000]);
});
