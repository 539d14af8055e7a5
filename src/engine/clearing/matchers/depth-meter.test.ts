// Which orders count as depth of a book: resting orders within a tenth of their side's best price.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { sayIndex, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { type BookPrices, DepthMeter } from "./depth-meter.ts";
import { BestPrices } from "./matcher-lanes.ts";

const { btcPerp } = marketId;
/** The best bid: 60,000 USDC. */
const touch = 6_000_000;
const tenth = touch / 10;

/**
 * Returns the average prices of 11,000 USDC on each side of a book. Each side has orders of about 6,000 USDC at its
 * best price and of 6,000 USDC `away` ticks beyond it.
 */
function pricesWith(away: number): BookPrices | null {
  const venue = new TestVenue();
  const maker = venue.fund(1_000_000n * oneUsdc);
  sayIndex(venue, btcPerp, touch);
  venue.state.riskTerms.set(btcPerp, RiskTerm.bookDepth, 11_000);
  for (const price of [touch, touch - away]) venue.buy(maker, btcPerp, price, 100);
  for (const price of [touch + 10, touch + 10 + away]) venue.sell(maker, btcPerp, price, 100);
  const best = new BestPrices(testMarkets.markets.length);
  best.derive(venue.state.orders);
  const meter = new DepthMeter(venue.state, best);
  meter.measure();
  return meter.bookPrices(testMarkets.market(btcPerp));
}

test("RSK-28 RSK-59 an order counts as depth if its price is at most a tenth away from the best price", () => {
  const { bid = 0, ask: request = 0 } = pricesWith(tenth) ?? {};
  assert(bid < touch && bid > touch - tenth, "both bids count");
  assert(request > touch + 10 && request < touch + 10 + tenth, "both asks count");
  assert.equal(pricesWith(tenth + 1), null, "a tick farther does not count as depth");
});
