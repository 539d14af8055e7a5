// Tests that timers with a common multiple fire together, wherever they started. Time passes only when the tests say so.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { alignedInterval } from "./aligned-interval.ts";

const everyMs = 100;

/** A thread whose timers fire on time, unless it is busy. */
class Scene {
  readonly firedAt: number[] = [];
  readonly #context: TestContext;
  #nowMs: number;
  #isBusy = false;

  constructor(context: TestContext, nowMs: number) {
    this.#context = context;
    this.#nowMs = nowMs;
    context.mock.timers.enable({ apis: ["setTimeout"] });
    context.mock.method(performance, "now", () => this.#nowMs);
  }

  start(): () => void {
    return alignedInterval(() => this.firedAt.push(this.#nowMs), everyMs, true);
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed++) {
      this.#nowMs += 1;
      if (!this.#isBusy) this.#context.mock.timers.tick(1);
    }
  }

  /** Lets the time pass while no timer can fire; those that are due fire at the end. */
  beBusy(ms: number): void {
    this.#isBusy = true;
    this.pass(ms);
    this.#isBusy = false;
    this.#context.mock.timers.tick(ms);
  }
}

test("a timer fires at multiples of its interval, and not after it was stopped", (context) => {
  const scene = new Scene(context, 1_037);
  const stop = scene.start();
  scene.pass(500);
  assert.deepEqual(scene.firedAt, [1_100, 1_200, 1_300, 1_400, 1_500]);
  stop();
  scene.pass(500);
  assert.equal(scene.firedAt.length, 5);
});

test("timers that start at different times fire together, the later one first after a whole interval", (context) => {
  const scene = new Scene(context, 1_010);
  const stops = [scene.start()];
  scene.pass(70);
  stops.push(scene.start());
  scene.pass(250);
  assert.deepEqual(scene.firedAt, [1_100, 1_200, 1_200, 1_300, 1_300]);
  for (const stop of stops) stop();
});

test("after a late call the next one comes at a multiple again, at least half an interval later", (context) => {
  const scene = new Scene(context, 1_000);
  const stop = scene.start();
  scene.pass(90);
  scene.beBusy(40);
  assert.deepEqual(scene.firedAt, [1_130]);
  scene.pass(160);
  scene.beBusy(80);
  assert.deepEqual(scene.firedAt, [1_130, 1_200, 1_370]);
  scene.pass(150);
  assert.deepEqual(scene.firedAt, [1_130, 1_200, 1_370, 1_500]);
  stop();
});
