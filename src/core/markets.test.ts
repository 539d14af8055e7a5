// The market table: lookups by every name, and a table that contradicts itself stops the thread.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, testMarkets } from "../../test/support/test-markets.ts";
import { asPriceTicks, asQtyLots } from "./amounts.ts";
import { AssertionFailure } from "./assert.ts";
import { priceTicksMax, qtyLotsMax } from "./limits.ts";
import { MarketTable, orderValue } from "./markets.ts";

test("markets and assets are found by id and by name", () => {
  assert.equal(testMarkets.find("BTC-PERP")?.id, marketId.btcPerp);
  assert.equal(testMarkets.find("BTCUSDT")?.id, marketId.btcPerp);
  assert.equal(testMarkets.find("CCUSDC")?.symbol, "CC-USDC");
  assert.equal(testMarkets.find("btc-perp"), undefined);
  assert.equal(testMarkets.market(marketId.cethUsdc).symbol, "CETH-USDC");
  assert.equal(testMarkets.asset(2).code, "CBTC");
  assert.equal(testMarkets.findAsset("CETH")?.id, 3);
  assert.equal(testMarkets.findAsset("DOGE"), undefined);
  assert.throws(() => testMarkets.market(99), AssertionFailure);
  assert.throws(() => testMarkets.asset(99), AssertionFailure);
});

test("ACC-17 one tick × one lot is a whole number of the quote's minor units", () => {
  for (const { symbol, quote, tickDecimals, lotDecimals, unitsPerTickLot } of testMarkets.markets) {
    assert.equal(10 ** (quote.decimals - tickDecimals - lotDecimals), unitsPerTickLot, symbol);
  }
});

test("the largest order of every market has an exact value", () => {
  for (const market of testMarkets.markets) {
    const value = orderValue(market, asPriceTicks(priceTicksMax), asQtyLots(qtyLotsMax));
    const units = BigInt(market.unitsPerTickLot);
    assert.equal(value, BigInt(priceTicksMax) * BigInt(qtyLotsMax) * units);
  }
});

test("a table whose ids are not places, or whose names collide, is refused", () => {
  const { assets, markets } = testMarkets;
  assert.throws(() => new MarketTable(markets.slice(1), assets), AssertionFailure);
  assert.throws(() => new MarketTable(markets, assets.slice(1)), AssertionFailure);
  const [first, second] = markets;
  assert(first !== undefined && second !== undefined);
  const twins = [first, { ...second, alias: first.alias }];
  assert.throws(() => new MarketTable(twins, assets), /CCUSDC/);
  const dear = [{ ...first, minNotional: 2n ** 53n }, ...markets.slice(1)];
  assert.throws(() => new MarketTable(dear, assets), /smallest value/);
});
