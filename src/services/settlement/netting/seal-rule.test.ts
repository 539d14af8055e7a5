// The window at the limits of the rule, and each reason that seals a batch early.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type OpenBatch, sealDefaults, sealReason, sealWindowMs } from "./seal-rule.ts";

const oneUsdc = 1_000_000n;

const quiet: OpenBatch = {
  fillCount: 1,
  exposure: 0n,
  ageMs: 0,
  isShortOfHeadroom: false,
  isMarketClosing: false,
};

test("SET-31 the window falls by the logarithm from 15 minutes at 1,000 USD to one minute at 25,000 USD", () => {
  for (const [usd, seconds] of [
    [0n, 900],
    [1_000n, 900],
    [5_000n, 480],
    [10_000n, 299],
    [25_000n, 60],
    [99_999n, 60],
  ] as const) {
    const windowMs = sealWindowMs(usd * oneUsdc, sealDefaults);
    assert.equal(Math.round(windowMs / 1000), seconds, String(usd));
  }
});

test("SET-31 a larger exposure never waits longer", () => {
  const exposure = fc.bigInt({ min: 0n, max: 200_000n * oneUsdc });
  fc.assert(
    fc.property(exposure, exposure, (one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      assert(sealWindowMs(more, sealDefaults) <= sealWindowMs(less, sealDefaults));
    }),
  );
});

test("SET-30 SET-33 each reason alone seals a batch, exactly when its limit is reached", () => {
  const reason = (change: Partial<OpenBatch>) =>
    sealReason({ ...quiet, ...change }, false, sealDefaults);
  assert.equal(reason({}), null);
  assert.equal(reason({ fillCount: 499 }), null);
  assert.equal(reason({ fillCount: 500 }), "fills");
  assert.equal(reason({ exposure: 100_000n * oneUsdc - 1n }), null);
  assert.equal(reason({ exposure: 100_000n * oneUsdc }), "exposure");
  assert.equal(reason({ ageMs: 899_999 }), null);
  assert.equal(reason({ ageMs: 900_000 }), "age");
  assert.equal(reason({ ageMs: 60_000, exposure: 25_000n * oneUsdc }), "age");
  assert.equal(reason({ isShortOfHeadroom: true }), "headroom");
  assert.equal(reason({ isMarketClosing: true }), "closing");
  const everything = { isShortOfHeadroom: true, isMarketClosing: true, ageMs: 1e9 };
  assert.equal(reason({ ...everything, fillCount: 0 }), null, "nothing to settle");
});

test("SET-32 while traffic is scarce batches wait at least five minutes, and the hard limits still apply", () => {
  const reason = (change: Partial<OpenBatch>) =>
    sealReason({ ...quiet, ...change }, true, sealDefaults);
  const mid = { exposure: 25_000n * oneUsdc };
  assert.equal(reason({ ...mid, ageMs: 299_999 }), null);
  assert.equal(reason({ ...mid, ageMs: 300_000 }), "age");
  assert.equal(reason({ ageMs: 900_000 }), "age");
  assert.equal(reason({ fillCount: 500 }), "fills");
  assert.equal(reason({ exposure: 100_000n * oneUsdc }), "exposure");
});
