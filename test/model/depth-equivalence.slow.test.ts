// Proves that market depth equals a sorted list of prices over ten million changes, with 100,000 prices at a time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { compareDepth } from "./depth-commands.ts";

test("market depth equals a sorted list over ten million changes with price jumps of 80 %", (context) => {
  const changes = 5_000_000;
  compareDepth({ seed: 41, changes, restingMax: 5000, lookEvery: 10_000, spreadBits: 27 });
  const options = { restingMax: 250_000, lookEvery: 200_000, spreadBits: 27 };
  const levels = compareDepth({ seed: 43, changes, ...options });
  context.diagnostic(`${levels} levels at a time`);
  assert(levels >= 100_000);
});
