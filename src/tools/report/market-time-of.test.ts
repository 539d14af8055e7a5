// Proves where times of the machine lie on the market's time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MarketTimeOf } from "./market-time-of.ts";

test("REW-137 a time between two orders is placed between them, and one outside passes as real time", () => {
  // The market ran ten times as fast.
  const time = new MarketTimeOf([
    { machineMs: 2_000, marketUs: 15_000_000 },
    { machineMs: 1_000, marketUs: 5_000_000 },
  ]);
  assert.equal(time.at(1_000), 5_000_000);
  assert.equal(time.at(1_250), 7_500_000);
  assert.equal(time.at(2_000), 15_000_000);
  assert.equal(time.at(2_500), 15_500_000);
  assert.equal(time.at(900), 4_900_000);
});

test("REW-137 nothing is placed without an order that both times know", () => {
  assert.equal(new MarketTimeOf([]).at(1_000), null);
});
