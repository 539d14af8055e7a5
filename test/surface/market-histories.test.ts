// Proves the routes under /futures/data and the candles of the premium for clients that read the history of perpetual
// markets, directly and through ccxt.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import ccxt from "ccxt";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import type { Division, MarketSample } from "../../src/core/market-samples.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture } from "./front-fixture.ts";

const minuteMs = 60_000;
const periodMs = 5 * minuteMs;
const symbol = "BTCUSDT";

let front: FrontFixture;
/** Time of the latest market sample, at the end of a period of five minutes. */
let turnMs: number;

function division(
  longAccounts: number,
  shortAccounts: number,
  long: bigint,
  short: bigint,
): Division {
  return { longAccounts, shortAccounts, longLots: long, shortLots: short };
}

const divided = division(3, 1, 1_500n, 500n);

function sampleAt(atMs: number, more: Partial<MarketSample> = {}): MarketSample {
  const all = division(6, 4, 1_500n, 2_500n);
  return { atMs, openLots: 2_500n, mark: 6_000_300, index: 6_000_000, all, top: divided, ...more };
}

before(async () => {
  front = await FrontFixture.open();
  turnMs = Math.floor(front.nowUs() / 1000 / periodMs) * periodMs;
  const rows = Array.from({ length: 40 }, (_, at) => sampleAt(turnMs - (39 - at) * periodMs));
  front.samples.rows.set(marketId.btcPerp, rows);
});
after(() => front.close());

async function read(name: string, more: Record<string, string | number> = {}) {
  const requested = { symbol, period: "5m", limit: 1, ...more };
  const { status, json, text } = await front.send("GET", `/compat/futures/data/${name}`, requested);
  assert.equal(status, 200, text);
  return json;
}

test("FAP-44 FAP-56 open interest, ratios and basis come from the samples", async () => {
  const timestamp = turnMs;
  assert.deepEqual(await read("openInterestHist"), [
    { symbol, sumOpenInterest: "2.500", sumOpenInterestValue: "150007.500000", timestamp },
  ]);
  const ratio = (longAccount: string, longShortRatio: string, shortAccount: string) => [
    { symbol, longAccount, longShortRatio, shortAccount, timestamp },
  ];
  assert.deepEqual(await read("globalLongShortAccountRatio"), ratio("0.6000", "1.5000", "0.4000"));
  assert.deepEqual(await read("topLongShortAccountRatio"), ratio("0.7500", "3.0000", "0.2500"));
  assert.deepEqual(await read("topLongShortPositionRatio"), ratio("0.7500", "3.0000", "0.2500"));
  const pair = { symbol: "", pair: symbol, contractType: "PERPETUAL" };
  assert.deepEqual(await read("basis", pair), [
    {
      indexPrice: "60000.00",
      contractType: "PERPETUAL",
      basisRate: "0.0001",
      futuresPrice: "60003.00",
      annualizedBasisRate: "",
      basis: "3.00",
      pair: symbol,
      timestamp,
    },
  ]);
  assert.deepEqual(await read("basis", { ...pair, contractType: "NEXT_QUARTER" }), []);
});

test("FAP-44 rows are selected by period, time and limit", async () => {
  const timesOf = async (more: Record<string, string | number>) =>
    (await read("openInterestHist", more)).map((row: { timestamp: number }) => row.timestamp);
  const all = await timesOf({ limit: 500 });
  assert.equal(all.length, 40);
  assert.equal((await timesOf({ limit: "" })).length, 30, "The default limit must be 30");
  assert.deepEqual(await timesOf({ limit: 2 }), all.slice(-2));
  const hours = all.filter((ms: number) => ms % (60 * minuteMs) === 0);
  assert.deepEqual(await timesOf({ period: "1h", limit: 500 }), hours);
  const startTime = all[10];
  assert.deepEqual(await timesOf({ startTime, limit: 3 }), all.slice(10, 13));
  assert.deepEqual(await timesOf({ startTime, endTime: all[11], limit: 3 }), all.slice(10, 12));
  assert.deepEqual(await timesOf({ endTime: all[11], limit: 3 }), all.slice(9, 12));
});

test("FAP-45 FAP-60 a ratio of fewer than three accounts, or all on one side, is left out", async () => {
  const rows = front.samples.rows.get(marketId.btcPerp) ?? [];
  const newest = rows.at(-1) as MarketSample;
  for (const few of [
    division(1, 1, 700n, 700n),
    division(0, 0, 0n, 0n),
    division(5, 0, 700n, 0n),
    division(0, 3, 0n, 700n),
  ]) {
    rows.splice(-1, 1, { ...newest, all: few, top: few });
    for (const name of [
      "globalLongShortAccountRatio",
      "topLongShortAccountRatio",
      "topLongShortPositionRatio",
    ]) {
      assert.deepEqual(await read(name), [], name);
    }
    assert.equal(
      (await read("openInterestHist")).length,
      1,
      "The row must reveal no single account",
    );
  }
  rows.splice(-1, 1, { ...newest, mark: 0 });
  assert.deepEqual(
    await read("basis", { symbol: "", pair: symbol, contractType: "PERPETUAL" }),
    [],
  );
  rows.splice(-1, 1, newest);
});

test("FAP-44 invalid requests are refused, and the root lacks these routes", async () => {
  for (const [more, code] of [
    [{ period: "1m" }, -1130],
    [{ period: "3d" }, -1130],
    [{ period: "" }, -1102],
    [{ symbol: "CC-USDC" }, -1100],
    [{ symbol: "" }, -1102],
    [{ limit: "x" }, -1100],
    [{ startTime: 2, endTime: 1 }, -1128],
  ] as const) {
    for (const name of ["openInterestHist", "takerlongshortRatio"]) {
      const requested = { symbol, period: "5m", ...more };
      const { status, json, text } = await front.send(
        "GET",
        `/compat/futures/data/${name}`,
        requested,
      );
      assert.deepEqual([status, json.code], [400, code], text);
    }
  }
  const root = await front.send("GET", "/futures/data/openInterestHist", { symbol, period: "5m" });
  assert.equal(root.status, 404);
});

test("FAP-44 FAP-61 FAP-57 taker volumes are the volumes between the ends of two periods", async () => {
  const live = await FrontFixture.open();
  const [maker, taker] = [await live.newTrader(), await live.newTrader()];
  const send = (key: typeof maker, side: string, quantity: string, price: string) => {
    const terms = { symbol, type: "LIMIT", timeInForce: "GTC", side, quantity, price };
    return live.send("POST", "/fapi/v1/order", terms, { key });
  };
  const toTurn = (count: number) => {
    const nowMs = Math.floor(live.nowUs() / 1000);
    live.advance(Math.floor(nowMs / periodMs + count) * periodMs - nowMs + 1_000);
  };
  toTurn(1);
  const startMs = Math.floor(live.nowUs() / 1000 / periodMs) * periodMs;
  await send(maker, "SELL", "0.3", "60000");
  await send(taker, "BUY", "0.3", "60000");
  await send(maker, "BUY", "0.2", "59000");
  await send(taker, "SELL", "0.2", "59000");
  toTurn(1);
  await send(maker, "SELL", "0.1", "60000");
  await send(taker, "BUY", "0.1", "60000");
  toTurn(1);
  const requested = { symbol, period: "5m" };
  const path = "/compat/futures/data/takerlongshortRatio";
  const expected = [
    { buySellRatio: "1.5000", buyVol: "0.300", sellVol: "0.200", timestamp: startMs + periodMs },
  ];
  assert.deepEqual(
    (await live.send("GET", path, requested)).json,
    expected,
    "Without sells there must be no ratio",
  );
  const from = { ...requested, startTime: startMs + 1, endTime: startMs + periodMs };
  assert.deepEqual((await live.send("GET", path, from)).json, expected);
  const before = { ...requested, endTime: startMs + periodMs - 1 };
  assert.deepEqual((await live.send("GET", path, before)).json, []);
  live.close();
});

test("FAP-46 premiumIndexKlines are candles of the premiums sampled for funding", async () => {
  const { venue } = front;
  for (const [mark, index] of [
    [6_000_600, 6_000_000],
    [5_999_700, 6_000_000],
    [6_000_000, 6_000_000],
  ] as const) {
    sayIndex(venue, marketId.btcPerp, index);
    venue.state.mark[marketId.btcPerp] = mark;
    front.advance(minuteMs);
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  }
  const sampled = venue.events.filter(
    (event) => event.kind === EventKind.premiumSampled && event.market === marketId.btcPerp,
  );
  assert(sampled.length >= 3, `only ${sampled.length} samples`);
  const premiums = sampled.map((event) => ("premium" in event ? Number(event.premium) / 1e8 : 0));
  front.advance(minuteMs);
  const path = `/compat/fapi/v1/premiumIndexKlines?symbol=${symbol}`;
  const { json: days, text } = await front.fetch(`${path}&interval=1w`);
  const text8 = (value: number) => value.toFixed(8);
  const bounds = [
    premiums[0] ?? 0,
    Math.max(...premiums),
    Math.min(...premiums),
    premiums.at(-1) ?? 0,
  ];
  assert.deepEqual(days.at(-1).slice(1, 5), bounds.map(text8), text);
  const minutes = await front.fetch(`${path}&interval=1m&limit=1000`);
  assert.equal(minutes.json.length, new Set(minutes.json.map((row: number[]) => row[0])).size);
  assert.deepEqual(
    minutes.json.at(-1)?.[4],
    text8(premiums.at(-1) ?? 0),
    "The candle must be flat at the last premium, even at zero",
  );
  const bad = await front.fetch(`${path}&interval=1s`);
  assert.equal(bad.status, 400);
  assert.equal((await front.fetch(`${path.replace("/compat", "")}&interval=1m`)).status, 404);
});

test("CMP-22 ccxt reads open interest, ratios and premiums over time", async () => {
  // A busy machine may need longer for an answer than ccxt's own ten seconds.
  const client = new ccxt.binanceusdm({ enableRateLimit: false, timeout: 60_000 });
  const urls = client.urls as unknown as { api: Record<string, unknown> };
  for (const [name, url] of Object.entries(urls.api)) {
    if (typeof url !== "string") continue;
    urls.api[name] = url.replace(/^https:\/\/[^/]+/, `${front.base}/compat`);
  }
  await client.loadMarkets();
  const market = "BTC/USDT:USDT";
  const [interest] = await client.fetchOpenInterestHistory(market, "5m", undefined, 1);
  assert.deepEqual(
    [interest?.timestamp, interest?.openInterestAmount, interest?.openInterestValue],
    [turnMs, 2.5, 150_007.5],
  );
  const since = await client.fetchOpenInterestHistory(market, "5m", turnMs - 2 * periodMs, 3);
  assert.deepEqual(
    since.map(({ timestamp }) => timestamp),
    [turnMs - 2 * periodMs, turnMs - periodMs, turnMs],
  );
  const [ratio] = await client.fetchLongShortRatioHistory(market, "5m", undefined, 1);
  assert.deepEqual([ratio?.timestamp, ratio?.longShortRatio], [turnMs, 1.5]);
  const premiums = await client.fetchPremiumIndexOHLCV(market, "1m", undefined, 3);
  assert.equal(premiums.length, 3);
  for (const name of ["Basis", "TakerlongshortRatio", "TopLongShortAccountRatio"] as const) {
    const call = client[`fapiDataGet${name}`] as (requested: object) => Promise<unknown>;
    const requested = { symbol, pair: symbol, contractType: "PERPETUAL", period: "5m", limit: 1 };
    assert.ok(Array.isArray(await call.call(client, requested)), name);
  }
});
