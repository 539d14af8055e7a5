// The radix sort gives the same order as a stable comparison sort, for keys close together and far apart.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ascendingOrder } from "./ascending-order.ts";
import { AssertionFailure } from "./assert.ts";

/** The expected order, by comparison. */
function compared(keys: readonly number[]): number[] {
  return [...keys.keys()].sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0));
}

test("indexes are sorted by ascending key, and equal keys keep their order", () => {
  const span = fc.constantFrom(1, 2, 2047, 2048, 2049, 2 ** 22, 2 ** 31, 2 ** 33, 2 ** 52);
  const keys = span.chain((max) => {
    const key = fc.integer({ min: 0, max });
    return fc.tuple(fc.integer({ min: -(2 ** 51), max: 2 ** 51 }), fc.array(key));
  });
  fc.assert(
    fc.property(keys, ([from, steps]) => {
      const all = steps.map((step) => from + step);
      assert.deepEqual(Array.from(ascendingOrder(Float64Array.from(all))), compared(all));
    }),
    { examples: [[[0, []]], [[2 ** 51, [0]]], [[-3, [3, 3, 2, 2, 4]]]] },
  );
});

test("sorted keys stay unchanged, and unsafe integers are refused", () => {
  assert.deepEqual(Array.from(ascendingOrder(Float64Array.of(1, 1, 5, 2 ** 53 - 1))), [0, 1, 2, 3]);
  for (const harm of [0.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
    assert.throws(() => ascendingOrder(Float64Array.of(2, 1, harm)), AssertionFailure);
  }
  const far = Float64Array.of(2 ** 53 - 1, -(2 ** 53 - 1));
  assert.throws(() => ascendingOrder(far), AssertionFailure);
});
