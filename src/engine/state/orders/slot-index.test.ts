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
        const orderIds = new Float64Array(steps.length);
        const index = new SlotIndex(orderIds);
        const plain = new Map<number, number>();
        for (const [slot, [isAdded, offset]] of steps.entries()) {
          // Odd offsets give ids that are multiples of 4096 apart, so that their low 12 bits are equal.
          const orderId = from + 1 + (offset % 2 === 0 ? offset : (offset % 40) * 4096);
          const isThere = plain.has(orderId);
          if (isAdded && !isThere) {
            orderIds[slot] = orderId;
            index.add(slot);
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
  const index = new SlotIndex(Float64Array.of(0, 7, 7));
  for (const none of [0, -1, 7, 0.5, Number.NaN]) assert.equal(index.slotOf(none), -1);
  assert.throws(() => index.remove(7), AssertionFailure);
  assert.throws(() => index.remove(0), AssertionFailure);
  assert.throws(() => index.add(0), AssertionFailure);
  index.add(1);
  assert.throws(() => index.add(2), AssertionFailure);
});

test("ids that differ only in their high halves have entries of their own", () => {
  const orderIds = Float64Array.of(5, 5 + 2 ** 32, 5 + 2 ** 45);
  const index = new SlotIndex(orderIds);
  for (const slot of orderIds.keys()) index.add(slot);
  index.reserve(5000);
  index.remove(5);
  assert.deepEqual(
    [...orderIds].map((orderId) => index.slotOf(orderId)),
    [-1, 1, 2],
  );
  assert.equal(index.slotOf(5 + 2 ** 33), -1);
});
