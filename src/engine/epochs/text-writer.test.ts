// The writer of leaf bodies compared with simpler ways to write the same text.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatScaled } from "../../core/money/amounts.ts";
import { pieceOf, TextWriter } from "./text-writer.ts";

const writer = new TextWriter(new Uint8Array(4096));

function written(write: (writer: TextWriter) => void): string {
  writer.at = 0;
  write(writer);
  return writer.textFrom(0);
}

const edges = [0, 1, 9, 10, 999_999_999, 1e9, 1e9 + 1, 2 ** 31, 2 ** 32, 1e15, 1e15 - 1];
const whole = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(...edges));

test("whole numbers are written as by String", () => {
  fc.assert(fc.property(whole, (value) => written((to) => to.whole(value)) === String(value)));
  assert.throws(() => written((to) => to.whole(2 ** 53)), /a safe integer/);
});

test("decimals are written as by formatScaled", () => {
  const value = fc.oneof(whole, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
  const property = fc.property(value, fc.nat(15), (units, decimals) => {
    assert.equal(
      written((to) => to.scaled(units, decimals)),
      formatScaled(units, decimals),
    );
  });
  fc.assert(property, { numRuns: 1_000 });
});

test("a quotient that is almost whole is not rounded up", () => {
  for (let decimals = 1; decimals <= 15; decimals++) {
    const one = 10 ** decimals;
    const units = Math.floor(Number.MAX_SAFE_INTEGER / one) * one - 1;
    assert.equal(
      written((to) => to.scaled(units, decimals)),
      formatScaled(units, decimals),
    );
  }
});

test("texts are written as JSON strings in UTF-8", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  const property = fc.property(text, (value) => {
    assert.equal(
      written((to) => to.json(value)),
      JSON.stringify(value),
    );
    assert.equal(
      written((to) => to.text(value)),
      value,
    );
  });
  fc.assert(property);
  assert.equal(
    written((to) => to.hex(Uint8Array.of(0, 15, 160, 255))),
    "000fa0ff",
  );
});

test("a piece fills the memory exactly, and a longer one is reported", () => {
  for (let length = 0; length <= 12; length++) {
    const text = "abcdefghijkl".slice(0, length);
    const exact = new TextWriter(new Uint8Array(length));
    exact.piece(pieceOf(text));
    assert.equal(exact.textFrom(0), text);
    const small = new TextWriter(new Uint8Array(length));
    small.piece(pieceOf(`${text}é`));
    assert.throws(() => small.textFrom(0), /must fit the memory/);
  }
});

test("pieces of any length follow each other without gaps", () => {
  const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 9 }));
  const property = fc.property(texts, (pieces) => {
    const whole = written((to) => {
      for (const piece of pieces) to.piece(pieceOf(piece));
    });
    assert.equal(whole, pieces.join(""));
  });
  fc.assert(property);
});

test("a text that does not fit is reported, not cut off", () => {
  const small = new TextWriter(new Uint8Array(4));
  small.text("12345");
  assert.throws(() => small.textFrom(0), /must fit the memory/);
});
