// The exposure of a batch in USDC, for markets quoted in USDC and markets with USDC as base.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exposureOf } from "./netting.ts";

const [usdc, cc, ceth, cbtc] = [0, 1, 2, 3];

/** 1,000 CC for 150 USDC. */
const direct = { base: cc, quote: usdc, baseAmount: 1_000n, quoteAmount: 150n };
/** 300 USDC for 2,000 CC: a market with USDC as base. */
const inverse = { base: usdc, quote: cc, baseAmount: 300n, quoteAmount: 2_000n };
const cross = { base: ceth, quote: cc, baseAmount: 10n, quoteAmount: 5_000n };
const legs = [
  { asset: usdc, amount: 90n },
  { asset: cc, amount: 500n },
];

test("SET-20 a pair that is listed in both directions has the same value in either market", () => {
  assert.equal(exposureOf(legs, [direct], usdc), 90n + 75n);
  assert.equal(exposureOf(legs, [inverse], usdc), 90n + 75n);
  assert.equal(exposureOf(legs, [direct, inverse], usdc), 90n + 75n);
  assert.equal(exposureOf(legs, [inverse, direct], usdc), 90n + 75n);
});

test("SET-20 an asset quoted in another one is valued through it, and an unpriced asset gets no guessed value", () => {
  const one = [{ asset: ceth, amount: 2n }];
  assert.equal(exposureOf(one, [cross, direct], usdc), 150n);
  assert.equal(exposureOf(one, [cross, inverse], usdc), 150n);
  assert.equal(exposureOf(one, [cross], usdc), null);
  assert.equal(exposureOf([{ asset: cbtc, amount: 1n }], [cross, direct], usdc), null);
});

test("SET-20 a fill with a quote amount of 0 gives the quote asset no price and values the base asset at 0", () => {
  const crumb = { ...direct, quoteAmount: 0n };
  assert.equal(exposureOf([{ asset: usdc, amount: 5n }], [crumb], cc), null);
  assert.equal(exposureOf([{ asset: cc, amount: 5n }], [crumb], usdc), 0n);
});
