// Proves the user's lines on the chart: which are kept, and where they are among candles with gaps.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptDrawings,
  distanceOf,
  drawingsMax,
  indexOfTime,
  movedDrawing,
  timeOfIndex,
  withDrawing,
  withoutDrawing,
  xOfIndex,
} from "../../web/src/markets/drawings.ts";

const minute = 60_000;
const anchor = { atMs: minute, price: 100 };

test("WEB-42 lines are kept by market, each with an id of its own, at most fifty", () => {
  let drawings = withDrawing({}, "BTC-PERP", { kind: "horizontal", anchors: [anchor] });
  drawings = withDrawing(drawings, "BTC-PERP", { kind: "trend", anchors: [anchor, anchor] });
  drawings = withDrawing(drawings, "CC-USDC", { kind: "horizontal", anchors: [anchor] });
  const ids = (symbol: string) => (drawings[symbol] ?? []).map(({ id }) => id);
  assert.deepEqual([ids("BTC-PERP"), ids("CC-USDC")], [[1, 2], [1]]);
  const elsewhere = { atMs: 2 * minute, price: 90 };
  drawings = movedDrawing(drawings, "BTC-PERP", { id: 1, anchors: [elsewhere] });
  assert.deepEqual(
    (drawings["BTC-PERP"] ?? []).map(({ anchors }) => anchors),
    [[elsewhere], [anchor, anchor]],
  );
  drawings = withoutDrawing(drawings, "BTC-PERP", 1);
  assert.deepEqual(ids("BTC-PERP"), [2]);
  for (let count = 0; count < drawingsMax; count++) {
    drawings = withDrawing(drawings, "BTC-PERP", { kind: "horizontal", anchors: [anchor] });
  }
  assert.equal(ids("BTC-PERP").length, drawingsMax);
  assert.equal(ids("BTC-PERP")[0], 3);
  assert.deepEqual(acceptDrawings(JSON.parse(JSON.stringify(drawings))), drawings);
});

test("WEB-42 what was stored and is no line is left out", () => {
  const kept = { id: 1, kind: "horizontal", anchors: [anchor] };
  const broken = [
    { ...kept, kind: "circle" },
    { ...kept, anchors: [] },
    { ...kept, id: "1" },
    { id: 2, kind: "trend", anchors: [anchor, { atMs: 1, price: "x" }] },
    null,
  ];
  assert.deepEqual(acceptDrawings({ A: [kept, ...broken], B: 7 }), { A: [kept], B: [] });
  assert.equal(acceptDrawings("x"), undefined);
});

test("WEB-42 a time has a place among candles, also before them, after them and in a gap", () => {
  // The candles of minutes 10, 11 and 15; no trades in between.
  const openTimes = [10, 11, 15].map((at) => at * minute);
  const place = (at: number) => indexOfTime(openTimes, minute, at * minute);
  assert.deepEqual([10, 10.5, 11, 15, 15.5, 17].map(place), [0, 0.5, 1, 2, 2.5, 4]);
  assert.deepEqual([13, 14.9].map(place), [2, 2]);
  assert.equal(place(8), -2);
  assert.equal(indexOfTime([], minute, minute), 0);
  for (const index of [-2, 0, 0.5, 1, 2, 2.5, 4]) {
    assert.equal(indexOfTime(openTimes, minute, timeOfIndex(openTimes, minute, index)), index);
  }
});

test("WEB-71 a place between two candles is between them on the chart, which places whole candles only", () => {
  const chart = (index: number) => (Number.isInteger(index) ? 100 + 6 * index : 0);
  assert.equal(xOfIndex(3, chart), 118);
  assert.equal(xOfIndex(2.5, chart), 115);
  assert.equal(xOfIndex(-14.5, chart), 13);
  assert.equal(
    xOfIndex(1, () => null),
    null,
  );
});

test("WEB-42 a click is near a line if it is near one of its points", () => {
  const [from, to] = [
    { x: 0, y: 0 },
    { x: 10, y: 0 },
  ];
  assert.equal(distanceOf({ x: 5, y: 3 }, from, to), 3);
  assert.equal(distanceOf({ x: 14, y: 3 }, from, to), 5);
  assert.equal(distanceOf({ x: 3, y: 4 }, from, from), 5);
});
