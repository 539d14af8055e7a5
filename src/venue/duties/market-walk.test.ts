// Tests at which times a walk of the market's time stops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MarketWalk } from "./market-walk.ts";

const startMs = 1_000_400;

/** A market with things due at some times, each of which takes some ticks. */
function sceneOf(due: Readonly<Record<number, number>>) {
  const scene = { nowMs: startMs, seq: 0, quietUntilMs: 0 };
  const left = new Map(Object.entries(due).map(([ms, ticks]) => [Number(ms), ticks]));
  const [ticked, sampled]: [number[], number[]] = [[], []];
  const walk = new MarketWalk({
    nowMs: () => scene.nowMs,
    moveTo: (ms) => {
      assert.ok(ms > scene.nowMs, "a walk goes forward");
      scene.nowMs = ms;
    },
    tick: () => {
      ticked.push(scene.nowMs);
      const ready = [...left].find(([ms, ticks]) => ms <= scene.nowMs && ticks > 0);
      if (ready !== undefined) {
        left.set(ready[0], ready[1] - 1);
        scene.seq++;
      }
      const open = [...left].filter(([, ticks]) => ticks > 0).map(([ms]) => ms);
      const isBusy = open.some((ms) => ms <= scene.nowMs);
      scene.quietUntilMs = isBusy ? 0 : Math.min(...open, scene.nowMs + 1_000_000);
    },
    settled: async () => undefined,
    quietUntilUs: () => scene.quietUntilMs * 1000,
    committedSeq: () => scene.seq,
    sample: async () => void sampled.push(scene.nowMs),
    markMs: 1000,
  });
  return { scene, walk, ticked, sampled };
}

const { signal } = new AbortController();

test("REW-15 a walk stops at every mark, at what is due between, and at its end, and repeats a busy tick", async () => {
  const { walk, ticked, scene } = sceneOf({ 1001250: 3, 1002000: 1 });
  assert.equal(await walk.to({ toMs: 1_002_700, signal }), 4);
  const [mark, due] = [1_001_000, 1_001_250];
  assert.deepEqual(ticked, [startMs, mark, due, due, due, 1_002_000, 1_002_700]);
  assert.equal(scene.nowMs, 1_002_700);
});

test("REW-15 a walk samples the markets every five minutes of market time", async () => {
  const { walk, sampled } = sceneOf({});
  await walk.to({ toMs: startMs + 900_000, signal });
  assert.deepEqual(sampled, [1_200_000, 1_500_000, 1_800_000]);
});

test("REW-15 a walk ends after so many events, and when it is told to", async () => {
  const { walk, scene } = sceneOf({ 1001250: 1, 1003250: 1, 1005250: 1 });
  assert.equal(await walk.to({ toMs: 2_000_000, events: 2, signal }), 2);
  assert.equal(scene.nowMs, 1_003_250);
  const ending = new AbortController();
  ending.abort();
  assert.equal(await walk.to({ toMs: 2_000_000, signal: ending.signal }), 0);
  assert.equal(scene.nowMs, 1_003_250);
});

test("REW-15 a walk goes on when clearing stays busy without an event", async () => {
  const { scene } = sceneOf({});
  const stuck = new MarketWalk({
    nowMs: () => scene.nowMs,
    moveTo: (ms) => {
      scene.nowMs = ms;
    },
    tick: () => undefined,
    settled: async () => undefined,
    quietUntilUs: () => 0,
    committedSeq: () => 7,
    sample: async () => undefined,
    markMs: 1000,
  });
  assert.equal(await stuck.to({ toMs: startMs + 5000, signal }), 0);
  assert.equal(scene.nowMs, startMs + 5000);
});
