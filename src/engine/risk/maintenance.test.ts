// Maintenance margin by brackets: continuous at their bounds, and never less for a larger position.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { marketId, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { maintenanceMargin, marginBrackets } from "./maintenance.ts";

const brackets = marginBrackets(testMarkets.market(marketId.btcPerp));
const usdc = 1_000_000n;

test("ACC-50 the brackets of the BTC perpetual are derived from its margin tiers, with their offsets", () => {
  assert.deepEqual(
    brackets.map(({ floor, cap, maintenancePpm, leverageMax, offset }) => [
      floor / usdc,
      cap === null ? null : cap / usdc,
      maintenancePpm,
      leverageMax,
      offset / usdc,
    ]),
    [
      [0n, 50_000n, 4000, 100, 0n],
      [50_000n, 250_000n, 5000, 100, 50n],
      [250_000n, 1_000_000n, 10_000, 50, 1300n],
      [1_000_000n, 5_000_000n, 25_000, 20, 16_300n],
      [5_000_000n, null, 50_000, 10, 141_300n],
    ],
  );
});

test("ACC-50 a larger position never needs less margin, and at a bound both tiers need the same", () => {
  const value = fc.bigInt({ min: 0n, max: 20_000_000n * usdc });
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [low, high] = a < b ? [a, b] : [b, a];
      assert(maintenanceMargin(brackets, low) <= maintenanceMargin(brackets, high));
    }),
  );
  for (const { cap } of brackets) {
    if (cap === null) continue;
    const step = maintenanceMargin(brackets, cap + usdc) - maintenanceMargin(brackets, cap);
    assert(step >= 0n && step < usdc, "maintenance must not jump at a bound");
  }
  assert.equal(maintenanceMargin(brackets, 0n), 0n);
  assert.throws(() => maintenanceMargin(brackets, -1n));
});
