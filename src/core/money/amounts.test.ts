// Checked integers: values are exact within and beyond the safe integers, and each function rounds in the direction
// that its name says. Values of ticks × lots: equal to the naive computation at any size, the same for both sides, and
// invertible. Fees: the payer keeps the fraction. Decimal texts are parsed and formatted exactly; a text that is not a
// number is a fault.

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
  DecimalFault,
  divCeil,
  feeOf,
  formatScaled,
  isNotionalBelow,
  lotsFor,
  lotsWorth,
  meanTicks,
  mulDivFloor,
  notional,
  parseAmount,
  parseScaled,
  tickLotOf,
  wholeUnits,
} from "./amounts.ts";

test("bigintOf is exact for every safe integer and accepts nothing else", () => {
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

test("prices and quantities are safe integers, and amounts fit an int64", () => {
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
/** Markets with lots of three decimals in which one tick × one lot is worth ten minor units, one, and a tenth. */
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

test("ACC-33 ACC-47 a value is the nearest minor unit, half away from zero, whatever its size", () => {
  fc.assert(
    fc.property(prices, sizes, steps, (price, lots, of) => {
      const tickLot = stepsWorth(of);
      const value = notional(asPriceTicks(price), asQtyLots(lots), tickLot);
      assert.equal(value, naiveWorth(of, BigInt(price) * BigInt(lots)));
      const short = notional(asPriceTicks(price), asQtyLots(-lots), tickLot);
      assert.equal(short, -value, "a short must be worth as much as a long");
    }),
    { numRuns: 2000 },
  );
  const tenth = { units: 1, parts: 10 };
  const worth = (ticks: number, lots: number) =>
    notional(asPriceTicks(ticks), asQtyLots(lots), tenth);
  assert.deepEqual([worth(1, 4), worth(1, 5), worth(1, 14), worth(3, 5)], [0n, 1n, 1n, 2n]);
  assert.deepEqual([worth(1, -4), worth(1, -5), worth(3, -5)], [0n, -1n, -2n]);
  // 10^17 + 5 × 10^8 tenths: beyond the safe integers.
  assert.equal(worth(1_000_000_005, 100_000_000), 10_000_000_050_000_000n);
  assert.equal(worth(333_333_335, 99_999_999), 3_333_333_316_666_667n);
});

test("isNotionalBelow compares the rounded value with the minimum correctly at any size", () => {
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

test("lotsFor reaches a value with the fewest lots, and lotsWorth never exceeds it", () => {
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

test("FAP-49 FAP-64 fills at one price have this price as their mean, although their values were rounded", () => {
  const lots = fc.integer({ min: 1001, max: qtyLotsMax });
  fc.assert(
    fc.property(prices, lots, steps, (price, qty, of) => {
      const tickLot = stepsWorth(of);
      const value = notional(asPriceTicks(price), asQtyLots(qty), tickLot);
      assert.equal(meanTicks(value, qty, tickLot, 100n), BigInt(price) * 100n);
    }),
    { numRuns: 2000 },
  );
  // Where values are exact, a mean is rounded down.
  assert.equal(meanTicks(199n, 100, { units: 1, parts: 1 }), 1n);
});

test("a tick × a lot is worth between a tenth of a minor unit and ten", () => {
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

test("ACC-6 a fee is rounded down, so that the customer keeps the fraction", () => {
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

test("the fee of a negative amount fails an assertion", () => {
  assert.throws(() => feeOf(-1n, 10), AssertionFailure);
});

const decimals = fc.integer({ min: 0, max: 8 });

test("formatted values parse back, for every scale", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), decimals, (value, places) => {
      assert.equal(parseScaled(formatScaled(value, places), places), value);
    }),
  );
});

test("amounts format and parse back up to the largest int64", () => {
  const amount = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(amount, decimals, (value, places) => {
      assert.equal(parseAmount(formatScaled(value, places), places), value);
    }),
  );
});

test("both parsers agree on every plain decimal", () => {
  const text = fc.stringMatching(/^\d{1,18}(\.\d{0,10})?$/);
  fc.assert(
    fc.property(text, decimals, (source, places) => {
      const scaled = parseScaled(source, places);
      const amount = parseAmount(source, places);
      const isSafe = amount === null || amount <= BigInt(Number.MAX_SAFE_INTEGER);
      if (isSafe) assert.equal(amount, scaled < 0 ? null : BigInt(scaled), source);
      else assert.equal(scaled, DecimalFault.tooLarge, source);
    }),
  );
});

test("texts that are numbers are parsed", () => {
  const cases: [string, number, number][] = [
    ["1.50", 4, 15_000],
    ["0", 0, 0],
    ["0.0000", 2, 0],
    ["00012", 0, 12],
    [".5", 1, 5],
    ["5.", 1, 50],
    ["1.2300000", 2, 123],
    ["9007199254740991", 0, Number.MAX_SAFE_INTEGER],
    ["90071992.54740991", 8, Number.MAX_SAFE_INTEGER],
  ];
  for (const [text, places, value] of cases) assert.equal(parseScaled(text, places), value, text);
});

test("texts that are not numbers are refused", () => {
  const { malformed, tooPrecise, tooLarge } = DecimalFault;
  const cases: [string, number, number][] = [
    ["", 2, malformed],
    [".", 2, malformed],
    ["-1", 2, malformed],
    ["+1", 2, malformed],
    ["1e3", 2, malformed],
    ["1E400", 2, malformed],
    ["0x10", 2, malformed],
    [" 1", 2, malformed],
    ["1 ", 2, malformed],
    ["1,5", 2, malformed],
    ["1.2.3", 2, malformed],
    ["１", 2, malformed],
    ["NaN", 2, malformed],
    ["Infinity", 2, malformed],
    ["1.5x", 2, malformed],
    ["1.55555x", 2, malformed],
    ["1".repeat(41), 2, malformed],
    ["0.001", 2, tooPrecise],
    [`0.${"0".repeat(30)}1`, 2, tooPrecise],
    ["9007199254740992", 0, tooLarge],
    ["1".repeat(40), 8, tooLarge],
    ["90071992.54740992", 8, tooLarge],
  ];
  for (const [text, places, fault] of cases) assert.equal(parseScaled(text, places), fault, text);
});

test("amounts that are malformed, too precise or beyond an int64 parse to null", () => {
  for (const text of ["", ".", ".5", "-1", "1e3", "1.2.3", "x", "1".repeat(21), "0.001"]) {
    assert.equal(parseAmount(text, 2), null, text);
  }
  assert.equal(parseAmount("9223372036854775807", 0), 2n ** 63n - 1n);
  assert.equal(parseAmount("9223372036854775808", 0), null);
  assert.equal(parseAmount("1.", 2), 100n);
  assert.equal(parseAmount("1.500000", 2), 150n);
});

test("formatting keeps the sign and every decimal", () => {
  assert.equal(formatScaled(15_000, 4), "1.5000");
  assert.equal(formatScaled(-5, 2), "-0.05");
  assert.equal(formatScaled(-1_000_000n, 6), "-1.000000");
  assert.equal(formatScaled(0, 2), "0.00");
  assert.equal(formatScaled(7, 0), "7");
  assert.equal(formatScaled(-7n, 0), "-7");
});
