// Proves public market data of the spot surface: shapes and field types of docs/spec/spot.md, and windows and ranges
// over trades whose times the test chooses.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;

const symbol = "CC-USDC";
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

before(async () => {
  front = await FrontFixture.open();
  maker = await front.newTrader();
  taker = await front.newTrader();
  for (const { account } of [maker, taker]) front.venue.credit(account, Wallet.spot, 1, 10n ** 14n);
});
after(() => front.close());

const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };

function nowMs(): number {
  return Math.floor(front.nowUs() / 1000);
}

/** Makes a trade of `qty` at `price` in which the taker buys. */
async function trade(price: string, qty = "100"): Promise<void> {
  front.advance(11_000);
  const asks = { ...limit, side: "SELL", price, quantity: qty };
  assert.equal((await front.send("POST", "/api/v3/order", asks, { key: maker })).status, 200);
  const buys = { ...limit, side: "BUY", price, quantity: qty };
  const { json } = await front.send("POST", "/api/v3/order", buys, { key: taker });
  assert.equal(json.status, "FILLED");
}

async function get(path: string, parameters: Record<string, string | number> = {}) {
  const answer = await front.send("GET", `/api/v3/${path}`, parameters);
  return answer.status === 200 ? answer.json : [answer.status, answer.json.code];
}

function toStartOf(ms: number): void {
  front.advance(ms - (nowMs() % ms));
}

test("SPT-16 SPT-45 SPT-22 a market that never traded answers zeros and no klines", async () => {
  const day = await get("ticker/24hr", { symbol });
  assert.deepEqual(
    [day.lastPrice, day.openPrice, day.volume, day.firstId, day.lastId, day.count],
    ["0.0000", "0.0000", "0.0", -1, -1, 0],
  );
  assert.deepEqual(await get("klines", { symbol, interval: "1h" }), []);
  assert.deepEqual(await get("klines", { symbol, interval: "1m", startTime: 0 }), []);
  assert.deepEqual(await get("aggTrades", { symbol }), []);
  assert.deepEqual(await get("ticker/bookTicker", { symbol }), {
    symbol,
    bidPrice: "0.0000",
    bidQty: "0.0",
    askPrice: "0.0000",
    askQty: "0.0",
  });
});

test("SPT-16 SPT-45 SPT-17 klines of every interval are flat between trades and begin with the first trade", async () => {
  toStartOf(dayMs);
  const openMs = nowMs();
  await trade("0.2");
  await trade("0.4", "50");
  front.advance(3 * minuteMs);
  await trade("0.3");
  const rows = await get("klines", { symbol, interval: "1m" });
  const lastMs = Math.floor(nowMs() / minuteMs) * minuteMs;
  assert.equal(rows.length, (lastMs - openMs) / minuteMs + 1);
  const [first, flat] = rows;
  assert.deepEqual(first, [
    openMs,
    "0.2000",
    "0.4000",
    "0.2000",
    "0.4000",
    "150.0",
    openMs + minuteMs - 1,
    "40.000000",
    2,
    "150.0",
    "40.000000",
    "0",
  ]);
  assert.deepEqual(flat.slice(1, 6), ["0.4000", "0.4000", "0.4000", "0.4000", "0.0"]);
  assert.deepEqual(await get("uiKlines", { symbol, interval: "1m" }), rows);
  for (const interval of ["3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d"]) {
    const all = await get("klines", { symbol, interval });
    const total = all.reduce((sum: number, row: string[]) => sum + Number(row[8]), 0);
    assert.deepEqual([all[0][0], total, all.at(-1)[4]], [openMs, 3, "0.3000"], interval);
  }
  for (const interval of ["3d", "1w", "1M"]) {
    const all = await get("klines", { symbol, interval });
    assert.equal(all.length, 1, interval);
    assert.ok(all[0][0] <= openMs && all[0][6] > nowMs(), interval);
    assert.deepEqual([all[0][1], all[0][5], all[0][8]], ["0.2000", "250.0", 3], interval);
  }
  const week = await get("klines", { symbol, interval: "1w" });
  assert.equal(new Date(week[0][0]).getUTCDay(), 1, "A week must begin on Monday");
  const month = await get("klines", { symbol, interval: "1M" });
  assert.equal(new Date(month[0][0]).getUTCDate(), 1);
  const seconds = await get("klines", { symbol, interval: "1s", startTime: openMs });
  const firstSecond = Math.floor((nowMs() - seconds[0][0]) / 1000) + 1;
  assert.equal(
    seconds.length,
    firstSecond,
    "There must be one row for each second since the first trade",
  );
  assert.equal(seconds[0][1], "0.2000");
  assert.equal(seconds[0][6] - seconds[0][0], 999);
});

test("SPT-17 SPT-46 klines are selected by range, limit and time zone", async () => {
  const all = await get("klines", { symbol, interval: "1m" });
  const times = (rows: number[][]) => rows.map(([openMs]) => openMs);
  const [first, second, third] = times(all);
  assert.deepEqual(times(await get("klines", { symbol, interval: "1m", limit: 1 })), [
    times(all).at(-1),
  ]);
  const from = { symbol, interval: "1m", startTime: Number(first) + 1 };
  assert.deepEqual(times(await get("klines", { ...from, limit: 2 })), [second, third]);
  assert.deepEqual(times(await get("klines", { ...from, endTime: Number(third) - 1 })), [second]);
  const until = { symbol, interval: "1m", endTime: Number(second) };
  assert.deepEqual(times(await get("klines", until)), [first, second]);
  const early = { symbol, interval: "1m", startTime: 0, limit: 1 };
  assert.deepEqual(
    times(await get("klines", early)),
    [first],
    "Paging must begin at the first trade",
  );
  const reversed = { symbol, interval: "1m", startTime: Number(third), endTime: Number(first) };
  assert.deepEqual(await get("klines", reversed), []);
  for (const [timeZone, offsetMs] of [
    ["8", 8 * hourMs],
    ["-3:30", -3.5 * hourMs],
    ["05:45", 5.75 * hourMs],
  ] as const) {
    const [row] = await get("klines", { symbol, interval: "1d", timeZone });
    assert.equal((row[0] + offsetMs) % dayMs, 0, timeZone);
    assert.equal(row[8], 3, timeZone);
  }
  for (const path of ["klines", "uiKlines"]) {
    assert.deepEqual(await get(path, { symbol, interval: "7m" }), [400, -1100]);
    const onCompat = await front.fetch(`/compat/api/v3/${path}?symbol=${symbol}&interval=7m`);
    assert.match(onCompat.text, /^{"code":-1120,"msg":"Invalid interval\."/);
  }
  assert.deepEqual(await get("klines", { symbol, interval: "1m", timeZone: "15" }), [400, -1100]);
  assert.deepEqual(await get("klines", { symbol }), [400, -1102]);
  assert.deepEqual(await get("klines", { interval: "1m" }), [400, -1102]);
});

test("SPT-18 an aggregate trade combines the fills of one order at one price, and is found by id and time", async () => {
  front.advance(hourMs);
  const startMs = nowMs();
  for (const price of ["0.5", "0.5", "0.6"]) {
    front.advance(11_000);
    const asks = { ...limit, side: "SELL", price, quantity: "100" };
    await front.send("POST", "/api/v3/order", asks, { key: maker });
  }
  const buys = { ...limit, side: "BUY", price: "0.6", quantity: "300" };
  await front.send("POST", "/api/v3/order", buys, { key: taker });
  const sells = { ...limit, side: "BUY", price: "0.5", quantity: "40" };
  await front.send("POST", "/api/v3/order", sells, { key: maker });
  const hits = { ...limit, side: "SELL", price: "0.5", quantity: "40" };
  await front.send("POST", "/api/v3/order", hits, { key: taker });
  const rows = await get("aggTrades", { symbol, startTime: startMs });
  const firstId = rows[0].a;
  assert.deepEqual(
    rows.map(({ T: _, ...row }: { T: number }) => row),
    [
      { a: firstId, p: "0.5000", q: "200.0", f: firstId, l: firstId + 1, m: false, M: true },
      {
        a: firstId + 2,
        p: "0.6000",
        q: "100.0",
        f: firstId + 2,
        l: firstId + 2,
        m: false,
        M: true,
      },
      { a: firstId + 3, p: "0.5000", q: "40.0", f: firstId + 3, l: firstId + 3, m: true, M: true },
    ],
  );
  const ids = async (parameters: Record<string, number>) =>
    (await get("aggTrades", { symbol, ...parameters })).map(({ a }: { a: number }) => a);
  const newest = await ids({});
  assert.deepEqual(newest.slice(-3), [firstId, firstId + 2, firstId + 3]);
  assert.deepEqual(await ids({ limit: 2 }), [firstId + 2, firstId + 3]);
  assert.deepEqual(await ids({ fromId: firstId }), [firstId, firstId + 2, firstId + 3]);
  assert.deepEqual(
    await ids({ fromId: firstId + 1, limit: 1 }),
    [firstId + 2],
    "An id within an aggregate trade must not be an aggregate trade",
  );
  assert.deepEqual(await ids({ fromId: 0, limit: 1 }), newest.slice(0, 1));
  assert.deepEqual(await ids({ endTime: startMs }), newest.slice(0, -3));
  assert.deepEqual(await ids({ startTime: startMs, endTime: startMs + hourMs }), newest.slice(-3));
  assert.deepEqual(await get("aggTrades", { symbol, fromId: 1, startTime: 1 }), [400, -1128]);
  assert.deepEqual(await get("aggTrades", { symbol, startTime: 2, endTime: 1 }), [400, -1128]);
});

test("SPT-6 SPT-19 historicalTrades continues from an id, and trades returns the newest", async () => {
  const all = await get("historicalTrades", { symbol });
  assert.deepEqual(all, await get("trades", { symbol }));
  assert.deepEqual(await get("historicalTrades", { symbol, fromId: all[1].id, limit: 2 }), [
    all[1],
    all[2],
  ]);
  assert.deepEqual(Object.keys(all[0]), [
    "id",
    "price",
    "qty",
    "quoteQty",
    "time",
    "isBuyerMaker",
    "isBestMatch",
  ]);
});

test("SPT-20 avgPrice is the volume-weighted mean of five minutes, or the last price if nothing traded", async () => {
  front.advance(hourMs);
  const still = await get("avgPrice", { symbol });
  assert.deepEqual([still.mins, still.price], [5, "0.50000000"]);
  await trade("0.2", "300");
  await trade("0.4", "100");
  const { price, closeTime } = await get("avgPrice", { symbol });
  assert.equal(price, "0.25000000");
  assert.ok(closeTime <= nowMs() && closeTime > nowMs() - minuteMs);
});

const fullKeys = [
  "symbol",
  "priceChange",
  "priceChangePercent",
  "weightedAvgPrice",
  "prevClosePrice",
  "lastPrice",
  "lastQty",
  "bidPrice",
  "bidQty",
  "askPrice",
  "askQty",
  "openPrice",
  "highPrice",
  "lowPrice",
  "volume",
  "quoteVolume",
  "openTime",
  "closeTime",
  "firstId",
  "lastId",
  "count",
];
const touchKeys = /^(bid|ask|prevClose|lastQty)/;
const changeKeys = /^(priceChange|weightedAvg)/;

test("SPT-21 SPT-22 ticker/24hr counts the trades of the last 24 hours and no older ones", async () => {
  front.advance(2 * dayMs);
  const quiet = await get("ticker/24hr", { symbol });
  assert.deepEqual(
    [quiet.lastPrice, quiet.openPrice, quiet.prevClosePrice, quiet.priceChange, quiet.count],
    ["0.4000", "0.4000", "0.4000", "0.0000", 0],
  );
  await trade("0.5", "200");
  front.advance(hourMs);
  await trade("0.25", "100");
  const day = await get("ticker/24hr", { symbol, type: "FULL" });
  assert.deepEqual(Object.keys(day), fullKeys);
  const trades = await get("trades", { symbol, limit: 2 });
  assert.deepEqual(
    { ...day, openTime: 0, closeTime: 0 },
    {
      symbol,
      priceChange: "-0.2500",
      priceChangePercent: "-50.000",
      weightedAvgPrice: "0.41666666",
      prevClosePrice: "0.4000",
      lastPrice: "0.2500",
      lastQty: "100.0",
      bidPrice: "0.0000",
      bidQty: "0.0",
      askPrice: "0.0000",
      askQty: "0.0",
      openPrice: "0.5000",
      highPrice: "0.5000",
      lowPrice: "0.2500",
      volume: "300.0",
      quoteVolume: "125.000000",
      openTime: 0,
      closeTime: 0,
      firstId: trades[0].id,
      lastId: trades[1].id,
      count: 2,
    },
  );
  assert.equal(day.closeTime, nowMs());
  assert.ok(
    day.closeTime - day.openTime >= dayMs && day.closeTime - day.openTime < dayMs + minuteMs,
  );
  await trade("0.3", "100");
  const later = await get("ticker/24hr", { symbol });
  assert.deepEqual([later.count, later.lastPrice, later.firstId], [3, "0.3000", day.firstId]);
  front.advance(dayMs - hourMs + minuteMs);
  const moved = await get("ticker/24hr", { symbol });
  assert.deepEqual([moved.count, moved.openPrice, moved.prevClosePrice], [2, "0.2500", "0.5000"]);
  assert.equal(moved.firstId, trades[1].id);
  const mini = await get("ticker/24hr", { symbol, type: "MINI" });
  const miniKeys = fullKeys.filter((name) => !touchKeys.test(name) && !changeKeys.test(name));
  assert.deepEqual(Object.keys(mini).sort(), miniKeys.sort());
});

test("SPT-21 SPT-23 windowed tickers accept any window and the day of any time zone", async () => {
  toStartOf(dayMs);
  await trade("0.2", "100");
  front.advance(90 * minuteMs);
  await trade("0.3", "100");
  const count = async (windowSize: string) => (await get("ticker", { symbol, windowSize })).count;
  assert.deepEqual([await count("1m"), await count("59m"), await count("2h")], [1, 1, 2]);
  const week = await get("ticker", { symbol, windowSize: "7d" });
  assert.ok(week.count > 10, "A window of a week must reach back to the first trades");
  const first = await get("historicalTrades", { symbol, fromId: 0, limit: 1 });
  assert.equal(week.firstId, first[0].id);
  assert.equal((await get("ticker", { symbol })).closeTime, nowMs());
  const keys = fullKeys.filter((name) => !touchKeys.test(name)).sort();
  assert.deepEqual(Object.keys(week).sort(), keys);
  const today = await get("ticker/tradingDay", { symbol });
  assert.deepEqual([today.count, today.openTime % dayMs], [2, 0]);
  assert.deepEqual(Object.keys(today).sort(), keys);
  const zone = await get("ticker/tradingDay", { symbol, timeZone: "-1", type: "MINI" });
  assert.deepEqual([zone.count, (zone.openTime - hourMs) % dayMs], [1, 0]);
  for (const path of ["ticker", "ticker/tradingDay"]) {
    assert.deepEqual(await get(path), [400, -1102]);
    const both = await get(path, { symbols: '["CC-USDC","CETH-USDC"]' });
    assert.deepEqual(
      both.map((row: { symbol: string }) => row.symbol),
      ["CC-USDC", "CETH-USDC"],
    );
  }
  for (const windowSize of ["0m", "60m", "24h", "8d", "1w", "1"]) {
    assert.deepEqual(await get("ticker", { symbol, windowSize }), [400, -1100], windowSize);
  }
});

test("SPT-5 SPT-24 prices and best prices are listed for one symbol, some or all, without a time", async () => {
  front.advance(11_000);
  const asks = { ...limit, side: "SELL", price: "0.9", quantity: "100" };
  await front.send("POST", "/api/v3/order", asks, { key: maker });
  assert.deepEqual(await get("ticker/bookTicker", { symbol }), {
    symbol,
    bidPrice: "0.0000",
    bidQty: "0.0",
    askPrice: "0.9000",
    askQty: "100.0",
  });
  for (const path of ["ticker/price", "ticker/bookTicker", "ticker/24hr"]) {
    assert.equal((await get(path)).length, 3, path);
    const listed = await get(path, { symbols: '["CETH-USDC"]' });
    assert.equal(listed[0].symbol, "CETH-USDC", path);
    assert.equal((await get(path, { symbol: "CCUSDC" })).symbol, symbol, path);
    assert.deepEqual(await get(path, { symbol, symbols: '["CC-USDC"]' }), [400, -1128], path);
    assert.deepEqual(await get(path, { symbol: "BTCUSDT" }), [400, -1100], path);
    const twice = { symbols: '["CC-USDC","CCUSDC"]' };
    assert.deepEqual(await get(path, twice), [400, -1151], path);
  }
});

test("SPT-2 exchangeInfo selects markets by permission", async () => {
  const listed = async (parameters: Record<string, string>) => {
    const json = await get("exchangeInfo", parameters);
    return json.symbols?.length ?? json;
  };
  assert.equal(await listed({ permissions: "SPOT" }), 4);
  assert.equal(await listed({ permissions: '["SPOT","MARGIN"]' }), 4);
  assert.equal(await listed({ permissions: "MARGIN" }), 0);
  assert.deepEqual(await listed({ permissions: "[SPOT" }), [400, -1100]);
  assert.deepEqual(await listed({ permissions: "SPOT", symbol }), [400, -1128]);
  assert.deepEqual(await listed({ symbolStatus: "TRADING", symbol }), [400, -1128]);
});

test("ERR-2 while the database is away, reads that need SQL get -1000, and reads from memory are answered", async () => {
  front.history.isBroken = true;
  try {
    assert.deepEqual(await get("historicalTrades", { symbol, fromId: 1 }), [500, -1000]);
    assert.deepEqual(await get("aggTrades", { symbol, fromId: 1 }), [500, -1000]);
    assert.deepEqual(await get("klines", { symbol, interval: "1s" }), [500, -1000]);
    assert.equal((await get("klines", { symbol, interval: "1h", limit: 2 })).length, 2);
    assert.ok((await get("ticker/24hr", { symbol })).count >= 0);
  } finally {
    front.history.isBroken = false;
  }
});
