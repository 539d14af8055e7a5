// The due heap: ordered by key, then by id, in any insertion order; dead entries are never returned and do not
// accumulate.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DueHeap } from "./due-heap.ts";

const entries = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(1000)), {
  maxLength: 300,
});

test("entries are returned by key, then by id, up to the requested key", () => {
  fc.assert(
    fc.property(entries, fc.integer({ min: -60, max: 60 }), fc.nat(4), (pushed, upTo, dead) => {
      const isAlive = (_key: number, id: number) => id % 5 !== dead;
      const heap = new DueHeap(isAlive);
      for (const [key, id] of pushed) heap.push(key, id);
      const expected = pushed
        .filter(([key, id]) => key <= upTo && isAlive(key, id))
        .sort(([a, first], [b, second]) => a - b || first - second)
        .map(([, id]) => id);
      const popped: number[] = [];
      for (let id = heap.popUpTo(upTo); id >= 0; id = heap.popUpTo(upTo)) popped.push(id);
      assert.deepEqual(popped, expected);
      assert(heap.firstKey > upTo);
    }),
  );
});

test("a heap does not grow with removed entries", () => {
  let youngest = 0;
  const heap = new DueHeap((_key, id) => id > youngest - 10);
  for (let id = 1; id <= 20_000; id++) {
    youngest = id;
    heap.push(1_000_000 - id, id);
    assert(heap.size <= 1025);
  }
  assert.equal(heap.popUpTo(Number.POSITIVE_INFINITY), youngest);
});
