// The liquidation price: results computed by hand, and that liquidation is due at this price but not one tick before
// it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { naiveWorth } from "../../../test/model/naive-worth.ts";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { priceTicksMax } from "../../core/limits.ts";
import { isDue, type LiquidationCase, liquidationPrice } from "./liquidation-price.ts";
import { marginBrackets } from "./maintenance.ts";

const btc = testMarkets.market(marketId.btcPerp);
/** One tick × one lot of this market is worth a tenth of a minor unit. */
const coin = testMarkets.market(marketId.ccPerp);

function caseOf(qty: number, entryTicks: number, behind: bigint, market = btc): LiquidationCase {
  const entryValue = naiveWorth(market, BigInt(qty) * BigInt(entryTicks));
  return { qty, entryValue, tickLot: market.tickLot, brackets: marginBrackets(market), behind };
}

test("ACC-18 ACC-34 one BTC long or short at 60,000 with collateral of 6,000 has the liquidation price computed by hand", () => {
  // In the second bracket maintenance is 0.5 % of the value, less 50. Long: 6,000 + p − 60,000 = 0.005 p − 50, p =
  // 53,950 ÷ 0.995.
  assert.equal(liquidationPrice(caseOf(1000, 6_000_000, 6000n * oneUsdc)), 5_422_110);
  // Short: 6,000 + 60,000 − p = 0.005 p − 50, p = 66,050 ÷ 1.005 = 65,721.39….
  assert.equal(liquidationPrice(caseOf(-1000, 6_000_000, 6000n * oneUsdc)), 6_572_140);
});

test("ACC-18 ACC-34 a long with its whole value as collateral has no liquidation price, and a short due at every price has 1 tick", () => {
  assert.equal(liquidationPrice(caseOf(1000, 6_000_000, 60_001n * oneUsdc)), 0);
  assert.equal(liquidationPrice(caseOf(-1000, 100, -6000n * oneUsdc)), 1);
  assert.equal(
    liquidationPrice(caseOf(-1, 6_000_000, 10n ** 15n)),
    0,
    "the liquidation price must be above every price",
  );
});

test("ACC-18 liquidation is due at the liquidation price, and not one tick before it", () => {
  const lots = fc.integer({ min: 1, max: 1_000_000 });
  const entry = fc.integer({ min: 1000, max: 10_000_000 });
  const behind = fc.bigInt({ min: -(10n ** 10n), max: 10n ** 13n });
  const market = fc.constantFrom(btc, coin);
  // Few lots of a cheap coin, so that many marks give the same position value.
  const sizes = fc.oneof(lots, fc.integer({ min: 1, max: 20 }));
  const moneys = fc.oneof(behind, fc.bigInt({ min: -(10n ** 4n), max: 10n ** 4n }));
  fc.assert(
    fc.property(sizes, entry, moneys, fc.boolean(), market, (qty, ticks, money, isLong, own) => {
      const one = caseOf(isLong ? qty : -qty, ticks, money, own);
      const price = liquidationPrice(one);
      if (price === 0) {
        assert(!isDue(one, isLong ? 1 : 999_999_999));
        return;
      }
      assert(isDue(one, price), "liquidation must be due at the price");
      if (price === priceTicksMax) return;
      const better = isLong ? price + 1 : price - 1;
      if (better > 0)
        assert(!isDue(one, better), "liquidation must not be due one tick before the price");
    }),
    { numRuns: 2000, seed: 6 },
  );
});
