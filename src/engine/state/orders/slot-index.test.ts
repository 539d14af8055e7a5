// The index of open orders behaves like a map, through growth, removal and ids beyond 32 bits.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../../core/assert.ts";
import { SlotIndex } from "./slot-index.ts";

test("the index equals a map after any additions and removals", () => {
  const step = fc.tuple(fc.boolean(), fc.nat({ max: 5000 }));
  const base = fc.constantFrom(0, 2 ** 31 - 2000, 2 ** 32 - 2000, 2 ** 45);
  fc.assert(
    fc.property(
      base,
      fc.array(step, { minLength: 2000, maxLength: 6000, size: "max" }),
      (from, steps) => {
        const index = new SlotIndex();
        const plain = new Map<number, number>();
        for (const [slot, [isAdded, offset]] of steps.entries()) {
          // Odd offsets give ids that are multiples of 4096 apart, so that their low 12 bits are equal.
          const orderId = from + 1 + (offset % 2 === 0 ? offset : (offset % 40) * 4096);
          const isThere = plain.has(orderId);
          if (isAdded && !isThere) {
            index.add(orderId, slot);
            plain.set(orderId, slot);
          } else if (isThere) {
            index.remove(orderId);
            plain.delete(orderId);
          }
          assert.equal(index.slotOf(orderId), plain.get(orderId) ?? -1);
        }
        index.reserve(plain.size * 3);
        for (const [orderId, slot] of plain) assert.equal(index.slotOf(orderId), slot);
        assert.equal(index.count, plain.size);
      },
    ),
    { seed: 11, numRuns: 12 },
  );
});

test("removing a missing id, adding an existing one, or using an invalid one fails an assertion", () => {
  const index = new SlotIndex();
  for (const none of [0, -1, 7]) assert.equal(index.slotOf(none), -1);
  assert.throws(() => index.remove(7), AssertionFailure);
  assert.throws(() => index.remove(0), AssertionFailure);
  assert.throws(() => index.add(0, 1), AssertionFailure);
  index.add(7, 1);
  assert.throws(() => index.add(7, 2), AssertionFailure);
});
