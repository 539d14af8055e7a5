// Assertions: a true condition passes, a false one throws with its message. Typed array reads: the value
// inside the bounds, a throw outside.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AssertionFailure,
  amountAt,
  assert as assertThat,
  byteAt,
  columnSums,
  numberAt,
  present,
  shortAt,
  unreachable,
  wordAt,
} from "./assert.ts";

test("a false condition throws with its message, and a true condition passes", () => {
  assertThat(true, "never said");
  assert.throws(() => assertThat(false, "said"), new AssertionFailure("said"));
  assert.equal(present(0, "a zero"), 0);
  assert.throws(() => present(undefined, "a thing"), /missing: a thing/);
  assert.throws(() => present(null, "a thing"), AssertionFailure);
  assert.throws(() => unreachable(7 as never), /unreachable value: 7/);
});

test("an index in bounds reads its element, and an index out of bounds throws", () => {
  const reads = [
    (at: number) => wordAt(Int32Array.of(7), at),
    (at: number) => byteAt(Uint8Array.of(7), at),
    (at: number) => shortAt(Uint16Array.of(7), at),
    (at: number) => numberAt(Float64Array.of(7), at),
    (at: number) => Number(amountAt(BigInt64Array.of(7n), at)),
  ];
  for (const read of reads) {
    assert.equal(read(0), 7);
    for (const at of [-1, 1, 0.5, Number.NaN]) assert.throws(() => read(at), AssertionFailure);
  }
});

test("sums of columns are exact, whatever the signs and sizes of their values", () => {
  const extremes = [2n ** 63n - 1n, -(2n ** 63n), -1n, 0n, 1n, 2n ** 32n, -(2n ** 32n) - 5n];
  const amounts = new BigInt64Array(1000).map((_, at) => {
    const base = extremes[at % extremes.length] ?? 0n;
    return at % 3 === 0 ? base / BigInt(at + 1) : base;
  });
  for (const [start, width, rows] of [
    [0, 1, 1000],
    [3, 7, 100],
    [999, 1, 1],
    [5, 2, 0],
  ] as const) {
    const columns = width === 7 ? [0, 3, 6] : [0];
    const expected = columns.map((column) => {
      let sum = 0n;
      for (let row = 0; row < rows; row++) sum += amounts[start + row * width + column] ?? 0n;
      return sum;
    });
    assert.deepEqual(columnSums(amounts, { start, width, rows }, columns), expected);
  }
  const beyond = { start: 1, width: 1, rows: 1000 };
  assert.throws(() => columnSums(amounts, beyond, [0]), AssertionFailure);
  assert.throws(() => columnSums(amounts, { start: 0, width: 2, rows: 1 }, [2]), AssertionFailure);
});
