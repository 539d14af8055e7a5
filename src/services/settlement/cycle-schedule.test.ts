// Tests when cycles run: a poll apart while there is work, at the end of a rest otherwise, and at once after a change.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ChangeWatch } from "./change-watch.ts";
import { CycleSchedule } from "./cycle-schedule.ts";

const pollMs = 10;

class Scene {
  restMs = 100;
  readonly ranAt: number[] = [];
  readonly schedule: CycleSchedule;
  readonly #context: TestContext;
  #nowMs = 0;

  constructor(context: TestContext) {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    this.#context = context;
    const cycle = async () => {
      this.ranAt.push(this.#nowMs);
      return this.restMs;
    };
    this.schedule = new CycleSchedule({ pollMs, cycle });
  }

  async until(endMs: number): Promise<void> {
    for (; this.#nowMs < endMs; this.#nowMs++) {
      this.#context.mock.timers.tick(1);
      await turn();
    }
  }
}

/** The cycles of the first 30 ms: one that follows the start, and one that finds that nothing has changed. */
const first = [9, 19];

test("cycles are a poll apart while there is work, and rest while there is none", async (context) => {
  const scene = new Scene(context);
  scene.restMs = pollMs;
  await scene.until(55);
  assert.deepEqual(scene.ranAt, [9, 19, 29, 39, 49]);
  scene.restMs = 100;
  await scene.until(250);
  assert.deepEqual(scene.ranAt.slice(5), [59, 159]);
  scene.schedule.stop();
});

test("a change ends a rest at once, and another cycle follows a poll later", async (context) => {
  const scene = new Scene(context);
  await scene.until(50);
  assert.deepEqual(scene.ranAt, first);
  scene.schedule.changed();
  await scene.until(150);
  assert.deepEqual(scene.ranAt.slice(2), [50, 60]);
  scene.schedule.stop();
});

test("a change without a rest does not bring the next cycle forward", async (context) => {
  const scene = new Scene(context);
  await scene.until(15);
  scene.schedule.changed();
  await scene.until(25);
  assert.deepEqual(scene.ranAt, first);
  scene.schedule.stop();
});

test("a cycle that asks for another one, or a wake-up, is followed at once", async (context) => {
  const scene = new Scene(context);
  scene.restMs = 0;
  await scene.until(12);
  assert.deepEqual(scene.ranAt, [9, 10, 11]);
  scene.restMs = 100;
  await scene.until(50);
  const before = scene.ranAt.length;
  scene.schedule.wake();
  await scene.until(52);
  assert.deepEqual(scene.ranAt.slice(before), [50]);
  scene.schedule.stop();
});

test("a look reports events, ledger updates, open payments and lost answers as changes", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const seen = { seq: 1, end: 1, isOpen: false, isAway: false };
  const looks: boolean[] = [];
  const watch = new ChangeWatch({
    pollMs,
    committedSeq: () => seen.seq,
    ledgerEnd: async () => {
      if (seen.isAway) throw new Error("the ledger is away");
      return seen.end;
    },
    hasOpenPayments: async () => seen.isOpen,
    looked: (hasChanged) => looks.push(hasChanged),
  });
  const look = async (change: Partial<typeof seen>) => {
    Object.assign(seen, change);
    context.mock.timers.tick(pollMs);
    for (let turns = 0; turns < 5; turns++) await turn();
    return looks.at(-1);
  };
  assert.equal(await look({}), true, "the first look has nothing to compare with");
  assert.equal(await look({}), false);
  assert.equal(await look({ seq: 2 }), true);
  assert.equal(await look({ end: 2 }), true);
  assert.equal(await look({ isOpen: true }), true);
  assert.equal(await look({}), true, "the payment is still open");
  assert.equal(await look({ isOpen: false }), false);
  assert.equal(await look({ isAway: true }), true);
  assert.equal(await look({ isAway: false }), false);
  watch.stop();
  assert.equal(looks.length, 9);
});
