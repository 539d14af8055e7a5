// Tests when swap cycles run, on a timer that the test moves: steadily while a swap is open, rarely while none is, and
// at once when a row has changed.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { SwapCycle } from "./swap-cycle.ts";
import { SwapLoop } from "./swap-loop.ts";

const pollMs = 250;

/** A loop with a fake cycle, which only counts how often it runs and returns `isIdle`, as set by the test. */
class CountedLoop {
  cycles = 0;
  isIdle = true;
  readonly loop: SwapLoop;
  readonly #context: TestContext;

  constructor(context: TestContext) {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    this.#context = context;
    const work = async () => {
      this.cycles++;
      return this.isIdle;
    };
    this.loop = new SwapLoop(pollMs, { work, stop: async () => undefined } as unknown as SwapCycle);
  }

  /** Moves the timer in small steps; returns how many cycles ran. */
  async cyclesIn(ms: number): Promise<number> {
    const before = this.cycles;
    for (let passed = 0; passed < ms; passed += pollMs / 2) {
      this.#context.mock.timers.tick(pollMs / 2);
      await turn();
    }
    return this.cycles - before;
  }
}

test("cycles keep the polling interval while a swap is open", async (context) => {
  const counted = new CountedLoop(context);
  counted.isIdle = false;
  counted.loop.notified(true);
  await counted.cyclesIn(pollMs);
  assert.equal(await counted.cyclesIn(16 * pollMs), 16);
});

test("cycles are rare while no swap is open, and a changed row runs one at once", async (context) => {
  const counted = new CountedLoop(context);
  counted.loop.notified(true);
  await counted.cyclesIn(pollMs);
  assert.equal(await counted.cyclesIn(16 * pollMs), 4);
  counted.loop.wake();
  assert.equal(await counted.cyclesIn(pollMs / 2), 1);
});

test("cycles keep the polling interval while changed rows are not notified", async (context) => {
  const counted = new CountedLoop(context);
  counted.loop.notified(true);
  await counted.cyclesIn(pollMs);
  counted.loop.notified(false);
  await counted.cyclesIn(pollMs);
  assert.equal(await counted.cyclesIn(16 * pollMs), 16);
});
