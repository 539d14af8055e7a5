// Tests which ticks reach clearing.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { asUnixMs } from "../../core/unix-ms.ts";
import { ClearingTicks } from "./clearing-ticks.ts";

const tickMs = 50;

function sceneOf(context: TestContext) {
  context.mock.timers.enable({ apis: ["setInterval"] });
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
      context.mock.timers.tick(tickMs);
    }
    return scene.sentAt.splice(0);
  };
  return { scene, ticks, runTo };
}

test("every tick is sent while clearing needs it, and none in a quiet time", (context) => {
  const { scene, ticks, runTo } = sceneOf(context);
  assert.deepEqual(runTo(10_150), [10_050, 10_100, 10_150]);
  scene.quietUntilMs = 10_310;
  assert.deepEqual(runTo(10_350), [10_350]);
  scene.quietUntilMs = 11_000;
  assert.deepEqual(runTo(10_500), []);
  scene.quietUntilMs = 0;
  assert.deepEqual(runTo(10_550), [10_550], "a command ends the quiet time");
  ticks.close();
  assert.deepEqual(runTo(11_000), []);
});

test("a tick is sent each second even if the quiet time never ends", (context) => {
  const { scene, ticks, runTo } = sceneOf(context);
  scene.quietUntilMs = 99_000;
  assert.deepEqual(runTo(12_500), [11_000, 12_000]);
  ticks.close();
});
