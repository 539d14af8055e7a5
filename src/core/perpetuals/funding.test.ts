// Funding rates and payments: clamps, directions, roundings.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fundingPayment, fundingRateMax, fundingRateOf, premiumOf } from "./funding.ts";

test("a premium is the mark's excess over the index, as a fraction of the index", () => {
  assert.equal(premiumOf(10_100, 10_000), 1_000_000n);
  assert.equal(premiumOf(9_900, 10_000), -1_000_000n);
  assert.equal(premiumOf(1_000_000_000, 1), 100_000_000n, "a premium must be at most 100 %");
  assert.equal(premiumOf(3, 7), -57_142_857n, "a premium must be rounded toward zero");
});

test("FND-2 interest moves the average premium toward the interest rate, and the funding rate is limited", () => {
  assert.equal(fundingRateOf(0n, 4), 10_000n, "without a premium, the rate must be the interest");
  assert.equal(fundingRateOf(120_000n, 2), 10_000n, "0.06 % must be pulled to the interest");
  assert.equal(fundingRateOf(400_000n, 2), 150_000n, "0.2 % must be pulled by 0.05 %");
  assert.equal(fundingRateOf(-100_000n, 1), -50_000n);
  assert.equal(fundingRateOf(5_000_000n, 1), fundingRateMax);
  assert.equal(fundingRateOf(-5_000_000n, 1), -fundingRateMax);
  assert.equal(fundingRateOf(0n, 0), 0n, "without samples, the rate must be 0");
});

test("FND-5 FND-9 what an account pays is rounded up, and what it receives is rounded down", () => {
  assert.equal(fundingPayment(60_000_000n, true, 10_000n), -6000n);
  assert.equal(fundingPayment(60_000_000n, false, 10_000n), 6000n);
  assert.equal(fundingPayment(60_000_000n, true, -10_000n), 6000n);
  assert.equal(fundingPayment(15_001n, true, 10_000n), -2n);
  assert.equal(fundingPayment(15_001n, false, 10_000n), 1n);
});

test("FND-5 FND-9 for equal lots, the payments of longs and shorts never sum above zero", () => {
  const value = fc.bigInt({ min: 0n, max: 10n ** 15n });
  const rate = fc.bigInt({ min: -fundingRateMax, max: fundingRateMax });
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), rate, (values, at) => {
      const total = values.reduce((sum, one) => sum + one, 0n);
      const longs = values.reduce((sum, one) => sum + fundingPayment(one, true, at), 0n);
      const rest = longs + fundingPayment(total, false, at);
      assert(rest <= 0n && rest >= -BigInt(values.length + 1));
    }),
  );
});
