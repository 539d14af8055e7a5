// Proves how numbers are written. Under /compat every price, quantity and amount of spot has eight decimals, as at
// Binance; at the root each has the decimals of its unit, as the specification shows.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { type Frame, StreamClient } from "../streams/stream-client.ts";
import type { Json } from "../support/client/json.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  key = await front.newTrader();
  const other = front.venue.fund(10n ** 14n);
  for (const asset of [1, 2, 3]) {
    front.venue.credit(key.account, Wallet.spot, asset, 10n ** 15n);
  }
  front.venue.sell(key.account, 0, 1500, 1000);
  front.venue.buy(other, 0, 1500, 700);
  front.venue.buy(other, 0, 1490, 900);
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

/** Fields whose numbers are rates or percentages instead of prices, quantities or amounts. */
const otherFigures = new Set(["priceChangePercent", "P", "multiplierUp", "multiplierDown"]);

/** Returns every decimal text of an answer, with the name of its field. */
function figuresOf(value: Json, name = ""): [string, string][] {
  if (typeof value === "string") {
    const isFigure = /^-?\d+(\.\d+)?$/.test(value) && !otherFigures.has(name);
    return isFigure ? [[name, value]] : [];
  }
  if (Array.isArray(value)) return value.flatMap((item) => figuresOf(item, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([own, item]) => figuresOf(item, own));
}

const hasEight = (text: string) => /\.\d{8}$/.test(text);

/** Fields that Binance itself sends without decimals. */
const bare = new Set(["B", "n"]);

const reads: readonly [path: string, isSigned: boolean][] = [
  ["/api/v3/depth?symbol=CC-USDC", false],
  ["/api/v3/trades?symbol=CC-USDC", false],
  ["/api/v3/historicalTrades?symbol=CC-USDC", false],
  ["/api/v3/aggTrades?symbol=CC-USDC", false],
  ["/api/v3/ticker/24hr?symbol=CC-USDC", false],
  ["/api/v3/ticker/24hr?symbol=CC-USDC&type=MINI", false],
  ["/api/v3/ticker/tradingDay?symbol=CC-USDC", false],
  ["/api/v3/ticker?symbol=CC-USDC", false],
  ["/api/v3/ticker/price?symbol=CC-USDC", false],
  ["/api/v3/ticker/bookTicker?symbol=CC-USDC", false],
  ["/api/v3/avgPrice?symbol=CC-USDC", false],
  ["/api/v3/exchangeInfo?symbol=CC-USDC", false],
  ["/api/v3/account", true],
  ["/api/v3/account?omitZeroBalances=true", true],
  ["/api/v3/openOrders", true],
  ["/api/v3/openOrders?symbol=CC-USDC", true],
  ["/api/v3/allOrders?symbol=CC-USDC", true],
  ["/api/v3/myTrades?symbol=CC-USDC", true],
];

async function read(path: string, isSigned: boolean): Promise<Json> {
  const [route = "", query = ""] = path.split("?");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const { status, json, text } = await front.send(
    "GET",
    route,
    parameters,
    isSigned ? { key } : {},
  );
  assert.equal(status, 200, `${path}: ${text}`);
  return json;
}

for (const [path, isSigned] of reads) {
  test(`CMP-20 CMP-36 ${path} has eight decimals on compat and the unit's decimals at the root`, async () => {
    const figures = figuresOf(await read(`/compat${path}`, isSigned));
    assert.ok(figures.length > 0, path);
    for (const [name, text] of figures) assert.ok(hasEight(text), `${name}: ${text}`);
    const own = figuresOf(await read(path, isSigned));
    const valuesOf = (all: typeof own) =>
      all
        // Before the first trade only compat has a previous close.
        .filter(([name]) => name !== "prevClosePrice")
        .map(([name, text]) => [name, Number(text)]);
    assert.deepEqual(valuesOf(own), valuesOf(figures));
  });
}

test("CMP-20 CMP-36 klines have eight decimals on compat and the unit's decimals at the root", async () => {
  const path = "/api/v3/klines?symbol=CC-USDC&interval=1h";
  // If the hour has ended since the trade, a candle without a trade follows.
  const traded = (rows: Json) => rows.find((row: Json) => Number(row[5]) > 0);
  const row = traded(await read(`/compat${path}`, false));
  for (const at of [1, 2, 3, 4, 5, 7, 9, 10]) assert.ok(hasEight(row[at]), `${at}: ${row[at]}`);
  const own = traded(await read(path, false));
  assert.deepEqual([own[1], own[5], own[7]], ["0.1500", "70.0", "10.500000"]);
});

test("CMP-20 an order's events have eight decimals on compat", async () => {
  const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const send = async (
    method: string,
    path: string,
    parameters: Record<string, string | number>,
  ) => {
    const answer = await front.send(method, `/compat/api/v3/${path}`, parameters, { key });
    assert.equal(answer.status, 200, answer.text);
    for (const [name, text] of figuresOf(answer.json)) {
      assert.ok(hasEight(text) || name.endsWith("rderId"), `${path} ${name}: ${text}`);
    }
    return answer.json;
  };
  const filled = await send("POST", "order", {
    ...order,
    side: "SELL",
    quantity: 70,
    price: 0.149,
  });
  assert.deepEqual(
    [filled.price, filled.executedQty, filled.fills[0].qty, filled.cummulativeQuoteQty],
    ["0.14900000", "70.00000000", "70.00000000", "10.43000000"],
  );
  const placed = await send("POST", "order", { ...order, quantity: 100, price: 0.14 });
  const { orderId } = placed;
  const named = { symbol: "CC-USDC", orderId };
  await send("GET", "order", named);
  await send("PUT", "order/amend/keepPriority", { ...named, newQty: 90 });
  const replacing = { ...order, quantity: 100, price: 0.141, cancelReplaceMode: "STOP_ON_FAILURE" };
  await send("POST", "order/cancelReplace", { ...replacing, cancelOrderId: orderId });
  await send("DELETE", "openOrders", { symbol: "CC-USDC" });
  const root = await front.send(
    "POST",
    "/api/v3/order",
    { ...order, quantity: 100, price: 0.14 },
    { key },
  );
  assert.equal(root.json.price, "0.1400");
  const shown = await front.send("GET", "/api/v3/openOrders", {}, { key });
  assert.equal(shown.json[0].price, "0.1400");
  const padded = await front.send("GET", "/compat/api/v3/openOrders", {}, { key });
  assert.equal(padded.json[0].price, "0.14000000");
  await send("DELETE", "order", { symbol: "CC-USDC", orderId: root.json.orderId });
  assert.deepEqual((await front.send("GET", "/compat/api/v3/openOrders", {}, { key })).json, []);
});

test("CMP-20 a market's streams in each view have that view's decimals", async () => {
  const feeds = ["trade", "ticker", "kline_1m", "depth5"];
  const names = feeds.map((feed) => `cbtc-usdc@${feed}`);
  const more = ["aggTrade", "miniTicker", "bookTicker", "depth", "kline_1h"];
  const onCompat = [...names, ...more.map((feed) => `cbtc-usdc@${feed}`)];
  const base = front.base.replace("http", "ws");
  const open = async (path: string) => {
    const client = await StreamClient.open(base + path);
    clients.push(client);
    return client;
  };
  const root = await open(`/stream?streams=${names.join("/")}`);
  const compat = await open(`/compat/stream?streams=${onCompat.join("/")}`);
  const bareRoot = await open(`/ws/cbtc-usdc@trade`);
  await compat.next(({ stream }) => stream === "cbtc-usdc@depth");
  const buyer = front.venue.fund(10n ** 14n);
  front.venue.sell(key.account, 1, 6_000_000, 1000);
  front.venue.buy(buyer, 1, 6_000_000, 400);
  front.venue.buy(buyer, 1, 5_990_000, 400);
  const dataOf = async (client: StreamClient, stream: string): Promise<Frame> => {
    const isFull = ({ data }: Frame) =>
      data.snapshot !== true && data.n !== 0 && data.v !== "0.00000000" && data.asks?.length !== 0;
    return (await client.next((frame) => frame.stream === stream && isFull(frame))).data;
  };
  for (const name of onCompat) {
    for (const [field, text] of figuresOf(await dataOf(compat, name))) {
      assert.ok(hasEight(text) || bare.has(field), `${name} ${field}: ${text}`);
    }
  }
  const { p, q } = await dataOf(root, "cbtc-usdc@trade");
  assert.deepEqual([p, q], ["60000.00", "0.0400"]);
  const trade = await bareRoot.next(({ e }) => e === "trade");
  assert.deepEqual([trade.p, bareRoot.frames.length], ["60000.00", 1]);
  const { asks } = await dataOf(root, "cbtc-usdc@depth5");
  assert.deepEqual(asks.at(-1), ["60000.00", "0.0600"]);
  assert.equal((await dataOf(root, "cbtc-usdc@kline_1m")).k.o, "60000.00");
  for (const { stream } of root.frames) assert.ok(names.includes(stream));
  const told = root.frames.filter(({ stream }) => stream === "cbtc-usdc@trade");
  assert.equal(told.length, 1, "Each view must send a trade once");
});
