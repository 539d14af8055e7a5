// Checked integers: values are exact on both sides of the safe integers, and every rounding goes
// the way its name says.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../assert.ts";
import { asAmount, asPriceTicks, asQtyLots, bigintOf, divCeil, mulDivFloor } from "./amounts.ts";

test("bigintOf is exact for every safe integer and takes nothing else", () => {
  const edges = [0, 1, 2 ** 31, 2 ** 32, 2 ** 52 - 1, 2 ** 52, Number.MAX_SAFE_INTEGER];
  for (const edge of edges) {
    assert.equal(bigintOf(edge), BigInt(edge));
    assert.equal(bigintOf(-edge), BigInt(-edge));
  }
  fc.assert(fc.property(fc.maxSafeInteger(), (value) => bigintOf(value) === BigInt(value)));
  for (const bad of [0.5, 2 ** 53, Number.NaN]) {
    assert.throws(() => bigintOf(bad), AssertionFailure);
  }
});

test("prices and quantities are safe integers, amounts fit an int64", () => {
  assert.equal(asPriceTicks(0), 0);
  assert.equal(asQtyLots(-5), -5);
  assert.equal(asAmount(-(2n ** 63n)), -(2n ** 63n));
  for (const bad of [-1, 0.5, 2 ** 53, Number.NaN]) {
    assert.throws(() => asPriceTicks(bad), AssertionFailure);
  }
  for (const bad of [0.5, 2 ** 53, Number.POSITIVE_INFINITY]) {
    assert.throws(() => asQtyLots(bad), AssertionFailure);
  }
  for (const bad of [2n ** 63n, -(2n ** 63n) - 1n]) {
    assert.throws(() => asAmount(bad), AssertionFailure);
  }
});

test("divCeil rounds up to the next whole unit and never further", () => {
  const value = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  const denominator = fc.bigInt({ min: 1n, max: 200n });
  fc.assert(
    fc.property(value, denominator, (total, parts) => {
      const share = divCeil(total, parts);
      assert(share * parts >= total && (share - 1n) * parts < total);
    }),
  );
  assert.throws(() => divCeil(-1n, 2n), AssertionFailure);
  assert.throws(() => divCeil(1n, 0n), AssertionFailure);
});

test("mulDivFloor drops the fraction", () => {
  assert.equal(mulDivFloor(999n, 10n, 10_000n), 0n);
  assert.equal(mulDivFloor(1000n, 10n, 10_000n), 1n);
  assert.throws(() => mulDivFloor(1n, 1n, 0n), AssertionFailure);
});
