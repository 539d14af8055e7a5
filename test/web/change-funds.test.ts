// Proves what a change of a resting spot order needs beyond what the order holds.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exact } from "../../web/src/markets/exact.ts";
import type { Market } from "../../web/src/markets/market.ts";
import { changeShortfall } from "../../web/src/markets/ticket/change-funds.ts";

const market = { base: "CC", quote: "USDC", quantityPlaces: 0 } as Market;
const buy = { side: "BUY", price: "0.2", qty: "1000", filled_qty: "400" };
const sell = { ...buy, side: "SELL" };

function shortfall(order: typeof buy, price: string, quantity: string, free: string): string {
  return changeShortfall(order, market, { price, quantity }, exact(free) ?? 0n);
}

test("WEB-34 a change needs the difference between what the rest of the order holds and will hold", () => {
  // 600 are left: 0.21 instead of 0.20 for each.
  assert.equal(shortfall(buy, "0.21", "1000", "6"), "");
  assert.equal(
    shortfall(buy, "0.21", "1000", "5.99"),
    "The change needs 6.00 USDC more, and 5.99 are available. Nothing was changed.",
  );
  assert.equal(shortfall(buy, "0.19", "1000", "0"), "");
  assert.equal(shortfall(sell, "0.5", "1000", "0"), "", "a sell holds the base asset");
  assert.equal(
    shortfall(sell, "0.5", "1010", "9"),
    "The change needs 10 CC more, and 9 are available. Nothing was changed.",
  );
});
