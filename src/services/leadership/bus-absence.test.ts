// Tests of when a leader without a bus hands over.

import assert from "node:assert/strict";
import { test } from "node:test";
import { busSteadyMs, isSteady, shouldYield } from "./bus-absence.ts";

test("LDR-16 a leader yields once its bus has been away for a while, and no sooner than it has led for as long", () => {
  const [short, long] = [busSteadyMs - 1, busSteadyMs];
  assert.equal(shouldYield(null, 10 * long), false, "it is connected, or serves no gateways");
  assert.equal(shouldYield(short, 10 * long), false);
  assert.equal(shouldYield(long, long), true);
  assert.equal(shouldYield(10 * long, short), false, "it has just taken over");
});

test("LDR-16 a follower counts as connected only once it has been for a while", () => {
  assert.deepEqual([null, 0, busSteadyMs - 1, busSteadyMs].map(isSteady), [
    false,
    false,
    false,
    true,
  ]);
});
