// Proves how the change of a window is rounded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { percentText } from "./window-text.ts";

test("NAT-8 a change in percent has three decimals, rounded", () => {
  assert.equal(percentText(1, 1499), "0.067");
  assert.equal(percentText(-1, 1499), "-0.067");
  assert.equal(percentText(1, 200_000), "0.001");
  assert.equal(percentText(1, 200_001), "0.000");
  assert.equal(percentText(0, 7), "0.000");
  assert.equal(percentText(5, 0), "0.000");
});
