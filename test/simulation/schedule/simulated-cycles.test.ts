// Proves that a simulated service repeats a cycle after a fault, and that a failed assertion of the service fails the
// simulation run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../../src/core/assert.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { SimulatedCycles } from "./simulated-cycles.ts";

function cyclesOf(work: () => Promise<unknown>): SimulatedCycles {
  const cycles = new SimulatedCycles(new SeededRandom(1));
  cycles.start(() => ({ work }));
  return cycles;
}

test("after a cycle has failed, the next one begins", async () => {
  const cycles = cyclesOf(() => Promise.reject(new Error("the ledger is away")));
  for (const begun of [1, 2]) {
    cycles.begin();
    await cycles.call();
    assert.equal(cycles.begun, begun);
  }
});

test("a failed assertion in a cycle ends the run, whether cycles run step by step or whole", async () => {
  const asserting = () => Promise.reject(new AssertionFailure("a bug"));
  const stepped = cyclesOf(asserting);
  stepped.begin();
  await assert.rejects(stepped.call(), /a bug/);
  const whole = cyclesOf(asserting);
  await assert.rejects(
    whole.whole(async () => undefined),
    /a bug/,
  );
});
