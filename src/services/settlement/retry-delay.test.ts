// Delays at their bounds, with a fixed random number.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../core/assert.ts";
import { ageMsMax, attemptsMax, isGivenUp, retryDelayMs } from "./retry-delay.ts";

test("the delay's upper bound doubles from a second to a minute, and the delay is a share of it", () => {
  const nearlyAll = 1 - Number.EPSILON;
  const bounds = [1, 2, 3, 4, 5, 6, 7, 40].map((count) => retryDelayMs(count, nearlyAll, false));
  assert.deepEqual(bounds, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  assert.equal(retryDelayMs(4, 0.25, false), 2_000);
  assert.equal(retryDelayMs(4, 0, false), 0);
});

test("with new inputs the first retry is immediate, and the second waits like a first one", () => {
  assert.equal(retryDelayMs(1, 0.9, true), 0);
  assert.equal(retryDelayMs(2, 0.5, true), 500);
});

test("computing a delay without a rejection, or with a share of 1, fails an assertion", () => {
  assert.throws(() => retryDelayMs(0, 0.5, false), AssertionFailure);
  assert.throws(() => retryDelayMs(1, 1, false), AssertionFailure);
});

test("a batch is given up only after more than twelve attempts or more than a day", () => {
  assert.equal(isGivenUp(attemptsMax, ageMsMax), false);
  assert.equal(isGivenUp(attemptsMax + 1, 0), true);
  assert.equal(isGivenUp(0, ageMsMax + 1), true);
});
