// Proves at which candles the user's own trades are marked.

import assert from "node:assert/strict";
import { test } from "node:test";
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
  const marks = fillMarks(fills, "5m", at("10:00:00"));
  assert.deepEqual(
    marks.map(({ openMs, text }) => [openMs, text]),
    [
      [at("10:00:00"), "B"],
      [at("10:05:00"), "S"],
      [at("10:05:00"), "B 2"],
    ],
  );
});
