// Tests quotes for a given value on any order book: the value is used completely, and the provider makes no loss.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type BookSide, priceOfLots, priceOfValue } from "./quote-price.ts";

const asks = fc
  .array(fc.tuple(fc.bigInt(1n, 400n), fc.bigInt(1n, 200n)), { minLength: 1, maxLength: 6 })
  .map((steps): BookSide => {
    let price = 0n;
    return steps.map(([step, lots]) => {
      price += step;
      return [price, lots] as const;
    });
  });
const spread = fc.bigInt(0n, 200n);
const value = fc.bigInt(1n, 200_000n);

test("LPC-3 a quote for a value to spend offers the most lots that the value pays for, without a loss", () => {
  fc.assert(
    fc.property(asks, value, spread, (side, most, bps) => {
      const priced = priceOfValue(side, most, true, bps);
      if (priced === null) return;
      const { ticks, lots } = priced;
      assert.ok(ticks * lots <= most, "the cost must be within the value");
      assert.ok(ticks * (lots + 1n) > most, "one more lot must cost too much");
      const cost = priceOfLots(side, lots, true, bps);
      assert.ok(cost !== null && ticks >= cost.ticks, "the price must not be below the book's");
    }),
  );
});

test("LPC-3 a quote for a value to receive takes the fewest lots that yield the value, without a loss", () => {
  fc.assert(
    fc.property(asks, value, spread, (steps, least, bps) => {
      const best = (steps.at(-1)?.[0] ?? 0n) + 1n;
      const bids: BookSide = steps.map(([price, lots]) => [best - price, lots] as const);
      const priced = priceOfValue(bids, least, false, bps);
      if (priced === null) return;
      const { ticks, lots } = priced;
      assert.ok(ticks * lots >= least, "the lots must yield the value");
      assert.ok(ticks * (lots - 1n) < least, "one lot less must yield too little");
      const paid = priceOfLots(bids, lots, false, bps);
      assert.ok(paid !== null && ticks <= paid.ticks, "the price must not be above the book's");
    }),
  );
});
