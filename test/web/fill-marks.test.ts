// Proves at which candles the user's own trades are marked, and with which numbers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FillHistory, type OwnFill } from "../../web/src/views/trade/chart/fill-history.ts";
import { fillMarks } from "../../web/src/views/trade/chart/fill-marks.ts";

test("WEB-148 the trades of a side in a candle share a mark, and those before the first candle have none", () => {
  const fill = (side: "BUY" | "SELL", time: string) => ({ side, time: `2026-01-05T${time}Z` });
  const fills = [
    fill("SELL", "10:07:00"),
    fill("BUY", "10:05:00"),
    fill("BUY", "10:09:59.999"),
    fill("BUY", "10:00:00"),
    fill("BUY", "09:59:59"),
  ];
  const at = (time: string) => Date.parse(`2026-01-05T${time}Z`);
  const marks = fillMarks(fills, "5m", {
    fromMs: at("10:00:00"),
    knownMs: Number.NEGATIVE_INFINITY,
  });
  assert.deepEqual(
    marks.map(({ openMs, text }) => [openMs, text]),
    [
      [at("10:00:00"), "B"],
      [at("10:05:00"), "S"],
      [at("10:05:00"), "B 2"],
    ],
  );
});

/** A venue's list of one trade a second, the newest last, of which each page has 500. */
function venueWith(count: number) {
  const rows = Array.from({ length: count }, (_, index) => fillAt(index));
  const reads: string[] = [];
  const read = async (cursor: string) => {
    reads.push(cursor);
    const end = cursor === "" ? rows.length : Number(cursor);
    const start = Math.max(0, end - 500);
    const items = rows.slice(start, end).reverse();
    return { items, next_cursor: start === 0 ? null : String(start) };
  };
  /** The newest of the account. */
  const newest = () => rows.slice(-50).reverse();
  return { rows, reads, read, newest };
}

function fillAt(second: number): OwnFill {
  const time = new Date(second * 1000).toISOString();
  return { id: String(second), order_id: "1", symbol: "CC-USDC", side: "BUY", time };
}

test("WEB-181 own trades are read back to the first candle in sight, once, and no further", async () => {
  const venue = venueWith(1800);
  const history = new FillHistory("CC-USDC", venue.read, () => undefined);
  history.take(venue.newest());
  assert.equal(history.rows.length, 50);
  assert.equal(history.knownMs, 1750_000);
  await history.reach(1000_000);
  assert.deepEqual(venue.reads, ["", "1300"]);
  assert.equal(history.rows.length, 1000);
  await history.reach(1000_000);
  assert.equal(venue.reads.length, 2);
  await history.reach(0);
  assert.equal(history.rows.length, 1800);
  assert.equal(history.knownMs, Number.NEGATIVE_INFINITY);
});

test("WEB-181 new trades join those that were read; after a gap all are read again", async () => {
  const venue = venueWith(700);
  const history = new FillHistory("CC-USDC", venue.read, () => undefined);
  history.take(venue.newest());
  await history.reach(0);
  for (let second = 700; second < 730; second++) venue.rows.push(fillAt(second));
  history.take(venue.newest());
  assert.equal(history.rows.length, 730);
  assert.equal(venue.reads.length, 2);
  for (let second = 730; second < 900; second++) venue.rows.push(fillAt(second));
  history.take(venue.newest());
  assert.equal(history.rows.length, 50);
  await history.reach(0);
  assert.equal(history.rows.length, 900);
  assert.equal(new Set(history.rows.map(({ id }) => id)).size, 900);
});

test("WEB-181 a candle whose trades are not all known has a mark without a number", () => {
  const fills = [1, 2, 3, 61, 62].map((second) => ({
    side: "BUY" as const,
    time: new Date(second * 1000).toISOString(),
  }));
  const marks = fillMarks(fills, "1m", { fromMs: 0, knownMs: 1000 });
  assert.deepEqual(
    marks.map(({ text }) => text),
    ["B…", "B 2"],
  );
});
