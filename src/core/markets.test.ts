// The market table: markets are found by id, symbol and alias, and a table that contradicts itself stops the thread.

import assert from "node:assert/strict";
import { test } from "node:test";
import { naiveWorth } from "../../test/model/naive-worth.ts";
import { marketId, testMarkets } from "../../test/support/machine/test-markets.ts";
import { AssertionFailure } from "./assert.ts";
import { priceTicksMax, qtyLotsMax } from "./limits.ts";
import { MarketKind, MarketTable, orderValue } from "./markets.ts";
import { asPriceTicks, asQtyLots } from "./money/amounts.ts";

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

test("ACC-17 one tick × one lot is worth a power of ten of the quote asset, and on spot whole minor units", () => {
  for (const { symbol, quote, tickDecimals, lotDecimals, kind, tickLot } of testMarkets.markets) {
    const worth = tickLot.units / tickLot.parts;
    assert.equal(10 ** (quote.decimals - tickDecimals - lotDecimals), worth, symbol);
    if (kind === MarketKind.spot) assert.equal(tickLot.parts, 1, symbol);
  }
  const finest = testMarkets.market(marketId.ccPerp);
  assert.deepEqual(finest.tickLot, { units: 1, parts: 10 });
});

test("the value of every market's largest order is computed exactly", () => {
  for (const market of testMarkets.markets) {
    const value = orderValue(market, asPriceTicks(priceTicksMax), asQtyLots(qtyLotsMax));
    assert.equal(value, naiveWorth(market, BigInt(priceTicksMax) * BigInt(qtyLotsMax)));
  }
});

test("ACC-33 ACC-47 a table with inconsistent steps, or with rounding on spot, is refused", () => {
  const { assets, markets } = testMarkets;
  const [spot] = markets;
  assert(spot !== undefined);
  const others = markets.slice(1);
  const wrong = { ...spot, tickLot: { units: 1, parts: 1 } };
  assert.throws(() => new MarketTable([wrong, ...others], assets), /must match the decimals/);
  const fine = { ...spot, tickDecimals: 6, tickLot: { units: 1, parts: 10 } };
  assert.throws(() => new MarketTable([fine, ...others], assets), /without rounding/);
});

test("a table whose ids are not indexes, or whose names collide, is refused", () => {
  const { assets, markets } = testMarkets;
  assert.throws(() => new MarketTable(markets.slice(1), assets), AssertionFailure);
  assert.throws(() => new MarketTable(markets, assets.slice(1)), AssertionFailure);
  const [first, second] = markets;
  assert(first !== undefined && second !== undefined);
  const twins = [first, { ...second, alias: first.alias }];
  assert.throws(() => new MarketTable(twins, assets), /CCUSDC/);
  const dear = [{ ...first, minNotional: 2n ** 53n }, ...markets.slice(1)];
  assert.throws(() => new MarketTable(dear, assets), /minNotional × parts/);
});
