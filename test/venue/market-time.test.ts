// Proves what a client and an operator see of the market's time on a running venue that can be rewound: real threads,
// real sockets, a real database.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Two minutes before a funding settlement. */
const began = "2026-01-31T07:58:00Z";
const beganMs = Date.parse(began);
const fundingMs = Date.parse("2026-01-31T08:00:00Z");
const limit = { type: "LIMIT", quantity: "0.010", price: "60000" };
const waitMsMax = 60_000;

let fixture: VenueFixture;
let long: Trader;
let short: Trader;

before(async () => {
  const settings = { DEV_TOOLS: "1" };
  fixture = await VenueFixture.open(settings, { isRewind: true, marketTime: began });
  await fixture.venue.marketControl.pause();
  long = await fixture.trader();
  short = await fixture.trader();
});

after(() => fixture.close());

const control = () => fixture.venue.marketControl;
const marketMs = () => fixture.venue.marketClock.nowMs();

async function place(trader: Trader, order: Record<string, string>) {
  const path = "/fapi/v1/order";
  const { status, json } = await fixture.signed(trader, "POST", path, {
    symbol: "BTCUSDT",
    ...limit,
    ...order,
  });
  assert.equal(status, 200, JSON.stringify(json));
  return json;
}

async function trade(): Promise<void> {
  await place(short, { side: "SELL", timeInForce: "GTC" });
  const { status } = await place(long, { side: "BUY", timeInForce: "IOC" });
  assert.equal(status, "FILLED");
}

test("REW-10 REW-11 a paused market takes and matches orders at its time, while the edge's time runs", async () => {
  const pausedMs = marketMs();
  assert.ok(pausedMs >= beganMs && pausedMs < beganMs + waitMsMax, "it began at --market-time");
  await trade();
  const { json: fills } = await fixture.signed(long, "GET", "/fapi/v1/userTrades", {
    symbol: "BTCUSDT",
  });
  assert.equal(fills.length, 1);
  assert.ok(fills[0].time >= pausedMs && fills[0].time < pausedMs + 1000, `${fills[0].time}`);
  const { json: time } = await fixture.get("/fapi/v1/time");
  assert.ok(Math.abs(time.serverTime - Date.now()) < waitMsMax, "serverTime is the edge's");
  assert.equal(marketMs(), pausedMs);
  const { json: health } = await fixture.get("/health");
  assert.equal(health.market_time, new Date(pausedMs).toISOString());
  assert.equal(fixture.venue.clockControl.show().market?.state, "paused");
});

test("REW-12 an order keeps its deadline on the edge's time when the market's time leaps", async () => {
  const order = { side: "BUY", timeInForce: "GTC", price: "59000", recvWindow: "30000" };
  const placed: Promise<{ orderId: number }>[] = [];
  const stepped = control().step({ byMs: 45_000 });
  for (let count = 0; count < 20; count++) placed.push(place(long, order));
  await stepped;
  assert.equal(new Set((await Promise.all(placed)).map(({ orderId }) => orderId)).size, 20);
  const path = "/fapi/v1/allOpenOrders";
  const { status } = await fixture.signed(long, "DELETE", path, { symbol: "BTCUSDT" });
  assert.equal(status, 200);
});

test("REW-15 a step does what is due on the way at its own time and in order: candles, funding, expiry", async () => {
  const { operator } = fixture;
  await operator.risk.setReference("BTC-PERP", "60000", 12 * 3600);
  const expiryMs = fundingMs + 2 * minuteMs;
  const gtd = { side: "BUY", timeInForce: "GTD", price: "50000", goodTillDate: String(expiryMs) };
  const { orderId } = await place(long, gtd);
  const fromMs = marketMs();
  const stepped = await control().step({ byMs: 10 * minuteMs });
  assert.equal(marketMs(), fromMs + 10 * minuteMs);
  assert.ok(stepped.is_complete && stepped.events > 0 && stepped.state === "paused");
  const rows = await fixture.signed(long, "GET", "/fapi/v1/income", {
    incomeType: "FUNDING_FEE",
    startTime: beganMs,
  });
  const times = rows.json.map(({ time }: { time: number }) => time);
  assert.ok(times.length === 1 && times[0] >= fundingMs && times[0] < fundingMs + 1000, `${times}`);
  const order = await fixture.signed(long, "GET", "/fapi/v1/order", { symbol: "BTCUSDT", orderId });
  assert.equal(order.json.status, "EXPIRED");
  assert.ok(order.json.updateTime >= expiryMs && order.json.updateTime < expiryMs + 1000);
  const { json: candles } = await fixture.get("/fapi/v1/klines?symbol=BTCUSDT&interval=1m");
  const [open, , , , volume] = candles[0] ?? [];
  assert.ok(
    open >= beganMs && open < fundingMs && open % minuteMs === 0,
    `${JSON.stringify(candles)}`,
  );
  assert.ok(Number(volume) > 0);
});

test("REW-16 a jump goes to the next thing that is due and names it", async () => {
  const candle = await control().jump(null);
  assert.equal(candle.reached, "candle");
  assert.equal(marketMs() % minuteMs, 0);
  const expiryMs = marketMs() + 30_500;
  const gtd = { side: "BUY", timeInForce: "GTD", price: "50000", goodTillDate: String(expiryMs) };
  const { orderId } = await place(long, gtd);
  const expiry = await control().jump(null);
  assert.deepEqual([expiry.reached, marketMs()], ["expiry", expiryMs]);
  const order = await fixture.signed(long, "GET", "/fapi/v1/order", { symbol: "BTCUSDT", orderId });
  assert.equal(order.json.status, "EXPIRED");
  await assert.rejects(control().jump("expiry"), /no expiry is due/);
  const mark = await control().jump("mark");
  assert.deepEqual([mark.reached, marketMs() % 1000], ["mark", 0]);
});

test("REW-15 a step by events ends as soon as they have happened", async () => {
  const before = fixture.venue.committedSeq;
  const stepped = await control().step({ events: 1 });
  assert.ok(stepped.is_complete && stepped.events >= 1);
  assert.equal(fixture.venue.committedSeq, before + stepped.events);
});

test("REW-13 the market's time runs at the speed that was set, and stands still when it is paused", async () => {
  const from = { marketMs: marketMs(), realMs: performance.now() };
  control().setSpeed(1000);
  control().resume();
  for (let looks = 0; marketMs() < from.marketMs + hourMs; looks++) {
    assert.ok(looks * 50 < waitMsMax, "an hour of market time takes 3.6 s");
    await sleep(50);
  }
  const stopped = await control().pause();
  const realMs = performance.now() - from.realMs;
  const movedMs = Date.parse(stopped.time) - from.marketMs;
  assert.ok(movedMs <= realMs * 1000 + 1000, `${movedMs} ms of market time in ${realMs} ms`);
  await sleep(20);
  assert.equal(control().show().time, stopped.time);
  control().setSpeed(1);
});

test("REW-17 REW-114 the refusals of the market's verbs name the field", async () => {
  assert.throws(() => control().setSpeed(0), /speed: expected 0.1 to 1000/);
  assert.throws(() => control().setSpeed(1001), /speed: expected 0.1 to 1000/);
  assert.throws(() => control().set(marketMs() - 1), /time: expected .* or later/);
  await assert.rejects(
    control().set(marketMs() + 32 * 24 * hourMs),
    /time: expected at most 31 days/,
  );
  assert.throws(() => control().step({}), /step: expected either by or events/);
  const stepped = control().step({ byMs: 24 * hourMs });
  assert.throws(() => control().resume(), /a step is running/);
  const { state } = await control().pause();
  assert.equal(state, "paused", "it answers when the step has ended");
  const ended = await stepped;
  assert.equal(ended.is_complete, false);
  assert.ok(ended.moved_ms < 24 * hourMs);
});

test("REW-14 a restart continues the market's time from the newest event, and refuses an earlier one", async () => {
  await place(long, { side: "BUY", timeInForce: "GTC", price: "50000" });
  const beforeMs = marketMs();
  await fixture.restart({ isRewind: true, isStepped: true });
  assert.ok(
    marketMs() >= beforeMs && marketMs() <= beforeMs + minuteMs,
    `${marketMs() - beforeMs}`,
  );
  const early = { isRewind: true, marketTime: began };
  await assert.rejects(fixture.restart(early), /--market-time: expected .* or later/);
  const late = new Date(beforeMs + hourMs).toISOString();
  await fixture.restart({ isRewind: true, marketTime: late });
  assert.ok(marketMs() >= beforeMs + hourMs);
});

test("REW-19 a venue without --rewind has one time, and refuses to move it", async () => {
  await fixture.restart();
  assert.throws(() => control(), /expected a venue started with --rewind/);
  assert.equal(fixture.venue.clockControl.show().market, undefined);
  const { json: health } = await fixture.get("/health");
  assert.equal(health.market_time, undefined);
  assert.ok(Math.abs(marketMs() - Date.now()) < waitMsMax, "the market's time is the venue's");
});
