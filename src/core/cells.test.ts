// Reads of typed arrays: the value inside, a stop outside.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "./assert.ts";
import { amountAt, byteAt, numberAt, shortAt, wordAt } from "./cells.ts";

test("an index inside reads its cell, one outside stops the thread", () => {
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
