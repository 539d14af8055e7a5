// Positions: opening, adding, reducing, flipping, and the conserved sum of cash and entry value.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../../core/assert.ts";
import { LEVERAGE_V1 } from "../../../core/limits.ts";
import { changePosition, type PositionChange, Positions } from "./positions.ts";

function changed(qty: number, entryValue: bigint, signedQty: number, value: bigint) {
  const result: PositionChange = { qty: 0, entryValue: 0n, pnl: 0n };
  changePosition({ qty, entryValue }, signedQty, value, result);
  return [result.qty, result.entryValue, result.pnl];
}

test("a fill opens a position with the fill's value, on either side", () => {
  assert.deepEqual(changed(0, 0n, 10, 1000n), [10, 1000n, 0n]);
  assert.deepEqual(changed(0, 0n, -10, 1000n), [-10, -1000n, 0n]);
});

test("a fill in the direction of the position adds its value", () => {
  assert.deepEqual(changed(10, 1000n, 5, 600n), [15, 1600n, 0n]);
  assert.deepEqual(changed(-10, -1000n, -5, 400n), [-15, -1400n, 0n]);
});

test("ACC-13 a fill against the position realises the profit of the closed part", () => {
  assert.deepEqual(changed(10, 1000n, -4, 480n), [6, 600n, 80n]);
  assert.deepEqual(changed(-10, -1000n, 4, 480n), [-6, -600n, -80n]);
  assert.deepEqual(changed(10, 1000n, -10, 900n), [0, 0n, -100n]);
});

test("a fill beyond the position closes it and opens the remainder at the fill's price", () => {
  assert.deepEqual(changed(10, 1000n, -15, 1800n), [-5, -600n, 200n]);
  assert.deepEqual(changed(-10, -1000n, 30, 2700n), [20, 1800n, 100n]);
});

test("the rounding remainder of a reduction stays with the position", () => {
  // A third of 100 is rounded to 33. The rest of the position keeps an entry value of 67, and the profit is an integer.
  assert.deepEqual(changed(3, 100n, -1, 40n), [2, 67n, 7n]);
  assert.deepEqual(changed(-3, -100n, 1, 40n), [-2, -67n, -7n]);
});

test("ACC-12 rounding never changes the sum of cash and entry value", () => {
  const fill = fc.record({
    qty: fc.integer({ min: 1, max: 1000 }),
    isBuy: fc.boolean(),
    price: fc.integer({ min: 1, max: 10_000 }),
  });
  fc.assert(
    fc.property(fc.array(fill, { minLength: 1, maxLength: 50 }), (fills) => {
      const position = { qty: 0, entryValue: 0n, pnl: 0n };
      let realised = 0n;
      let paid = 0n;
      for (const { qty, isBuy, price } of fills) {
        const value = BigInt(qty) * BigInt(price);
        changePosition({ ...position }, isBuy ? qty : -qty, value, position);
        realised += position.pnl;
        paid += isBuy ? value : -value;
        // Everything paid for the position is in its entry value or has been realised.
        assert.equal(position.entryValue - realised, paid);
        const sign = Math.sign(position.qty);
        assert(
          position.entryValue * BigInt(sign) >= 0n,
          "the entry value must have the sign of the position",
        );
        assert(
          sign !== 0 || position.entryValue === 0n,
          "a flat position must have no entry value",
        );
      }
    }),
  );
});

test("a fill without a quantity stops the thread", () => {
  assert.throws(() => changed(1, 1n, 0, 5n), AssertionFailure);
  assert.throws(() => changed(1, 1n, 1, -5n), AssertionFailure);
});

test("the table keeps open interest, profit and leverage", () => {
  const positions = new Positions();
  assert(!positions.isTouched(1001, 4));
  assert.equal(positions.leverage(1001, 4), LEVERAGE_V1);
  positions.set(1001, 4, { qty: 10, entryValue: 100n, pnl: 0n });
  positions.set(1002, 4, { qty: -10, entryValue: -100n, pnl: 0n });
  assert.equal(positions.openInterest(4), 10);
  positions.set(1001, 4, { qty: -5, entryValue: -60n, pnl: 7n });
  assert.equal(positions.openInterest(4), 0);
  positions.set(1001, 4, { qty: 0, entryValue: 0n, pnl: -9n });
  assert.equal(positions.realisedPnl(1001, 4), -2n);
  assert(positions.isTouched(1001, 4), "a realised profit must be part of the state");
  positions.setLeverage(1003, 4, 100);
  assert(positions.isTouched(1003, 4), "a leverage must be part of the state");
  assert.equal(positions.leverage(1003, 4), 100);
});

test("a change that does not fit the table stops the thread", () => {
  const positions = new Positions();
  const set = (qty: number, entryValue: bigint) =>
    positions.set(1001, 4, { qty, entryValue, pnl: 0n });
  assert.throws(() => set(2 ** 53, 0n), AssertionFailure);
  assert.throws(() => set(1, 2n ** 63n), AssertionFailure);
  assert.throws(() => positions.setLeverage(1001, 4, 0), AssertionFailure);
  assert.throws(() => positions.setLeverage(1001, 4, 101), AssertionFailure);
  assert.throws(() => positions.qty(0, 4), AssertionFailure);
  assert.throws(() => positions.qty(1001, 16), AssertionFailure);
});
