// Proves that market depth equals a sorted list of prices, however far prices jump.

import { test } from "node:test";
import { compareDepth } from "./depth-commands.ts";

for (const [restingMax, spreadBits] of [
  [40, 6],
  [2000, 17],
  [2000, 27],
] as const) {
  test(`market depth of ${restingMax} quantities within 2^${spreadBits} ticks equals a sorted list`, () => {
    compareDepth({ seed: 17, changes: 40_000, restingMax, lookEvery: 500, spreadBits });
  });
}
