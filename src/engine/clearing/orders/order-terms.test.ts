// What terms keep of amounts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../../core/assert.ts";
import { OrderTerms } from "./order-terms.ts";

test("terms keep a hold and a loss up to the bounds of an int64, and refuse to cut one", () => {
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
