// Proves the rounding of a report's figures.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bpsOf, percentText, spreadOf } from "./figures.ts";

test("REW-133 basis points are rounded to the nearest hundredth, half away from zero", () => {
  assert.equal(bpsOf(1n, 10_000n), 100);
  assert.equal(bpsOf(1n, 3_000_000n), 0);
  assert.equal(bpsOf(1n, 2_000_000n), 1);
  assert.equal(bpsOf(-1n, 2_000_000n), -1);
  assert.equal(bpsOf(5n, 0n), null);
});

test("REW-131 shares have one decimal, and percentiles are values that occurred", () => {
  assert.equal(percentText(2n, 3n), "66.7");
  assert.equal(percentText(0n, 0n), null);
  const spread = spreadOf([5, 1, 4, 2, 3, 6, 7, 8, 9, 10], 1);
  assert.deepEqual(spread, { count: 10, min: "0.1", p50: "0.5", p90: "0.9", max: "1.0" });
  assert.deepEqual(spreadOf([], 1), { count: 0, min: null, p50: null, p90: null, max: null });
});
