// The accessor of the hot path.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../core/assert.ts";
import { cell, quantity } from "./cells.ts";

test("a cell inside the array is its value, outside it is a bug", () => {
  const words = Int32Array.of(7, 0);
  assert.equal(cell(words, 0), 7);
  assert.equal(cell(words, 1), 0);
  assert.equal(quantity(Float64Array.of(2 ** 50), 0), 2 ** 50);
  assert.throws(() => quantity(new Float64Array(1), 1), AssertionFailure);
  for (const at of [-1, 2, 0.5]) assert.throws(() => cell(words, at), AssertionFailure);
});
