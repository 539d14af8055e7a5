// How the index price follows from several sources: freshness, the median, excluded outliers, and jumps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexComposition } from "./index-composition.ts";

const nowMs = 1_700_000_000_000;

/**
 * The index price in ticks, composed from one reading of each source; null if the readings give no price. A reading of
 * 0 is skipped. Readings count as fresh for ten seconds.
 */
function composed(readings: readonly number[], atMs = nowMs, made = new IndexComposition(10_000)) {
  for (const [source, ticks] of readings.entries()) if (ticks > 0) made.take(source, ticks, atMs);
  return made.compose(atMs)?.ticks ?? null;
}

test("RSK-19 RSK-50 the index is the price of one source, the mean of two, or the median of three", () => {
  assert.equal(composed([]), null);
  assert.equal(composed([100]), 100);
  assert.equal(composed([100, 103]), 101);
  assert.equal(composed([103, 100, 101]), 101);
});

test("RSK-19 RSK-50 an outlier does not count, and if two sources differ neither counts", () => {
  assert.equal(composed([100, 101, 200]), 100);
  assert.equal(composed([100, 102, 104, 1]), 102);
  assert.equal(composed([100, 120]), null);
});

test("RSK-19 neither stale readings nor readings from the future count", () => {
  const made = new IndexComposition(10_000);
  made.take(0, 100, nowMs);
  assert.deepEqual(made.compose(nowMs + 9_999), { ticks: 100, atMs: nowMs });
  assert.equal(made.compose(nowMs + 10_000), null);
  made.take(0, 90, nowMs - 5_000);
  assert.equal(made.compose(nowMs)?.ticks, 100, "an older reading changes nothing");
  const ahead = new IndexComposition(10_000);
  ahead.take(0, 100, nowMs + 60_000);
  assert.equal(ahead.compose(nowMs), null);
  const alittle = new IndexComposition(10_000);
  alittle.take(0, 100, nowMs + 1_000);
  assert.deepEqual(alittle.compose(nowMs), { ticks: 100, atMs: nowMs });
});

test("RSK-19 RSK-51 a jump is accepted the third time in a row, or at once after a pause", () => {
  const made = new IndexComposition(10_000);
  const at = (second: number, ticks: number) => composed([ticks], nowMs + second * 1000, made);
  assert.equal(at(0, 1000), 1000);
  assert.equal(at(1, 1100), 1100, "10 % is not a jump");
  assert.equal(at(2, 2000), null);
  assert.equal(at(3, 1100), 1100, "one wrong answer changes nothing");
  assert.equal(at(4, 2000), null);
  assert.equal(at(5, 2100), null);
  assert.equal(made.compose(nowMs + 5_500), null, "the same reading does not count again");
  assert.equal(at(6, 2050), 2050);
  assert.equal(at(7, 500), null);
  assert.equal(at(8, 900), null, "a different jump is counted anew");
  assert.equal(at(30, 500), 500);
});

test("RSK-19 a price that falls by 40 % in a minute is followed step by step", () => {
  const made = new IndexComposition(10_000);
  for (let second = 0; second <= 60; second++) {
    const ticks = Math.round(6_000_000 * (1 - (0.4 * second) / 60));
    assert.equal(composed([ticks], nowMs + second * 1000, made), ticks);
  }
});
