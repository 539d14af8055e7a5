// A service that breaks off is tried again; one that asserts has a bug, which the life must not hide.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../../src/core/assert.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { SimulatedBeats } from "./simulated-beats.ts";

function beatsOf(work: () => Promise<unknown>): SimulatedBeats {
  const beats = new SimulatedBeats(new SeededRandom(1));
  beats.start(() => ({ work }));
  return beats;
}

test("a beat that breaks off is over, and the next one begins", async () => {
  const beats = beatsOf(() => Promise.reject(new Error("the ledger is away")));
  for (const begun of [1, 2]) {
    beats.begin();
    await beats.call();
    assert.equal(beats.begun, begun);
  }
});

test("a beat that asserts ends the run, step by step and as a whole", async () => {
  const asserting = () => Promise.reject(new AssertionFailure("a bug"));
  const stepped = beatsOf(asserting);
  stepped.begin();
  await assert.rejects(stepped.call(), /a bug/);
  const whole = beatsOf(asserting);
  await assert.rejects(
    whole.whole(async () => undefined),
    /a bug/,
  );
});
