// Proves which refusals of the house's steps are told: a replay ends with 1 only if the venue did not do what it should.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PastBookState } from "./past-book-state.ts";
import { StepBatch } from "./step-batch.ts";

/** What a batch tells after one side of a quote was refused. */
function told(reason: string) {
  const state = new PastBookState();
  const batch = new StepBatch(state, {
    ...{ makers: 1, market: { leastValue: 1 }, requoteUs: 500_000 },
  });
  state.adopt({ kind: "book", atUs: 0, bids: [[100, 5]], asks: [] });
  batch.requote();
  const { first, steps } = batch.begin();
  assert.equal(steps.length, 1);
  const refusals = [{ step: first, maker: 0, side: 0, reason }];
  batch.heard({ refusals, trades: [], lastTrade: 0, answered: 0 });
  const { refused, lastRefusal } = batch.figures;
  return [refused, lastRefusal];
}

test("REW-57 a quote that a member's order took before its change arrived is no refusal", () => {
  assert.deepEqual(told("unknownOrder"), [0, null]);
  assert.deepEqual(told("marketNotTrading"), [1, "a quote: marketNotTrading"]);
});
