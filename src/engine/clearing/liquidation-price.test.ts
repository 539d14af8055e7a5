// The liquidation price: figures by hand, and the line itself on either side of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/test-markets.ts";
import { isDue, type LiquidationCase, liquidationPrice } from "./liquidation-price.ts";
import { marginBrackets } from "./maintenance.ts";

const market = testMarkets.market(marketId.btcPerp);
const { unitsPerTickLot } = market;
const brackets = marginBrackets(market);

function caseOf(qty: number, entryTicks: number, behind: bigint): LiquidationCase {
  const entryValue = BigInt(qty) * BigInt(entryTicks) * BigInt(unitsPerTickLot);
  return { qty, entryValue, unitsPerTickLot, brackets, behind };
}

test("ACC-18 one BTC long or short at 60,000 with 6,000 behind it, worked by hand", () => {
  // In the second bracket 0.5 % less 50. Long: 6,000 + p − 60,000 = 0.005 p − 50, p = 53,950 ÷ 0.995.
  assert.equal(liquidationPrice(caseOf(1000, 6_000_000, 6000n * oneUsdc)), 5_422_110);
  // Short: 6,000 + 60,000 − p = 0.005 p − 50, p = 66,050 ÷ 1.005 = 65,721.39….
  assert.equal(liquidationPrice(caseOf(-1000, 6_000_000, 6000n * oneUsdc)), 6_572_140);
});

test("ACC-18 a long with its whole value behind it has no price, a short with nothing has any", () => {
  assert.equal(liquidationPrice(caseOf(1000, 6_000_000, 60_001n * oneUsdc)), 0);
  assert.equal(liquidationPrice(caseOf(-1000, 100, -6000n * oneUsdc)), 1);
  assert.equal(liquidationPrice(caseOf(-1, 6_000_000, 10n ** 15n)), 0, "above any price");
});

test("ACC-18 at the price liquidation is due, a tick away it is not", () => {
  const lots = fc.integer({ min: 1, max: 1_000_000 });
  const entry = fc.integer({ min: 1000, max: 10_000_000 });
  const behind = fc.bigInt({ min: -(10n ** 10n), max: 10n ** 13n });
  fc.assert(
    fc.property(lots, entry, behind, fc.boolean(), (qty, ticks, money, isLong) => {
      const one = caseOf(isLong ? qty : -qty, ticks, money);
      const price = liquidationPrice(one);
      if (price === 0) {
        assert(!isDue(one, isLong ? 1 : 999_999_999));
        return;
      }
      assert(isDue(one, price), "due at the price");
      const better = isLong ? price + 1 : price - 1;
      if (better > 0) assert(!isDue(one, better), "not due a tick away");
    }),
    { numRuns: 2000, seed: 6 },
  );
});
