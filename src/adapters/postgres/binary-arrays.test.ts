// Compares the encoding of arrays with the layout of array_recv, byte by byte. The event store's contract tests show
// that a server reads the same values back.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { byteaArray, integerMatrix } from "./binary-arrays.ts";

/** Decodes a matrix by the documented format of PostgreSQL. */
function matrixOf(buffer: Buffer): (bigint | null)[][] {
  assert.equal(buffer.readInt32BE(0), 2);
  assert.equal(buffer.readUInt32BE(8), 20);
  const [columns, rows] = [buffer.readInt32BE(12), buffer.readInt32BE(20)];
  assert.deepEqual([buffer.readInt32BE(16), buffer.readInt32BE(24)], [1, 1]);
  let at = 28;
  const matrix = Array.from({ length: columns }, () =>
    Array.from({ length: rows }, () => {
      const length = buffer.readInt32BE(at);
      at += 4;
      if (length === -1) return null;
      assert.equal(length, 8);
      at += 8;
      return buffer.readBigInt64BE(at - 8);
    }),
  );
  assert.equal(at, buffer.length);
  return matrix;
}

test("integers of every size and sign keep their values", () => {
  const integer = fc.oneof(
    fc.maxSafeInteger(),
    fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    fc.constantFrom(0, -1, 1, 2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32), 2 ** 32 - 1),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(integer, integer), { minLength: 1, maxLength: 20 }), (rows) => {
      const columns = [rows.map(([first]) => first), rows.map(([, second]) => second)];
      const buffer = integerMatrix(columns);
      assert.ok(buffer !== null);
      assert.deepEqual(
        matrixOf(buffer),
        columns.map((column) => column.map(BigInt)),
      );
      assert.equal(buffer.readInt32BE(4), 0);
    }),
  );
});

test("nulls are marked, columns without rows give no buffer, and bad columns fail an assertion", () => {
  const buffer = integerMatrix([
    [1, 2],
    [null, 4],
  ]);
  assert.ok(buffer !== null);
  assert.equal(buffer.readInt32BE(4), 1);
  assert.deepEqual(matrixOf(buffer), [
    [1n, 2n],
    [null, 4n],
  ]);
  assert.equal(integerMatrix([[], []]), null);
  assert.throws(() => integerMatrix([[1], [1, 2]]), /equal length/);
  assert.throws(() => integerMatrix([[0.5]]), /safe integers/);
  assert.throws(() => integerMatrix([[2 ** 53]]), /safe integers/);
});

test("event bodies are cut at their own lengths", () => {
  const buffer = byteaArray(Uint8Array.of(1, 2, 3, 4, 5), [2, 0, 3]);
  assert.deepEqual(
    [...buffer],
    [
      ...[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 17, 0, 0, 0, 3, 0, 0, 0, 1],
      ...[0, 0, 0, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0, 3, 3, 4, 5],
    ],
  );
  assert.throws(() => byteaArray(Uint8Array.of(1, 2), [1]), /add up to/);
});
