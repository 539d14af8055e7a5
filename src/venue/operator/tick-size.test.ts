// Tests up to which bounds a tick suits a price.

import assert from "node:assert/strict";
import { test } from "node:test";
import { tickWarning } from "./market-terms.ts";

test("OPS-60 a tick above 10 or below 0.001 basis points of the price causes a warning", () => {
  assert.equal(tickWarning(0), null, "no price, no warning");
  assert.equal(tickWarning(1_000), null);
  assert.equal(tickWarning(10_000_000), null);
  assert.equal(tickWarning(6_000_000), null);
  assert.equal(
    tickWarning(15),
    "the tick is too coarse: 666.67 basis points of the price, expected 0.001 to 10",
  );
  assert.match(tickWarning(999) ?? "", /too coarse: 10\.01 basis points/);
  assert.match(tickWarning(20_000_000) ?? "", /too fine: 0\.00050 basis points/);
});
