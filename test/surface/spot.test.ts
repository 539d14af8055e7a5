// Proves the spot surface: shapes and field types of docs/spec/spot.md, and what orders do.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { AccountFlag, Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const limit = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC" };
const decimal = /^\d+\.\d+$/;

/** Creates a trader who also owns CC. */
async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  const key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
  return key;
}

function place(key: TestKey, parameters: Record<string, string>) {
  return front.send("POST", "/api/v3/order", { ...limit, ...parameters }, { key });
}

function kinds(value: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, typeof field]));
}

const strings = (...names: string[]) => names.map((name) => [name, "string"]);
const numbers = (...names: string[]) => names.map((name) => [name, "number"]);

const figures = strings(
  "price",
  "origQty",
  "executedQty",
  "origQuoteOrderQty",
  "cummulativeQuoteQty",
);
const message = strings("status", "timeInForce", "type", "side", "selfTradePreventionMode");

test("SPT-1 ERR-4 ping and time are answered, and unknown symbols are refused", async () => {
  assert.equal((await front.send("GET", "/api/v3/ping")).text, "{}");
  const time = await front.send("GET", "/api/v3/time");
  assert.deepEqual(time.json, { serverTime: Math.floor(front.nowUs() / 1000) });
  assert.equal(time.headers.get("content-type"), "application/json");
  for (const path of ["depth", "trades", "ticker/price"]) {
    const answer = await front.send("GET", `/api/v3/${path}`, { symbol: "BTCUSDT" });
    assert.deepEqual([answer.status, answer.json.code], [400, -1100]);
  }
});

test("SPT-2 SPT-3 exchangeInfo lists spot markets with the filters that are enforced", async () => {
  const { json } = await front.send("GET", "/api/v3/exchangeInfo");
  assert.deepEqual(Object.keys(json), [
    "timezone",
    "serverTime",
    "rateLimits",
    "exchangeFilters",
    "symbols",
  ]);
  const symbols = json.symbols as { symbol: string; status: string; filters: object[] }[];
  assert.deepEqual(
    symbols.map(({ symbol, status }) => `${symbol} ${status}`),
    ["CC-USDC TRADING", "CBTC-USDC TRADING", "CETH-USDC TRADING", "CUSD-USDC BREAK"],
  );
  assert.deepEqual(symbols[0]?.filters.slice(0, 4), [
    { filterType: "PRICE_FILTER", minPrice: "0.0001", maxPrice: "100000.0000", tickSize: "0.0001" },
    { filterType: "LOT_SIZE", minQty: "0.1", maxQty: "10000000.0", stepSize: "0.1" },
    { filterType: "ICEBERG_PARTS", limit: 10 },
    {
      filterType: "NOTIONAL",
      minNotional: "10.000000",
      applyMinToMarket: true,
      maxNotional: "1000000000000.000000",
      applyMaxToMarket: false,
      avgPriceMins: 0,
    },
  ]);
  assert.deepEqual(
    json.rateLimits.map(({ limit }: { limit: number }) => limit),
    [1200, 50, 200],
  );
});

test("CNF-12 exchangeInfo accepts one symbol, a list in any encoding, or a status", async () => {
  const listed = async (query: string) => {
    const { json } = await front.fetch(`/api/v3/exchangeInfo?${query}`);
    return json.symbols?.map(({ symbol }: { symbol: string }) => symbol) ?? json.code;
  };
  assert.deepEqual(await listed("symbol=CCUSDC"), ["CC-USDC"]);
  assert.deepEqual(await listed('symbols=["CC-USDC","CBTC-USDC"]'), ["CC-USDC", "CBTC-USDC"]);
  assert.deepEqual(await listed("symbols=[%22CETH-USDC%22]"), ["CETH-USDC"]);
  assert.deepEqual(await listed("symbolStatus=BREAK"), ["CUSD-USDC"]);
  assert.equal(await listed("symbol=CC-USDC&symbols=[%22CC-USDC%22]"), -1128);
  assert.equal(await listed("symbols=[%22NOPE%22]"), -1100);
  assert.equal(await listed("symbols=nonsense"), -1135);
  assert.equal(await listed("symbols=[%22CC-USDC%22,%22CC-USDC%22]"), -1151);
  const { json } = await front.fetch(
    "/api/v3/exchangeInfo?showPermissionSets=false&symbol=CC-USDC",
  );
  assert.equal(json.symbols[0].permissionSets, undefined);
});

test("SPT-9 SPT-11 SPT-15 an order rests and is shown in every list", async () => {
  const maker = await newTrader();
  const resting = await place(maker, {
    side: "SELL",
    quantity: "200",
    price: "0.15",
    newClientOrderId: "x-1",
  });
  assert.deepEqual(
    Object.entries(kinds(resting.json)).sort(),
    [
      ...strings("symbol", "clientOrderId"),
      ...numbers("orderId", "orderListId", "transactTime", "workingTime"),
      ...figures,
      ...message,
      ["fills", "object"],
    ].sort(),
  );
  assert.deepEqual([resting.json.status, resting.json.fills], ["NEW", []]);
  const { json: depth } = await front.send("GET", "/api/v3/depth", { symbol: "CC-USDC" });
  assert.deepEqual(depth, { lastUpdateId: front.state.seq, bids: [], asks: [["0.1500", "200.0"]] });
  const { json: open } = await front.send(
    "GET",
    "/api/v3/openOrders",
    { symbol: "CC-USDC" },
    { key: maker },
  );
  const { json: queried } = await front.send(
    "GET",
    "/api/v3/order",
    { symbol: "CC-USDC", orderId: resting.json.orderId },
    { key: maker },
  );
  assert.deepEqual(open, [queried]);
  assert.deepEqual(
    Object.entries(kinds(queried)).sort(),
    [
      ...strings("symbol", "clientOrderId", "stopPrice", "icebergQty"),
      ...numbers("orderId", "orderListId", "time", "updateTime", "workingTime"),
      ...figures,
      ...message,
      ["isWorking", "boolean"],
    ].sort(),
  );
  await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key: maker });
});

test("SPT-5 SPT-6 SPT-8 SPT-10 SPT-13 ORD-23 an order trades, and the answers show all its fills", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  await place(maker, { side: "SELL", quantity: "200", price: "0.15", newClientOrderId: "x-1" });
  const taken = await place(taker, {
    side: "BUY",
    quantity: "80",
    price: "0.16",
    timeInForce: "IOC",
  });
  const [tradeId] = taken.json.fills.map((fill: { tradeId: number }) => fill.tradeId);
  assert.equal(taken.json.status, "FILLED");
  assert.equal(taken.json.cummulativeQuoteQty, "12.000000");
  assert.deepEqual(taken.json.fills, [
    { price: "0.1500", qty: "80.0", commission: "0.08000000", commissionAsset: "CC", tradeId },
  ]);
  const partial = await front.send(
    "GET",
    "/api/v3/order",
    { symbol: "CC-USDC", origClientOrderId: "x-1" },
    { key: maker },
  );
  assert.deepEqual([partial.json.status, partial.json.executedQty], ["PARTIALLY_FILLED", "80.0"]);
  const { json: trades } = await front.send("GET", "/api/v3/trades", {
    symbol: "CC-USDC",
    limit: 1,
  });
  assert.deepEqual(
    [trades[0].id, trades[0].price, trades[0].quoteQty, trades[0].isBuyerMaker],
    [tradeId, "0.1500", "12.000000", false],
  );
  const { json: price } = await front.send("GET", "/api/v3/ticker/price", { symbol: "CC-USDC" });
  assert.deepEqual(price, { symbol: "CC-USDC", price: "0.1500" });
  const { json: mine } = await front.send(
    "GET",
    "/api/v3/myTrades",
    { symbol: "CC-USDC" },
    { key: maker },
  );
  assert.deepEqual(
    mine.map((row: Record<string, unknown>) => [
      row["id"],
      row["commission"],
      row["commissionAsset"],
      row["isMaker"],
    ]),
    [[tradeId, "0.004800", "USDC", true]],
  );
  assert.deepEqual([mine[0].settlementStatus, mine[0].cantonUpdateId], ["internal", null]);
  const cancelled = await front.send(
    "DELETE",
    "/api/v3/order",
    { symbol: "CC-USDC", origClientOrderId: "x-1", newClientOrderId: "bye" },
    { key: maker },
  );
  assert.deepEqual(
    [cancelled.json.status, cancelled.json.origClientOrderId, cancelled.json.clientOrderId],
    ["CANCELED", "x-1", "bye"],
  );
  assert.deepEqual(
    Object.entries(kinds(cancelled.json)).sort(),
    [
      ...strings("symbol", "origClientOrderId", "clientOrderId"),
      ...numbers("orderId", "orderListId", "transactTime"),
      ...figures,
      ...message,
    ].sort(),
  );
});

test("SPT-8 ORD-9 newOrderRespType chooses the form of the answer, and MARKET orders show price zero and GTC", async () => {
  const key = await newTrader();
  const ack = await place(key, {
    side: "BUY",
    quantity: "100",
    price: "0.1",
    newOrderRespType: "ACK",
  });
  assert.deepEqual(Object.keys(ack.json), [
    "symbol",
    "orderId",
    "orderListId",
    "clientOrderId",
    "transactTime",
  ]);
  const result = await place(key, {
    side: "BUY",
    quantity: "100",
    price: "0.1",
    newOrderRespType: "RESULT",
  });
  assert.equal(result.json.fills, undefined);
  const market = { symbol: "CC-USDC", type: "MARKET", side: "SELL", quantity: "150" };
  const { json } = await front.send("POST", "/api/v3/order", market, { key: await newTrader() });
  assert.deepEqual(
    [json.status, json.price, json.timeInForce, json.type, json.fills.length],
    ["FILLED", "0.0000", "GTC", "MARKET", 2],
  );
  const rest = await front.send("POST", "/api/v3/order", market, { key: await newTrader() });
  assert.deepEqual([rest.json.status, rest.json.executedQty], ["EXPIRED", "50.0"]);
  const empty = await front.send("POST", "/api/v3/order", market, { key: await newTrader() });
  assert.deepEqual([empty.json.status, empty.json.executedQty], ["EXPIRED", "0.0"]);
});

test("ERR-6 ERR-9 ERR-10 ERR-11 ERR-12 SPT-3 SPT-14 ORD-19 refusals by clearing have their documented codes and exact messages", async () => {
  const key = await newTrader();
  const asks = {
    symbol: "CC-USDC",
    side: "SELL",
    type: "LIMIT_MAKER",
    quantity: "100",
    price: "0.2",
  };
  await front.send("POST", "/api/v3/order", asks, { key });
  const other = await newTrader();
  const fault = async (parameters: Record<string, string>, owner = other) => {
    const { status, json } = await place(owner, { side: "BUY", ...parameters });
    return [status, json.code, json.msg];
  };
  const taking = { type: "LIMIT_MAKER", quantity: "100", price: "0.2" };
  assert.deepEqual(await fault(taking), [422, -2010, "Order would immediately match and take."]);
  const dear = { quantity: "10000000", price: "0.4" };
  assert.deepEqual(await fault(dear), [
    422,
    -2010,
    "Account has insufficient balance for requested action.",
  ]);
  const small = { quantity: "10", price: "0.1" };
  assert.deepEqual(await fault(small), [400, -1013, "Filter failure: NOTIONAL"]);
  const fine = { quantity: "200", price: "0.1", newClientOrderId: "twice" };
  await place(other, { side: "BUY", ...fine });
  assert.deepEqual(await fault(fine), [422, -2010, "Duplicate order sent."]);
  const { status, json } = await place(other, {
    symbol: "CUSD-USDC",
    side: "BUY",
    quantity: "100",
    price: "1",
  });
  assert.deepEqual([status, json.msg], [422, "Market is closed."]);
  front.venue.setFlags(other.account, AccountFlag.frozen);
  const [frozenStatus, frozenCode, frozenMsg] = await fault({ quantity: "200", price: "0.1" });
  assert.deepEqual([frozenStatus, frozenCode], [422, -2010]);
  assert.match(String(frozenMsg), /^Account is frozen/);
  const account = await front.send("GET", "/api/v3/account", {}, { key: other });
  assert.equal(account.json.canTrade, false);
  const cancel = await front.send(
    "DELETE",
    "/api/v3/order",
    { symbol: "CC-USDC", origClientOrderId: "twice" },
    { key: other },
  );
  assert.equal(cancel.json.status, "CANCELED", "A frozen account must be able to cancel");
  await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key });
});

test("SPT-11 ERR-7 cancelling all orders returns a report for each, or -2011 if there are none", async () => {
  const key = await newTrader();
  const ids: number[] = [];
  for (const price of ["0.1", "0.11", "0.12"]) {
    ids.push((await place(key, { side: "BUY", quantity: "200", price })).json.orderId);
  }
  const all = await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key });
  assert.deepEqual(
    all.json
      .map(({ orderId }: { orderId: number }) => orderId)
      .sort((a: number, b: number) => a - b),
    ids,
  );
  assert.ok(all.json.every(({ status }: { status: string }) => status === "CANCELED"));
  const again = await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key });
  assert.deepEqual(
    [again.status, again.json],
    [422, { code: -2011, msg: "Order does not exist." }],
  );
});

test("SPT-9 ERR-7 ORD-18 an unknown order, or one of another account or market, gets -2011", async () => {
  const [key, other] = [await newTrader(), await newTrader()];
  const { json } = await place(key, {
    side: "BUY",
    quantity: "200",
    price: "0.1",
    newClientOrderId: "own",
  });
  const code = async (method: string, parameters: Record<string, string | number>, owner = key) =>
    (
      await front.send(
        method,
        "/api/v3/order",
        { symbol: "CC-USDC", ...parameters },
        { key: owner },
      )
    ).json.code;
  for (const method of ["GET", "DELETE"]) {
    assert.equal(await code(method, { orderId: json.orderId }, other), -2011);
    assert.equal(await code(method, { origClientOrderId: "own" }, other), -2011);
    assert.equal(await code(method, { orderId: json.orderId, symbol: "CBTC-USDC" }), -2011);
    assert.equal(await code(method, { orderId: 9_007_199_254_740_991 }), -2011);
    assert.equal(await code(method, {}), -1102);
  }
  assert.equal(
    await code("DELETE", { orderId: json.orderId, cancelRestrictions: "ONLY_OLD" }),
    -1145,
  );
  assert.equal(
    await code("DELETE", { orderId: json.orderId, origClientOrderId: "wins-not" }),
    undefined,
  );
});

test("a query by client id waits for the order in flight, and a cancel does not overtake it", async () => {
  const key = await newTrader();
  front.isHolding = true;
  const placed = place(key, {
    side: "BUY",
    quantity: "200",
    price: "0.1",
    newClientOrderId: "fast",
  });
  const untilHeld = async (count: number) => {
    while (front.held.length < count) await wait(5);
  };
  await untilHeld(1);
  const named = { symbol: "CC-USDC", origClientOrderId: "fast" };
  const queried = front.send("GET", "/api/v3/order", named, { key });
  await untilHeld(2);
  const cancelled = front.send("DELETE", "/api/v3/order", named, { key });
  await untilHeld(3);
  assert.deepEqual(front.lanes.slice(-3), ["orders", "orders", "orders"]);
  front.release();
  assert.equal((await placed).json.status, "NEW");
  assert.equal((await queried).json.clientOrderId, "fast");
  assert.equal((await cancelled).json.status, "CANCELED");
  await front.send("DELETE", "/api/v3/order", named, { key });
  assert.equal(
    front.lanes.at(-1),
    "cancels",
    "With nothing in flight, a cancel must use the ring of cancels",
  );
});

test("SPT-12 the account shows free and locked balances of every asset, on request without zeros", async () => {
  const key = await front.newTrader(50_000_000n);
  await place(key, { side: "BUY", quantity: "200", price: "0.1" });
  const { json } = await front.send("GET", "/api/v3/account", {}, { key });
  assert.deepEqual(json.balances.slice(0, 2), [
    { asset: "USDC", free: "30.000000", locked: "20.000000" },
    { asset: "CC", free: "0.00000000", locked: "0.00000000" },
  ]);
  assert.equal(json.balances.length, 4);
  assert.equal(json.uid, key.account);
  assert.deepEqual(json.commissionRates, {
    maker: "0.00040000",
    taker: "0.00100000",
    buyer: "0.00000000",
    seller: "0.00000000",
  });
  assert.ok(json.updateTime > 0);
  const short = await front.send("GET", "/api/v3/account", { omitZeroBalances: "TRUE" }, { key });
  assert.equal(short.json.balances.length, 1);
  await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key });
});

test("SPT-13 ERR-2 myTrades accepts ranges and combinations, and gets -1000 while the database is away", async () => {
  const key = await newTrader();
  const code = async (parameters: Record<string, number | string>) => {
    const answer = await front.send(
      "GET",
      "/api/v3/myTrades",
      { symbol: "CC-USDC", ...parameters },
      { key },
    );
    return answer.json.code ?? answer.json.length;
  };
  assert.equal(await code({}), 0);
  assert.equal(await code({ orderId: 5, fromId: 3 }), 0);
  assert.equal(await code({ startTime: 1, endTime: 86_400_001 }), 0);
  assert.equal(await code({ startTime: 1, endTime: 86_400_002 }), -1127);
  assert.equal(await code({ startTime: 5, endTime: 4 }), -1128);
  assert.equal(await code({ fromId: 1, startTime: 4 }), -1128);
  assert.equal(await code({ limit: "x" }), -1100);
  front.history.isBroken = true;
  const away = await front.send("GET", "/api/v3/myTrades", { symbol: "CC-USDC" }, { key });
  assert.deepEqual([away.status, away.json.code], [500, -1000]);
  const order = await front.send(
    "GET",
    "/api/v3/order",
    { symbol: "CC-USDC", orderId: 77_777 },
    { key },
  );
  assert.deepEqual([order.status, order.json.code], [500, -1000]);
  front.history.isBroken = false;
});

test("SPT-4 depth has at most the requested levels, best first, and follows the book", async () => {
  const key = await newTrader();
  for (const price of ["0.1", "0.12", "0.11", "0.12"]) {
    await place(key, { side: "BUY", quantity: "200", price });
  }
  const depth = async (limit: number) =>
    (await front.send("GET", "/api/v3/depth", { symbol: "CC-USDC", limit })).json;
  assert.deepEqual((await depth(2)).bids, [
    ["0.1200", "400.0"],
    ["0.1100", "200.0"],
  ]);
  const before = await depth(5);
  assert.deepEqual((await depth(9999)).bids, before.bids);
  assert.deepEqual(await depth(5), before);
  await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key });
  const emptied = await depth(5);
  assert.deepEqual(emptied.bids, []);
  assert.ok(emptied.lastUpdateId > before.lastUpdateId);
  assert.match(before.bids[0][0], decimal);
});
