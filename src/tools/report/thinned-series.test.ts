// Proves that a series stays small and loses no extreme.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ThinnedSeries } from "./thinned-series.ts";

test("REW-137 a series keeps its lowest, highest and last values however often it is thinned", () => {
  const series = new ThinnedSeries<number>(8);
  for (let at = 1; at <= 1_000; at++) series.add(at, at === 371 ? -5 : at === 372 ? 9_999 : at % 7);
  const { points } = series;
  assert(points.length <= 8 && points.length >= 4, `${points.length} points`);
  assert.equal(Math.min(...points.map(({ low }) => low)), -5);
  assert.equal(Math.max(...points.map(({ high }) => high)), 9_999);
  assert.equal(points.at(-1)?.last, 1_000 % 7);
  const times = points.map(({ atUs }) => atUs);
  assert.deepEqual(
    times,
    [...times].sort((one, other) => one - other),
  );
  assert.equal(times[0], 1);
});

test("REW-137 a value that stays takes no point", () => {
  const series = new ThinnedSeries<bigint>(4);
  for (let at = 1; at <= 100; at++) series.add(at, 5n);
  assert.deepEqual(series.points, [{ atUs: 1, low: 5n, high: 5n, last: 5n }]);
});
