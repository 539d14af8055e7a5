// The mark: the median of the prices that exist, in the market's own ticks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { Side } from "../../core/orders.ts";
import { BestPrices } from "../clearing/matchers/matcher-lanes.ts";
import { BasisAverages } from "../state/tables/basis-averages.ts";
import { convertTicks, markOf, midOf } from "./mark-price.ts";

test("the middle needs both sides and is rounded down", () => {
  assert.equal(midOf(10, 13), 11);
  assert.equal(midOf(0, 13), 0);
  assert.equal(midOf(10, 0), 0);
});

test("the mark is the median of three prices, the mean of two, the only one, or none", () => {
  assert.equal(markOf(30, 10, 20), 20);
  assert.equal(markOf(10, 30, 20), 20);
  assert.equal(markOf(20, 30, 10), 20);
  assert.equal(markOf(20, 20, 10), 20);
  assert.equal(markOf(0, 15, 10), 12);
  assert.equal(markOf(15, 0, 10), 12);
  assert.equal(markOf(15, 10, 0), 12);
  assert.equal(markOf(0, 15, 0), 15);
  assert.equal(markOf(7, 0, 0), 7);
  assert.equal(markOf(0, 0, 9), 9);
  assert.equal(markOf(0, 0, 0), 0);
});

test("a spot price is converted to the perpetual's ticks, and never becomes zero", () => {
  const ccSpot = testMarkets.market(marketId.ccUsdc);
  const ccPerp = testMarkets.market(marketId.ccPerp);
  assert.equal(convertTicks(1599, ccSpot, ccPerp), 1599);
  const coarser = { ...ccPerp, tickDecimals: 2 };
  assert.equal(convertTicks(1599, ccSpot, coarser), 15);
  assert.equal(convertTicks(9, ccSpot, coarser), 1);
  assert.equal(convertTicks(0, ccSpot, coarser), 0);
  assert.equal(convertTicks(15, coarser, ccSpot), 1500);
});

test("best prices derived from open orders equal those that matchers reported", () => {
  const venue = new TestVenue();
  const account = venue.fund(10n ** 12n);
  for (const [price, offset] of [
    [5_000_000, 0],
    [4_990_000, 10],
    [4_999_000, 20],
  ] as const) {
    venue.buy(account, marketId.btcPerp, price - offset, 1);
    venue.sell(account, marketId.btcPerp, price + 50_000 + offset, 1);
  }
  const best = new BestPrices(testMarkets.markets.length);
  best.derive(venue.state.orders);
  assert.equal(best.bid[marketId.btcPerp], 5_000_000);
  assert.equal(best.ask[marketId.btcPerp], 5_040_010);
  assert.equal(best.opposite(marketId.btcPerp, Side.buy), 5_040_010);
  assert.equal(best.opposite(marketId.ethPerp, Side.sell), 0);
});

test("RSK-20 RSK-53 the average basis moves by the interval's share of the averaging time, and reaches a constant basis", () => {
  const basis = new BasisAverages(1);
  const take = (ticks: number, intervalUs = 1_000_000) => {
    const average = basis.withSample(0, ticks, intervalUs);
    basis.average[0] = average;
    basis.isKnown[0] = 1;
    return average;
  };
  assert.equal(take(30), 30_000, "the first sample must become the average");
  assert.equal(take(60), 31_000, "one second is a thirtieth of the averaging time");
  assert.equal(take(-60), 27_966, "a step must be rounded away from the old average");
  assert.equal(
    take(0, 60_000_000),
    0,
    "after a whole averaging time the sample must replace the average",
  );
  take(1);
  for (let second = 0; second < 300; second++) take(1);
  assert.equal(take(1), 1000, "the average must reach a constant basis");
});

test("RSK-20 RSK-54 the mark uses the index plus the average basis as the middle of the book", () => {
  const basis = new BasisAverages(1);
  assert.equal(
    basis.smoothed(0, 100, 140),
    140,
    "before the first sample the middle must be unchanged",
  );
  basis.average[0] = 1500;
  basis.isKnown[0] = 1;
  assert.equal(basis.smoothed(0, 100, 140), 101, "the basis must be rounded down");
  basis.average[0] = -1500;
  assert.equal(basis.smoothed(0, 100, 140), 98, "the basis must be rounded down");
  assert.equal(basis.smoothed(0, 1, 140), 1, "the result must be at least one tick");
  assert.equal(basis.smoothed(0, 0, 140), 140, "without an index the middle must be unchanged");
  assert.equal(
    basis.smoothed(0, 100, 0),
    0,
    "without both sides of the book there must be no middle",
  );
});
