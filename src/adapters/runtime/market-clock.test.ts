// Tests how the market's time is read from shared memory.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockBuffer } from "../../wire/clock-buffer.ts";
import { monotonicMs } from "./system-clock.ts";
import { marketClock, venueClock } from "./venue-clock.ts";

function memoryAt(offsetMs: number): { memory: SharedArrayBuffer; buffer: ClockBuffer } {
  const memory = ClockBuffer.allocate();
  const buffer = new ClockBuffer(memory);
  buffer.store(offsetMs * 1000, 0, 0);
  return { memory, buffer };
}

test("a venue that cannot be rewound has one time", () => {
  const { memory } = memoryAt(5_000_000);
  const [market, venue] = [marketClock(memory), venueClock(memory)];
  const before = venue.nowUs();
  const read = market.nowUs();
  assert.ok(before <= read && read <= venue.nowUs());
  assert.equal(market.edgeUs(), null);
  assert.equal(market.isPaused(), false);
  assert.equal(market.untilMs(before - 1), 0);
});

test("REW-13 the market's time runs from its base at its speed, whatever the edge's time does", () => {
  const { memory, buffer } = memoryAt(0);
  const atMs = 50_000;
  buffer.storeMarket(1_000_000, atMs, 10);
  assert.equal(buffer.marketMs(atMs), 1_000_000);
  assert.equal(buffer.marketMs(atMs + 250), 1_002_500);
  assert.equal(buffer.marketMs(atMs - 250), 1_000_000, "it does not begin before its base");
  buffer.storeMarket(1_000_000, atMs, 0.1);
  assert.equal(buffer.marketMs(atMs + 1000), 1_000_100);
  buffer.store(9_000_000, 0, 0);
  assert.equal(buffer.marketMs(atMs + 1000), 1_000_100);
  buffer.storeMarket(2_000_000, monotonicMs(), 1000);
  const untilMs = marketClock(memory).untilMs(2_001_000_000 * 1000);
  assert.ok(untilMs > 0 && untilMs <= 1_999_000, `${untilMs}`);
});

test("REW-11 a paused time stands still, and no time after it is ever reached", () => {
  const { memory, buffer } = memoryAt(0);
  buffer.storeMarket(1_000_000, monotonicMs() - 5000, 0);
  const market = marketClock(memory);
  assert.equal(market.nowMs(), 1_000_000);
  assert.equal(market.isPaused(), true);
  assert.equal(market.untilMs(1_000_001_000), Number.POSITIVE_INFINITY);
  assert.notEqual(market.edgeUs(), null);
});
