// Proves the properties that limit attacks on an index, for any depth and any measurements. Orders beyond the value
// that the index measures have no effect, the index moves no faster than its limit, and it keeps its value while no
// depth backs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Side } from "../../src/core/orders.ts";
import { basisParts, type IndexState } from "../../src/core/perpetuals/index-price.ts";
import { Ladder } from "../../src/engine/clearing/matchers/ladder.ts";
import {
  type IndexRules,
  measuredIndex,
  outsideIndex,
  unmeasuredIndex,
} from "../../src/engine/state/tables/index-levels.ts";

interface Rung {
  readonly price: number;
  readonly lots: number;
}

const unit = 10;
const sides = fc.constantFrom(Side.buy, Side.sell);
const rungs = fc.array(
  fc.record({
    price: fc.integer({ min: 1, max: 10_000_000 }),
    lots: fc.integer({ min: 1, max: 1_000_000 }),
  }),
  { minLength: 1, maxLength: 20 },
);

function ladderOf(side: Side, orders: readonly Rung[]): Ladder {
  const ladder = new Ladder(side, { units: unit, parts: 1 });
  for (const { price, lots } of orders) ladder.add(price, lots);
  return ladder;
}

function worthOf(orders: readonly Rung[]): bigint {
  return orders.reduce((sum, { price, lots }) => sum + BigInt(price * lots) * BigInt(unit), 0n);
}

function bestFirst(side: Side, orders: readonly Rung[]): Rung[] {
  const way = side === Side.buy ? -1 : 1;
  return orders.toSorted((one, other) => way * (one.price - other.price));
}

test("RSK-23 an average price exists only if the value rests in the book, and lies between the best and the worst price", () => {
  fc.assert(
    fc.property(sides, rungs, fc.bigInt({ min: 1n, max: 10n ** 15n }), (side, orders, value) => {
      const price = ladderOf(side, orders).impactPrice(value);
      if (worthOf(orders) < value) return assert.equal(price, 0);
      const sorted = bestFirst(side, orders).map((order) => order.price * basisParts);
      const [best = 0, last = 0] = [sorted[0], sorted.at(-1)];
      assert(price >= Math.min(best, last) && price <= Math.max(best, last));
    }),
  );
});

test("RSK-23 a larger value never gets a better price, and orders beyond the value change nothing", () => {
  fc.assert(
    fc.property(sides, rungs, fc.nat({ max: 99 }), (side, orders, share) => {
      const most = worthOf(orders);
      const value = (most * BigInt(share)) / 100n + 1n;
      const ladder = ladderOf(side, orders);
      const [price, whole] = [ladder.impactPrice(value), ladder.impactPrice(most)];
      assert(side === Side.buy ? price >= whole : price <= whole);
      const last = bestFirst(side, orders).at(-1)?.price ?? 1;
      const behind = { price: side === Side.buy ? Math.max(last - 1, 1) : last + 1, lots: 5 };
      if (behind.price === last) return;
      assert.equal(ladderOf(side, [...orders, behind]).impactPrice(value), price);
    }),
  );
});

const rules: IndexRules = {
  windowMs: 30_000,
  movePpm: 5000,
  jumpBps: 1000,
  intervalUs: 1_000_000,
};
const start = 60_000_000;
const prices = fc.array(fc.integer({ min: 1, max: 10 ** 10 }), { minLength: 1, maxLength: 200 });

function after(measured: readonly number[], own: IndexRules): IndexState {
  return measured.reduce(
    (state, price) => (price === 0 ? unmeasuredIndex(state) : measuredIndex(state, price, own)),
    outsideIndex(start),
  );
}

test("RSK-24 no measurement moves the index faster than its limit", () => {
  fc.assert(
    fc.property(prices, (measured) => {
      const { level } = after(measured, rules);
      const most = start * 1.005 ** measured.length;
      const least = start * 0.995 ** measured.length;
      assert(level <= most + measured.length && level >= least - measured.length);
    }),
  );
});

test("RSK-24 a measurement during part of the window moves the index by at most that part", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 54_600_000, max: 65_400_000 }),
      fc.nat({ max: 60 }),
      (price, seconds) => {
        const { level } = after(
          Array.from({ length: seconds }, () => price),
          rules,
        );
        const share = 1 - (29 / 30) ** seconds;
        const way = Math.abs(level - start);
        assert(way <= Math.abs(price - start) * share + seconds + 1);
        if (price !== start && seconds > 0) assert.equal(level > start, price > start);
      },
    ),
  );
});

test("RSK-24 the index reaches a lasting measurement and stays there", () => {
  for (const price of [64_800_000, 55_800_000, start + 1]) {
    const { level } = after(
      Array.from({ length: 900 }, () => price),
      rules,
    );
    assert.equal(level, price);
  }
});

test("RSK-25 a jump that is not measured three times in a row does not move the index", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 40 }), (far) => {
      // Each jump is measured twice in a row and never a third time: the next measurement is the start price again.
      const measured = far.flatMap((factor) => [start * (2 + factor), start * (2 + factor), start]);
      assert.equal(after(measured, rules).level, start);
    }),
  );
});

test("RSK-26 missing measurements never move the index", () => {
  fc.assert(
    fc.property(prices, fc.nat({ max: 100 }), (measured, missing) => {
      const before = after(measured, rules);
      const state = after([...measured, ...Array.from({ length: missing }, () => 0)], rules);
      assert.equal(state.level, before.level);
      assert.equal(state.isFresh, missing === 0);
    }),
  );
});
