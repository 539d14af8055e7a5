// Which quotes match a trader's request.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { marketId, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { AssertionFailure } from "../../core/assert.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { Side } from "../../core/orders.ts";
import { fitQuote, quoteValue, type RequestedQuote } from "./quote-fit.ts";

const market = testMarkets.market(marketId.ccUsdc);
const { lotDecimals, tickDecimals, tickLot } = market;

/** The result for a quote of this price and quantity. */
function answerTo(requested: Partial<RequestedQuote>, priceTicks: number, lots: number) {
  const price = formatScaled(priceTicks, tickDecimals);
  const qty = formatScaled(lots, lotDecimals);
  const nothing = { side: Side.buy, askedLots: null, askedQuote: null };
  return fitQuote(market, { ...nothing, ...requested }, { price, qty });
}

/** The fewest lots whose value at a price reaches the market's minimum. */
const least = (priceTicks: number) =>
  Math.ceil(Number(market.minNotional) / (priceTicks * tickLot.units));

test("RFQ-2 a quote must have exactly the requested lots, and their value must reach the market's minimum", () => {
  const lots = least(1000);
  assert.deepEqual(answerTo({ askedLots: lots }, 1000, lots), { priceTicks: 1000, lots });
  assert.equal(answerTo({ askedLots: lots }, 1000, lots + 1), "other");
  assert.equal(answerTo({ askedLots: lots }, 1000, lots - 1), "other");
  assert.equal(answerTo({ askedLots: lots - 1 }, 1000, lots - 1), "small");
});

test("RFQ-2 the result tells whether the price or the quantity is invalid or outside the market's range", () => {
  const requested = { askedLots: 5000 };
  for (const price of ["0", "-1", "1e3", "", "0.00000000001"]) {
    assert.equal(
      fitQuote(market, { ...requested, side: Side.sell, askedQuote: null }, { price, qty: "1" }),
      "price",
    );
  }
  assert.equal(answerTo(requested, market.priceTicksMax + 1, 5000), "price");
  assert.equal(answerTo(requested, 1000, 0), "quantity");
  assert.equal(answerTo(requested, 1000, market.qtyLotsMax + 1), "quantity");
});

test("RFQ-2 RFQ-31 a BUY for a value has the most lots that the value pays for, and a SELL the fewest lots that reach it", () => {
  const prices = fc.integer({ min: 1, max: 100_000 });
  const wholes = fc.integer({ min: 1, max: 1_000_000 });
  const rests = fc.integer({ min: 0, max: 999_999 });
  fc.assert(
    fc.property(prices, wholes, rests, (price, lots, rest) => {
      const lot = quoteValue(market, price, 1);
      const askedQuote = quoteValue(market, price, lots) + (BigInt(rest) % lot);
      const isExact = BigInt(rest) % lot === 0n;
      const fewest = isExact ? lots : lots + 1;
      const fits = (side: Side, qty: number) =>
        typeof answerTo({ side, askedQuote }, price, qty) === "object";
      for (const by of [-1, 0, 1]) {
        assert.equal(lots + by > 0 && fits(Side.buy, lots + by), by === 0);
        assert.equal(fewest + by > 0 && fits(Side.sell, fewest + by), by === 0);
      }
    }),
  );
});

test("a request with neither lots nor a value, with both, or in a perpetual market fails an assertion", () => {
  assert.throws(() => answerTo({}, 1000, 5000), AssertionFailure);
  assert.throws(() => answerTo({ askedLots: 5000, askedQuote: 1n }, 1000, 5000), AssertionFailure);
  assert.throws(() => answerTo({ askedQuote: 0n }, 1000, 5000), AssertionFailure);
  const perpetual = testMarkets.market(marketId.btcPerp);
  const requested = { side: Side.buy, askedLots: 1, askedQuote: null };
  assert.throws(() => fitQuote(perpetual, requested, { price: "1", qty: "1" }), AssertionFailure);
});
