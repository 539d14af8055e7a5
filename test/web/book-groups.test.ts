// Proves grouping and summing of the book's levels, and the curves of its depth.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  depthCurve,
  type Entry,
  groupedLevels,
  groupPrice,
  groupSteps,
  keptStep,
  placesThatFit,
} from "../../web/src/markets/book-groups.ts";

function entries(...levels: readonly (readonly [price: string, quantity: string])[]): Entry[] {
  return levels.map(([price, quantity]) => ({ price, quantity, value: Number(price) }));
}

const bids = entries(["100.04", "1"], ["100.01", "2"], ["99.98", "0.5"], ["99.90", "4"]);
const asks = entries(["100.06", "1"], ["100.10", "2"], ["100.11", "3"]);

test("WEB-43 groups hold the sum of their levels; bids are rounded down, asks up", () => {
  const group = { step: "0.1", tick: "0.01" };
  const shown = (levels: readonly Entry[], rounding: "down" | "up") =>
    groupedLevels(levels, { group, rounding, count: 20 }).map(
      ({ price, quantity, total, totalValue }) =>
        [price, Number(quantity), Number(total), Number(totalValue)] as const,
    );
  assert.deepEqual(shown(bids, "down"), [
    ["100.00", 3, 3, 300.06],
    ["99.90", 4.5, 7.5, 749.65],
  ]);
  assert.deepEqual(shown(asks, "up"), [
    ["100.10", 3, 3, 300.26],
    ["100.20", 3, 6, 600.59],
  ]);
});

test("WEB-43 one step a price shows every level, and no more groups than fit", () => {
  const group = { step: "0.01", tick: "0.01" };
  const all = groupedLevels(bids, { group, rounding: "down", count: 20 });
  assert.deepEqual(
    all.map(({ price }) => price),
    ["100.04", "100.01", "99.98", "99.90"],
  );
  const some = groupedLevels(bids, { group, rounding: "down", count: 2 });
  assert.deepEqual(some, all.slice(0, 2));
});

test("WEB-43 sums are exact where numbers are not", () => {
  const levels = entries(["0.3", "0.1"], ["0.2", "0.2"]);
  const group = { step: "0.1", tick: "0.1" };
  const [, last] = groupedLevels(levels, { group, rounding: "down", count: 5 });
  assert.equal(last?.total, "0.30000000");
  assert.equal(last?.totalValue, "0.070000000");
});

test("WEB-43 an order's price falls into the group that shows its level", () => {
  const group = { step: "10", tick: "0.01" };
  assert.equal(groupPrice("61234.56", group, "down"), "61230.00");
  assert.equal(groupPrice("61234.56", group, "up"), "61240.00");
  assert.equal(groupPrice("61230", group, "up"), "61230.00");
});

test("WEB-43 the steps begin with the tick and end at a hundredth of the price", () => {
  assert.deepEqual(groupSteps("0.01", 60_000), ["0.01", "0.1", "0.5", "1", "10", "100"]);
  assert.deepEqual(groupSteps("0.00010", 0.05), ["0.0001"]);
  assert.deepEqual(groupSteps("1", 0), ["1"]);
});

test("WEB-43 a kept step counts only while it is a multiple of the tick", () => {
  assert.equal(keptStep("0.5", "0.01"), "0.5");
  for (const kept of [undefined, "0.01", "0.25", "1e5", "-1", "0"])
    assert.equal(keptStep(kept, "0.10"), "0.10");
});

test("WEB-43 a depth curve sums the levels within its range", () => {
  assert.deepEqual(depthCurve(bids, 100, 0.0005), [
    { price: 100.04, total: 1 },
    { price: 100.01, total: 3 },
    { price: 99.98, total: 3.5 },
  ]);
  assert.deepEqual(depthCurve([], 100, 1), []);
});

test("WEB-72 a column of large figures has fewer decimal places, so that all its figures fit and align", () => {
  assert.equal(placesThatFit(["1.5", "123.456"], 3), 3);
  assert.equal(placesThatFit(["1.5", "12345.678"], 3), 2);
  assert.equal(placesThatFit(["123456.5"], 1), 1);
  assert.equal(placesThatFit(["0.1", "1234567.0"], 1), 0);
  assert.equal(placesThatFit(["123456789.0"], 1), 0);
  assert.equal(placesThatFit([], 3), 3);
});
