// Proves that charts of the operations page are readable: single values are drawn as points, and the scale fits the
// values.

import assert from "node:assert/strict";
import { test } from "node:test";
import { aloneIn, topOf } from "../../web/src/ops/curve-form.ts";

test("a value without neighbours is drawn as a point, and a value on a line is not", () => {
  assert.deepEqual(aloneIn([1, null, 2, 3, undefined, 0]), [0, 5]);
  assert.deepEqual(aloneIn([4]), [0]);
  assert.deepEqual(aloneIn([null, 4, 5]), []);
  assert.deepEqual(aloneIn([]), []);
});

test("a chart's scale ends a tenth above its highest value or its minimum scale, whichever is larger", () => {
  assert.equal(topOf(null, 1), 1.1);
  assert.equal(topOf(0.0002, 1), 1.1);
  assert.equal(Math.round(topOf(200, 1)), 220);
});
