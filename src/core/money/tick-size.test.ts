// Tests up to which bounds a tick suits a price.

import assert from "node:assert/strict";
import { test } from "node:test";
import { tickFault } from "./tick-size.ts";

test("OPS-60 a tick above 10 or below 0.001 basis points of the price causes a warning", () => {
  assert.equal(tickFault(0), null, "no price, no warning");
  assert.equal(tickFault(1_000), null);
  assert.equal(tickFault(10_000_000), null);
  assert.equal(tickFault(6_000_000), null);
  assert.equal(tickFault(15), "too coarse: 666.67 basis points of the price, expected 0.001 to 10");
  assert.match(tickFault(999) ?? "", /too coarse: 10\.01 basis points/);
  assert.match(tickFault(20_000_000) ?? "", /too fine: 0\.00050 basis points/);
});
