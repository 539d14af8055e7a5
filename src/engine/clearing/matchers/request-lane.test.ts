// A lane: first in, first out, never more in flight than credits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../../core/assert.ts";
import { matcherCreditsMax } from "../../../core/limits.ts";
import { FillBuffer, OrderTerms, RequestLane } from "./request-lane.ts";

test("requests leave a lane in the order they entered it, after many wrap-arounds", () => {
  const lane = new RequestLane();
  let pushed = 0;
  let shifted = 0;
  for (let round = 0; round < 50; round++) {
    while (lane.hasCredit()) lane.push().slot = pushed++;
    assert.equal(lane.inFlight, matcherCreditsMax);
    assert.equal(lane.at(0).slot, shifted);
    assert.equal(lane.at(lane.inFlight - 1).slot, pushed - 1);
    for (let count = 0; count < 1 + (round % matcherCreditsMax); count++) {
      assert.equal(lane.shift(shifted).slot, shifted);
      shifted++;
    }
  }
});

test("a request that was taken from the lane stays unchanged while the lane fills again", () => {
  const lane = new RequestLane();
  while (lane.hasCredit()) lane.push().slot = 1;
  const request = lane.shift(1);
  while (lane.hasCredit()) lane.push().slot = 2;
  assert.equal(request.slot, 1);
});

test("a request without credit, an answer without a request, and an answer to another request stop the thread", () => {
  const lane = new RequestLane();
  assert.throws(() => lane.shift(0), AssertionFailure);
  assert.throws(() => lane.at(0), AssertionFailure);
  while (lane.hasCredit()) lane.push().slot = 1;
  assert.throws(() => lane.push(), AssertionFailure);
  assert.throws(() => lane.shift(2), AssertionFailure);
});

test("a buffer holds the fills of one order at a time", () => {
  const fills = new FillBuffer();
  fills.filled(1, 7, 100, 5);
  fills.filled(1, 8, 101, 6);
  assert.deepEqual([fills.count, fills.qty, fills.takerSlot], [2, 11, 1]);
  assert.throws(() => fills.filled(2, 9, 102, 1), AssertionFailure);
  fills.clear();
  fills.filled(2, 9, 102, 1);
  assert.deepEqual([fills.count, fills.qty, fills.takerSlot], [1, 1, 2]);
});

test("terms store holds and losses up to the limits of an int64, and refuse larger ones", () => {
  const terms = new OrderTerms();
  assert.deepEqual([terms.hold, terms.loss], [0n, 0n]);
  terms.hold = 2n ** 63n - 1n;
  terms.loss = -(2n ** 63n);
  assert.deepEqual([terms.hold, terms.loss], [2n ** 63n - 1n, -(2n ** 63n)]);
  assert.throws(() => {
    terms.hold = 2n ** 63n;
  }, AssertionFailure);
  assert.throws(() => {
    terms.loss = -(2n ** 63n) - 1n;
  }, AssertionFailure);
  assert.deepEqual([terms.hold, terms.loss], [2n ** 63n - 1n, -(2n ** 63n)]);
});
