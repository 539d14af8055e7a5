// Checked integers: values are exact on both sides of the safe integers, and every rounding goes the way its name
// says. What ticks and lots are worth: the naive figure whatever the size, the same for both sides, and back again.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { naiveWorth } from "../../../test/model/naive-worth.ts";
import { AssertionFailure } from "../assert.ts";
import { priceTicksMax, qtyLotsMax } from "../limits.ts";
import {
  asAmount,
  asPriceTicks,
  asQtyLots,
  bigintOf,
  divCeil,
  isNotionalBelow,
  lotsFor,
  lotsWorth,
  meanTicks,
  mulDivFloor,
  notional,
  tickLotOf,
  wholeUnits,
} from "./amounts.ts";

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

const quote = { id: 0, code: "USDC", decimals: 6 };
/** Decimals of ticks whose lots have three: worth ten units, one unit and a tenth of one. */
const steps = fc
  .constantFrom(2, 3, 4)
  .map((tickDecimals) => ({ quote, tickDecimals, lotDecimals: 3 }));
const prices = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 1, max: priceTicksMax }),
);
const sizes = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: qtyLotsMax }));

function stepsWorth(of: Parameters<typeof tickLotOf>[0]) {
  const tickLot = tickLotOf(of);
  assert(tickLot !== null);
  return tickLot;
}

test("ACC-33 a value is the nearest minor unit, half away from zero, whatever its size", () => {
  fc.assert(
    fc.property(prices, sizes, steps, (price, lots, of) => {
      const tickLot = stepsWorth(of);
      const value = notional(asPriceTicks(price), asQtyLots(lots), tickLot);
      assert.equal(value, naiveWorth(of, BigInt(price) * BigInt(lots)));
      const short = notional(asPriceTicks(price), asQtyLots(-lots), tickLot);
      assert.equal(short, -value, "a short is worth what a long is");
    }),
    { numRuns: 2000 },
  );
  const tenth = { units: 1, parts: 10 };
  const worth = (ticks: number, lots: number) =>
    notional(asPriceTicks(ticks), asQtyLots(lots), tenth);
  assert.deepEqual([worth(1, 4), worth(1, 5), worth(1, 14), worth(3, 5)], [0n, 1n, 1n, 2n]);
  assert.deepEqual([worth(1, -4), worth(1, -5), worth(3, -5)], [0n, -1n, -2n]);
  // 10^17 + 5 tenths: past the safe integers.
  assert.equal(worth(1_000_000_005, 100_000_000), 10_000_000_050_000_000n);
  assert.equal(worth(333_333_335, 99_999_999), 3_333_333_316_666_667n);
});

test("a notional is below the least where its value is, whatever its size", () => {
  const away = fc.integer({ min: -2, max: 2 });
  fc.assert(
    fc.property(prices, sizes, steps, away, (price, lots, of, by) => {
      const tickLot = stepsWorth(of);
      const value = naiveWorth(of, BigInt(price) * BigInt(lots));
      const near = Number(value) + by;
      const least = Math.max(0, Math.min(near, Number.MAX_SAFE_INTEGER / tickLot.parts));
      const whole = Math.floor(least);
      const isBelow = isNotionalBelow(asPriceTicks(price), asQtyLots(lots), tickLot, whole);
      assert.equal(isBelow, value < BigInt(whole));
    }),
    { numRuns: 2000 },
  );
});

test("the fewest lots of a value reach it, the most it pays for do not pass it", () => {
  const values = fc.bigInt({ min: 0n, max: 10n ** 12n });
  fc.assert(
    fc.property(values, prices, steps, (value, price, of) => {
      const tickLot = stepsWorth(of);
      const worth = (lots: bigint) => naiveWorth(of, BigInt(price) * lots);
      const fewest = lotsFor(value, price, tickLot);
      assert(worth(fewest) >= value && (fewest === 0n || worth(fewest - 1n) < value));
      const paid = lotsWorth(value, price, tickLot);
      const scaled = value * BigInt(tickLot.parts);
      const each = BigInt(price) * BigInt(tickLot.units);
      assert(paid * each <= scaled && (paid + 1n) * each > scaled && worth(paid) <= value);
    }),
    { numRuns: 2000 },
  );
});

test("FAP-49 what traded at one price has it as its mean, though its value was rounded", () => {
  const lots = fc.integer({ min: 1001, max: qtyLotsMax });
  fc.assert(
    fc.property(prices, lots, steps, (price, qty, of) => {
      const tickLot = stepsWorth(of);
      const value = notional(asPriceTicks(price), asQtyLots(qty), tickLot);
      assert.equal(meanTicks(value, qty, tickLot, 100n), BigInt(price) * 100n);
    }),
    { numRuns: 2000 },
  );
  // Where values are exact a mean is rounded down.
  assert.equal(meanTicks(199n, 100, { units: 1, parts: 1 }), 1n);
});

test("a tick and a lot are worth a tenth of a minor unit to ten", () => {
  const worth = (tickDecimals: number, lotDecimals: number) =>
    tickLotOf({ quote, tickDecimals, lotDecimals });
  assert.deepEqual(worth(2, 3), { units: 10, parts: 1 });
  assert.deepEqual(worth(2, 4), { units: 1, parts: 1 });
  assert.deepEqual(worth(4, 3), { units: 1, parts: 10 });
  assert.equal(worth(4, 4), null);
  assert.equal(worth(1, 3), null);
  assert.equal(wholeUnits({ units: 10, parts: 1 }), 10n);
  assert.throws(() => wholeUnits({ units: 1, parts: 10 }), AssertionFailure);
});

test("a notional beyond an int64 stops the thread", () => {
  const price = asPriceTicks(Number.MAX_SAFE_INTEGER);
  assert.throws(() => notional(price, asQtyLots(2000), { units: 1, parts: 1 }), AssertionFailure);
});
