// Fees: basis points rounded down, so that the fraction stays with whoever pays.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../assert.ts";
import { feeOf } from "./fees.ts";

test("ACC-6 a fee rounds down: the customer keeps the fraction", () => {
  assert.equal(feeOf(9999n, 1), 0n);
  assert.equal(feeOf(10_000n, 1), 1n);
  assert.equal(feeOf(1999n, 10), 1n);
  assert.equal(feeOf(0n, 10), 0n);
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 2n ** 62n }),
      fc.integer({ min: 0, max: 1000 }),
      (of, bps) => {
        const fee = feeOf(of, bps);
        assert(fee * 10_000n <= of * BigInt(bps) && (fee + 1n) * 10_000n > of * BigInt(bps));
      },
    ),
  );
});

test("no fee is taken from something paid", () => {
  assert.throws(() => feeOf(-1n, 10), AssertionFailure);
});
