// Proves public market data of the perpetual surface: compat's full listing, trades, prices and funding.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { MarketStatus } from "../../src/core/markets.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { sayIndex } from "../support/machine/test-venue.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

const symbol = "BTCUSDT";

let front: FrontFixture;

async function place(key: TestKey, more: Record<string, string>) {
  const limit = { symbol, type: "LIMIT", timeInForce: "GTC", quantity: "0.1", price: "60000" };
  const answer = await front.send("POST", "/fapi/v1/order", { ...limit, ...more }, { key });
  assert.equal(answer.status, 200, answer.text);
}

/** Makes three trades, then a book of 59,990 / 60,010. */
before(async () => {
  front = await FrontFixture.open();
  const [maker, taker] = [await front.newTrader(), await front.newTrader()];
  await place(maker, { side: "SELL", price: "60000" });
  await place(maker, { side: "SELL", price: "60001" });
  await place(taker, { side: "BUY", price: "60001", quantity: "0.2" });
  front.advance(60_000);
  await place(maker, { side: "BUY", price: "60000" });
  await place(taker, { side: "SELL", price: "60000" });
  await place(maker, { side: "BUY", price: "59990", quantity: "0.3" });
  await place(maker, { side: "SELL", price: "60010", quantity: "0.4" });
});
after(() => front.close());

async function read(path: string, parameters: Record<string, string | number> = {}) {
  const answer = await front.send("GET", path, parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

function keysOf(value: object): string[] {
  return Object.keys(value);
}

test("FAP-25 compat lists each symbol in full, with pair and margin asset as clients need them", async () => {
  const info = await read("/compat/fapi/v1/exchangeInfo");
  const { symbols, serverTime, ...rest } = info;
  assert.ok(serverTime > 0);
  assert.deepEqual(rest, {
    timezone: "UTC",
    futuresType: "U_MARGINED",
    rateLimits: [
      { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: 1200 },
      { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: 50 },
      { rateLimitType: "ORDERS", interval: "MINUTE", intervalNum: 1, limit: 200 },
    ],
    exchangeFilters: [],
    assets: [{ asset: "USDT", marginAvailable: true, autoAssetExchange: "0" }],
  });
  assert.deepEqual(
    symbols.map((record: Record<string, string>) => [
      record["symbol"],
      record["pair"],
      record["contractType"],
      record["marginAsset"] === record["quoteAsset"],
    ]),
    ["BTCUSDT", "ETHUSDT", "CCUSDT"].map((name) => [name, name, "PERPETUAL", true]),
  );
  const [{ filters }] = symbols;
  assert.deepEqual(filters, [
    { filterType: "PRICE_FILTER", minPrice: "0.01", maxPrice: "10000000.00", tickSize: "0.01" },
    { filterType: "LOT_SIZE", minQty: "0.001", maxQty: "100000.000", stepSize: "0.001" },
    { filterType: "MARKET_LOT_SIZE", minQty: "0.001", maxQty: "100000.000", stepSize: "0.001" },
    { filterType: "MAX_NUM_ORDERS", limit: 200 },
    { filterType: "MAX_NUM_ALGO_ORDERS", limit: 100 },
    { filterType: "MIN_NOTIONAL", notional: "5.000000" },
    {
      filterType: "PERCENT_PRICE",
      multiplierUp: "5.0000",
      multiplierDown: "0.2000",
      multiplierDecimal: "4",
    },
  ]);
});

test("FAP-3 ping and time are answered", async () => {
  assert.deepEqual(await read("/fapi/v1/ping"), {});
  assert.deepEqual(await read("/fapi/v1/time"), {
    serverTime: Math.floor(front.nowUs() / 1000),
  });
});

test("FAP-4 depth has 500 levels per side by default, and rounds other limits up to an offered one", async () => {
  const depth = await read("/fapi/v1/depth", { symbol });
  assert.deepEqual(keysOf(depth), ["lastUpdateId", "E", "T", "bids", "asks"]);
  assert.deepEqual([depth.bids, depth.asks], [[["59990.00", "0.300"]], [["60010.00", "0.400"]]]);
  assert.deepEqual(await read("/fapi/v1/depth", { symbol, limit: 3 }), depth);
});

test("FAP-26 trades are oldest first and have no isBestMatch, and the history continues from an id", async () => {
  const rows = await read("/fapi/v1/trades", { symbol });
  assert.deepEqual(
    rows.map(({ price, qty, quoteQty, isBuyerMaker }: Record<string, unknown>) => [
      price,
      qty,
      quoteQty,
      isBuyerMaker,
    ]),
    [
      ["60000.00", "0.100", "6000.000000", false],
      ["60001.00", "0.100", "6000.100000", false],
      ["60000.00", "0.100", "6000.000000", true],
    ],
  );
  assert.deepEqual(keysOf(rows[0]), ["id", "price", "qty", "quoteQty", "time", "isBuyerMaker"]);
  assert.deepEqual(await read("/fapi/v1/trades", { symbol, limit: 1 }), rows.slice(-1));
  assert.deepEqual(await read("/fapi/v1/historicalTrades", { symbol }), rows);
  const fromId = rows[1].id;
  assert.deepEqual(
    await read("/fapi/v1/historicalTrades", { symbol, fromId, limit: 1 }),
    rows.slice(1, 2),
  );
});

test("FAP-13 FAP-27 prices are one object or a list, with the time field that marks futures", async () => {
  for (const version of ["v1", "v2"]) {
    const { symbol: name, price, time } = await read(`/fapi/${version}/ticker/price`, { symbol });
    assert.deepEqual([name, price, time > 0], [symbol, "60000.00", true]);
  }
  const book = await read("/fapi/v1/ticker/bookTicker", { symbol });
  assert.deepEqual(book, {
    lastUpdateId: book.lastUpdateId,
    symbol,
    bidPrice: "59990.00",
    bidQty: "0.300",
    askPrice: "60010.00",
    askQty: "0.400",
    time: book.time,
  });
  const premium = await read("/fapi/v1/premiumIndex", { symbol });
  assert.deepEqual(premium, {
    symbol,
    markPrice: "60000.00",
    indexPrice: "0.00",
    estimatedSettlePrice: "0.00",
    lastFundingRate: "0.00000000",
    interestRate: "0.00010000",
    nextFundingTime: premium.nextFundingTime,
    time: Math.floor(front.nowUs() / 1000),
  });
  assert.equal(premium.nextFundingTime % 28_800_000, 0);
  assert.ok(premium.nextFundingTime > premium.time);
  for (const path of [
    "v1/ticker/price",
    "v2/ticker/price",
    "v1/ticker/bookTicker",
    "v1/premiumIndex",
  ]) {
    assert.equal((await read(`/fapi/${path}`)).length, 3, path);
  }
});

test("FAP-28 the funding terms of each symbol and its past settlements are listed", async () => {
  assert.deepEqual(await read("/fapi/v1/fundingRate", { symbol, limit: 5 }), []);
  const terms = await read("/fapi/v1/fundingInfo");
  assert.deepEqual(terms[0], {
    symbol,
    adjustedFundingRateCap: "0.00750000",
    adjustedFundingRateFloor: "-0.00750000",
    fundingIntervalHours: 8,
    disclaimer: false,
  });
  const other = await front.newTrader();
  sayIndex(front.venue, marketId.btcPerp, 5_982_000);
  front.venue.buy(other.account, marketId.btcPerp, 5_999_900, 100);
  front.venue.sell(other.account, marketId.btcPerp, 6_000_100, 100);
  const tick = () => front.venue.machine.handle(front.venue.command({ kind: CommandKind.tick }));
  tick();
  // The mark of 60,000 is 0.3009 % above the index of 59,820. The rate is this premium less 0.05 %.
  const premium = await read("/fapi/v1/premiumIndex", { symbol });
  assert.equal(premium.lastFundingRate, "0.00250902");
  front.venue.done({ kind: CommandKind.settleFunding });
  tick();
  const [settled] = await read("/fapi/v1/fundingRate", { symbol });
  assert.deepEqual(settled, {
    symbol,
    fundingTime: settled.fundingTime,
    fundingRate: "0.00250902",
    markPrice: "60000.00",
  });
  assert.equal((await read("/fapi/v1/fundingRate")).length, 3);
  assert.deepEqual(await read("/fapi/v1/fundingRate", { symbol, endTime: 1 }), []);
  const later = { symbol, startTime: settled.fundingTime + 1 };
  assert.deepEqual(await read("/fapi/v1/fundingRate", later), []);
  const unknown = await front.send("GET", "/fapi/v1/fundingRate", { symbol: "CC-USDC" });
  assert.deepEqual([unknown.status, unknown.json.code], [400, -1100]);
});

test("FAP-33 aggTrades combine the trades of one order at one price, and have no field M", async () => {
  const rows = await read("/fapi/v1/aggTrades", { symbol });
  assert.deepEqual(
    rows.map(({ p, q, m }: Record<string, unknown>) => [p, q, m]),
    [
      ["60000.00", "0.100", false],
      ["60001.00", "0.100", false],
      ["60000.00", "0.100", true],
    ],
  );
  assert.deepEqual(keysOf(rows[0]), ["a", "p", "q", "f", "l", "T", "m"]);
  const fromId = rows[1].a;
  assert.deepEqual(await read("/fapi/v1/aggTrades", { symbol, fromId, limit: 1 }), [rows[1]]);
  for (const bad of [
    { fromId, startTime: 1 },
    { startTime: 1, endTime: 3_600_001 },
    { startTime: 2, endTime: 1 },
  ]) {
    const { status, json } = await front.send("GET", "/fapi/v1/aggTrades", { symbol, ...bad });
    assert.deepEqual([status, json.code], [400, -1128]);
  }
});

test("FAP-34 ticker/24hr is an object for one symbol and otherwise a list, and has no best prices", async () => {
  const row = await read("/fapi/v1/ticker/24hr", { symbol });
  assert.deepEqual(row, {
    symbol,
    priceChange: "0.00",
    priceChangePercent: "0.000",
    weightedAvgPrice: "60000.33333333",
    lastPrice: "60000.00",
    lastQty: "0.100",
    openPrice: "60000.00",
    highPrice: "60001.00",
    lowPrice: "60000.00",
    volume: "0.300",
    quoteVolume: "18000.100000",
    openTime: row.openTime,
    closeTime: Math.floor(front.nowUs() / 1000),
    firstId: row.firstId,
    lastId: row.firstId + 2,
    count: 3,
  });
  assert.equal((await read("/fapi/v1/ticker/24hr")).length, 3);
});

test("KLN-9 KLN-11 on compat klines have every interval, time ranges and flat rows, and continuous klines are equal", async () => {
  const nowMs = Math.floor(front.nowUs() / 1000);
  const rows = await read("/compat/fapi/v1/klines", { symbol, interval: "5m", limit: 3 });
  assert.equal(rows.at(-1)[0], Math.floor(nowMs / 300_000) * 300_000);
  const startTime = nowMs - 60_000;
  const minutes = await read("/compat/fapi/v1/klines", { symbol, interval: "1m", startTime });
  assert.ok(minutes.every(([openMs]: number[]) => (openMs ?? 0) >= startTime));
  const contract = { pair: symbol, contractType: "PERPETUAL", interval: "1m" };
  assert.deepEqual(
    await read("/fapi/v1/continuousKlines", contract),
    await read("/fapi/v1/klines", { symbol, interval: "1m" }),
  );
  const unknown = await front.send("GET", "/compat/fapi/v1/klines", { symbol, interval: "7m" });
  assert.deepEqual([unknown.status, unknown.json.code], [400, -1120]);
  const bad = { pair: symbol, contractType: "PERPETUAL", interval: "7m" };
  const continuous = await front.send("GET", "/compat/fapi/v1/continuousKlines", bad);
  assert.deepEqual(continuous.json, { code: -1120, msg: "Invalid interval." });
  const root = await front.send("GET", "/fapi/v1/klines", { symbol, interval: "7m" });
  assert.deepEqual([root.status, root.json.code], [400, -1100]);
  const missing = await front.send("GET", "/compat/fapi/v1/klines", { interval: "1m" });
  assert.deepEqual([missing.status, missing.json], [400, null]);
});

test("FAP-1 FAP-41 a market that is halted or delisted has its status on compat, and is always TRADING at the root", async () => {
  const shown = async (root: string) => {
    const { symbols } = await read(`${root}/fapi/v1/exchangeInfo`);
    return symbols.find((each: { symbol: string }) => each.symbol === "ETHUSDT").status;
  };
  for (const [status, message] of [
    [MarketStatus.halted, "PENDING_TRADING"],
    [MarketStatus.trading, "TRADING"],
    [MarketStatus.delisted, "CLOSE"],
  ] as const) {
    front.venue.done({ kind: CommandKind.setMarketStatus, market: marketId.ethPerp, status });
    assert.equal(await shown("/compat"), message);
    assert.equal(await shown(""), "TRADING");
  }
});
