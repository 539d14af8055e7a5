// The practice of a venue that follows: it takes the paths of an order in every market.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { warmUp } from "./warm-up.ts";

test("the engine's practice trades in every market and leaves nothing behind", () => {
  const seq = warmUp(testMarkets);
  assert.ok(seq > 600 * 5, `${seq} events: too many of the commands were refused`);
  assert.equal(warmUp(testMarkets), seq, "the practice must be the same each time");
});
