// Decimal text and scaled integers, both ways: exact where there is a number, a fault where not.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DecimalFault, formatScaled, parseAmount, parseScaled } from "./decimal.ts";

const decimals = fc.integer({ min: 0, max: 8 });

test("what is formatted parses back, for every scale", () => {
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

test("the two parsers agree on every plain decimal", () => {
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

test("texts that are numbers", () => {
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

test("texts that are not", () => {
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

test("amounts: malformed, too precise and beyond an int64 are null", () => {
  for (const text of ["", ".", ".5", "-1", "1e3", "1.2.3", "x", "1".repeat(21), "0.001"]) {
    assert.equal(parseAmount(text, 2), null, text);
  }
  assert.equal(parseAmount("9223372036854775807", 0), 2n ** 63n - 1n);
  assert.equal(parseAmount("9223372036854775808", 0), null);
  assert.equal(parseAmount("1.", 2), 100n);
  assert.equal(parseAmount("1.500000", 2), 150n);
});

test("formatting keeps the sign and every place", () => {
  assert.equal(formatScaled(15_000, 4), "1.5000");
  assert.equal(formatScaled(-5, 2), "-0.05");
  assert.equal(formatScaled(-1_000_000n, 6), "-1.000000");
  assert.equal(formatScaled(0, 2), "0.00");
  assert.equal(formatScaled(7, 0), "7");
  assert.equal(formatScaled(-7n, 0), "-7");
});
