// Proves the perpetual surface: exchangeInfo and klines exactly as specified, and all other answers in Binance's form.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const limit = {
  symbol: "BTCUSDT",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.1",
  price: "60000",
};

async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  return front.newTrader();
}

function place(key: TestKey, parameters: Record<string, string>) {
  return front.send("POST", "/fapi/v1/order", { ...limit, ...parameters }, { key });
}

test("FAP-1 FAP-2 CNF-6 exchangeInfo at the root has exactly three and seven fields", async () => {
  const { json } = await front.send("GET", "/fapi/v1/exchangeInfo", { anything: "ignored" });
  const record = (base: string) => ({
    symbol: `${base}USDT`,
    pair: `${base}-PERP`,
    status: "TRADING",
    baseAsset: base,
    quoteAsset: "USDT",
    pricePrecision: 2,
    quantityPrecision: 3,
  });
  assert.deepEqual(json, {
    timezone: "UTC",
    serverTime: Math.floor(front.nowUs() / 1000),
    symbols: [record("BTC"), record("ETH"), record("CC")],
  });
});

test("FAP-5 FAP-6 FAP-7 FAP-8 an order has Binance's futures form, RESULT by default, and with ACK the state at its acceptance", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  const resting = await place(maker, { side: "SELL", newClientOrderId: "mm-7f" });
  const atMs = resting.json.time;
  assert.deepEqual(resting.json, {
    orderId: resting.json.orderId,
    symbol: "BTCUSDT",
    status: "NEW",
    clientOrderId: "mm-7f",
    price: "60000.00",
    avgPrice: "0.00",
    origQty: "0.100",
    executedQty: "0.000",
    cumQty: "0.000",
    cumQuote: "0.000000",
    timeInForce: "GTC",
    type: "LIMIT",
    origType: "LIMIT",
    side: "SELL",
    reduceOnly: false,
    closePosition: false,
    positionSide: "BOTH",
    stopPrice: "0",
    workingType: "CONTRACT_PRICE",
    priceProtect: false,
    priceMatch: "NONE",
    selfTradePreventionMode: "NONE",
    goodTillDate: 0,
    time: atMs,
    updateTime: atMs,
  });
  const ack = await place(taker, { side: "BUY", quantity: "0.04", newOrderRespType: "ACK" });
  assert.deepEqual([ack.json.status, ack.json.executedQty], ["NEW", "0.000"]);
  const { json: filled } = await front.send(
    "GET",
    "/fapi/v1/order",
    { symbol: "BTC-PERP", orderId: ack.json.orderId },
    { key: taker },
  );
  assert.deepEqual([filled.status, filled.avgPrice], ["FILLED", "60000.00000000"]);
  const open = await front.send(
    "GET",
    "/fapi/v1/openOrders",
    { symbol: "BTCUSDT" },
    { key: maker },
  );
  assert.deepEqual(
    open.json.map(({ status, executedQty }: Record<string, string>) => [status, executedQty]),
    [["PARTIALLY_FILLED", "0.040"]],
  );
  const named = { symbol: "BTCUSDT", origClientOrderId: "mm-7f" };
  const both = { ...named, orderId: ack.json.orderId };
  const byId = await front.send("GET", "/fapi/v1/order", both, { key: taker });
  assert.equal(byId.json.orderId, ack.json.orderId, "The venue's id must take precedence");
  assert.equal((await front.send("GET", "/fapi/v1/openOrder", named, { key: maker })).status, 200);
  const cancelled = await front.send("DELETE", "/fapi/v1/order", named, { key: maker });
  assert.equal(cancelled.json.status, "CANCELED");
  for (const [method, path] of [
    ["DELETE", "order"],
    ["GET", "openOrder"],
  ] as const) {
    const gone = await front.send(method, `/fapi/v1/${path}`, named, { key: maker });
    assert.deepEqual(
      [gone.status, gone.json],
      [422, { code: -2011, msg: "Order does not exist." }],
    );
  }
});

test("FAP-9 FAP-10 FAP-11 FAP-12 ERR-19 positions, balance and leverage are right after a fill", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  await place(maker, { side: "SELL", quantity: "0.5" });
  const market = { symbol: "BTCUSDT", type: "MARKET", side: "BUY", quantity: "0.25" };
  const bought = await front.send("POST", "/fapi/v1/order", market, { key: taker });
  assert.deepEqual(
    [bought.json.status, bought.json.price, bought.json.type],
    ["FILLED", "0.00", "MARKET"],
  );
  const { json: risks } = await front.send("GET", "/fapi/v2/positionRisk", {}, { key: taker });
  assert.equal(risks.length, 3);
  assert.deepEqual(risks[0], {
    symbol: "BTCUSDT",
    positionAmt: "0.250",
    entryPrice: "60000.00000000",
    breakEvenPrice: "60000.00000000",
    markPrice: "60000.00",
    unRealizedProfit: "0.000000",
    liquidationPrice: "0",
    leverage: "10",
    maxNotionalValue: "1000000000000.000000",
    marginType: "cross",
    isolatedMargin: "0.00",
    isAutoAddMargin: "false",
    positionSide: "BOTH",
    notional: "15000.000000",
    isolatedWallet: "0",
    updateTime: Math.floor(front.state.tsUs / 1000),
  });
  const { json: short } = await front.send(
    "GET",
    "/fapi/v2/positionRisk",
    { symbol: "BTCUSDT" },
    { key: maker },
  );
  assert.deepEqual([short[0].positionAmt, short[0].notional], ["-0.250", "-15000.000000"]);
  const { json: balances } = await front.send("GET", "/fapi/v2/balance", {}, { key: taker });
  const { updateTime } = balances[0];
  assert.ok(updateTime > 0);
  // The fee was 5 bps of 15,000, and a tenth of the position's value is reserved as margin.
  assert.deepEqual(balances, [
    {
      accountAlias: String(taker.account),
      asset: "USDC",
      balance: "999992.500000",
      crossWalletBalance: "999992.500000",
      crossUnPnl: "0.000000",
      availableBalance: "998492.500000",
      maxWithdrawAmount: "998492.500000",
      marginAvailable: true,
      updateTime,
    },
  ]);
  const interest = await front.send("GET", "/fapi/v1/openInterest", { symbol: "BTCUSDT" });
  assert.equal(
    interest.json.openInterest,
    "0.290",
    "Open interest must include the previous test's position",
  );
  const leverage = await front.send(
    "POST",
    "/fapi/v1/leverage",
    { symbol: "BTCUSDT", leverage: 50 },
    { key: taker },
  );
  assert.deepEqual(leverage.json, {
    leverage: 50,
    maxNotionalValue: "1000000.000000",
    symbol: "BTCUSDT",
  });
  for (const bad of ["0", "101", "ten", "-5", "1.5", "9".repeat(30)]) {
    const answer = await front.send(
      "POST",
      "/fapi/v1/leverage",
      { symbol: "BTCUSDT", leverage: bad },
      { key: taker },
    );
    assert.deepEqual([answer.status, answer.json.code], [400, -4028], bad);
  }
  await front.send("DELETE", "/fapi/v1/allOpenOrders", { symbol: "BTCUSDT" }, { key: maker });
});

test("FAP-8 FAP-14 ERR-11 ERR-19 options that are not offered are refused, never ignored", async () => {
  const key = await newTrader();
  const code = async (parameters: Record<string, string>) => {
    const { status, json } = await place(key, { side: "BUY", ...parameters });
    return [status, json.code];
  };
  assert.deepEqual(await code({ positionSide: "LONG" }), [400, -4061]);
  assert.deepEqual(await code({ type: "LIMIT_MAKER" }), [400, -1100]);
  assert.deepEqual(await code({ timeInForce: "GTE" }), [400, -1100]);
  assert.deepEqual(await code({ priceMatch: "BEST" }), [400, -1100]);
  assert.deepEqual(await code({ priceProtect: "true" }), [400, -1100]);
  assert.deepEqual(await code({ newClientOrderId: "no spaces" }), [400, -4015]);
  assert.deepEqual(await code({ newClientOrderId: `o-${"0".repeat(20)}` }), [400, -4015]);
  const tried = await front.send("POST", "/fapi/v1/order/test", limit, { key });
  assert.deepEqual(
    [tried.status, tried.json],
    [501, { code: -1020, msg: "This operation is not supported." }],
  );
  const fine = {
    side: "BUY",
    price: "50000",
    reduceOnly: "false",
    positionSide: "BOTH",
    stopPrice: "0.0",
  };
  assert.equal((await place(key, { ...fine, newClientOrderId: "again" })).status, 200);
  assert.deepEqual(await code({ ...fine, newClientOrderId: "again" }), [400, -4116]);
  const all = await front.send("DELETE", "/fapi/v1/allOpenOrders", { symbol: "BTCUSDT" }, { key });
  assert.deepEqual(all.json, { code: 200, msg: "The operation of cancel all open order is done." });
  const none = await front.send("DELETE", "/fapi/v1/allOpenOrders", { symbol: "BTCUSDT" }, { key });
  assert.equal(none.status, 200);
});

test("FAP-15 a post-only order that would take gets -5022 and leaves no order", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  await place(maker, { side: "SELL" });
  const { seq } = front.state;
  const refused = await place(taker, { side: "BUY", timeInForce: "GTX" });
  assert.deepEqual([refused.status, refused.json.code], [400, -5022]);
  assert.equal(front.state.seq, seq);
  await front.send("DELETE", "/fapi/v1/allOpenOrders", { symbol: "BTCUSDT" }, { key: maker });
});

test("KLN-1 KLN-2 KLN-3 KLN-4 KLN-5 KLN-6 KLN-7 CNF-14 klines have rows of twelve, plain text for a missing parameter, and -1100 for one that is not offered", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  const symbol = "ETHUSDT";
  const trade = async (price: string) => {
    await place(maker, { symbol, side: "SELL", price, quantity: "1" });
    await place(taker, { symbol, side: "BUY", price, quantity: "1" });
  };
  await trade("3000");
  await trade("3010");
  const openMs = Math.floor(front.nowUs() / 60_000_000) * 60_000;
  front.advance(180_000);
  await trade("2990");
  const klines = (parameters: Record<string, string | number>) =>
    front.send("GET", "/fapi/v1/klines", parameters);
  const { json: rows } = await klines({ symbol, interval: "1m", startTime: 5, endTime: 6 });
  assert.equal(rows.length, 2, "Minutes without a trade must have no row");
  assert.deepEqual(rows[0], [
    openMs,
    "3000.00",
    "3010.00",
    "3000.00",
    "3010.00",
    "2.000",
    openMs + 59_999,
    "6010.000000",
    2,
    "2.000",
    "6010.000000",
    "0",
  ]);
  assert.equal((await klines({ symbol, interval: "1m", limit: 0 })).json.length, 1);
  assert.equal((await klines({ symbol, interval: "1m", limit: -7 })).json.length, 1);
  assert.equal((await klines({ symbol, interval: "1m", limit: 9999 })).json.length, 2);
  assert.equal((await klines({ symbol: "ETH-PERP", interval: "1d" })).json.length, 1);
  for (const bad of [
    "interval=1m",
    "symbol=ETHUSDT",
    "symbol=&interval=1m",
    "symbol=ETHUSDT&interval=1m&limit=ten",
    "symbol=%ff&interval=1m",
    "symbol=A&symbol=B&interval=1m",
  ]) {
    const answer = await front.fetch(`/fapi/v1/klines?${bad}`);
    assert.equal(answer.status, 400, bad);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/plain/, bad);
    assert.match(answer.text, /^Failed to deserialize query string: /, bad);
  }
  for (const bad of [
    { symbol, interval: "5m" },
    { symbol: "NOPE", interval: "1m" },
    { symbol: "CC-USDC", interval: "1m" },
  ]) {
    const answer = await klines(bad);
    assert.deepEqual([answer.status, answer.json.code], [400, -1100]);
  }
});

test("KLN-2 the window applies to the times of trades, and an interval that it cuts has only the trades inside", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  const symbol = "BTCUSDT";
  const trade = async (price: string) => {
    await place(maker, { symbol, side: "SELL", price, quantity: "0.1" });
    await place(taker, { symbol, side: "BUY", price, quantity: "0.1" });
  };
  const minute = 60_000;
  const klines = async (limit: number) =>
    (await front.send("GET", "/fapi/v1/klines", { symbol, interval: "1m", limit })).json;
  const closes = async (limit: number) =>
    (await klines(limit)).map(([, , , , close]: string[]) => close);
  const newMinute = () => front.advance(minute - (Math.floor(front.nowUs() / 1000) % minute));
  front.advance(5 * minute);
  newMinute();
  front.advance(40_000);
  await trade("90000");
  newMinute();
  front.advance(5_000);
  assert.deepEqual(
    await closes(1),
    ["90000.00"],
    "A trade that is 25 s old, in the previous minute, must count",
  );
  front.advance(34_900);
  assert.deepEqual(await closes(1), ["90000.00"]);
  front.advance(200);
  assert.deepEqual(await closes(1), [], "A trade that is a minute old must not count");
  assert.deepEqual(await closes(2), ["90000.00"]);
  newMinute();
  front.advance(10_000);
  await trade("90010");
  newMinute();
  front.advance(1_000);
  await trade("90020");
  assert.deepEqual(await closes(1), ["90020.00"], "There must not be more rows than requested");
  assert.deepEqual(await closes(2), ["90010.00", "90020.00"]);
});

test("KLN-2 KLN-4 the limit counts 1 to 1500 intervals back from now, 500 by default, and rows ascend to one that still grows", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  const symbol = "BTCUSDT";
  const trade = async (price: string) => {
    await place(maker, { symbol, side: "SELL", price, quantity: "0.1" });
    await place(taker, { symbol, side: "BUY", price, quantity: "0.1" });
  };
  const minute = 60_000;
  const ages = [1499, 499, 3, 0];
  // Start at the beginning of a minute, so that the oldest trade is just inside the window.
  front.advance(minute - (Math.floor(front.nowUs() / 1000) % minute));
  for (const [place, age] of ages.entries()) {
    await trade("90000");
    front.advance((age - (ages[place + 1] ?? 0)) * minute);
  }
  const klines = async (more: Record<string, number> = {}) =>
    (await front.send("GET", "/fapi/v1/klines", { symbol, interval: "1m", ...more })).json;
  assert.equal((await klines()).length, 3, "The default limit must be 500 intervals");
  assert.equal((await klines({ limit: 1500 })).length, 4);
  assert.equal((await klines({ limit: 100_000 })).length, 4, "The limit must be clamped to 1500");
  assert.equal((await klines({ limit: 1498 })).length, 3);
  assert.equal((await klines({ limit: 0 })).length, 1, "The limit must be clamped to 1");
  const opened = (await klines({ limit: 1500 })).map(([openMs]: [number]) => openMs);
  assert.deepEqual(
    opened,
    [...opened].sort((one, other) => one - other),
  );
  assert.equal((await klines({ limit: 1 }))[0][4], "90000.00");
  await trade("90010");
  const [newest] = await klines({ limit: 1 });
  assert.deepEqual([newest[0], newest[4], newest[8]], [opened.at(-1), "90010.00", 2]);
  front.advance(minute);
  assert.deepEqual(
    (await klines({ limit: 2 })).at(-1),
    newest,
    "The newest row must be complete and unchanged",
  );
});

test("FAP-3 FAP-4 FAP-13 depth, last prices and open interest are shown", async () => {
  const key = await newTrader();
  await place(key, { symbol: "CCUSDT", side: "BUY", price: "0.15", quantity: "1000" });
  const { json: depth } = await front.send("GET", "/fapi/v1/depth", { symbol: "CCUSDT", limit: 7 });
  assert.deepEqual(Object.keys(depth), ["lastUpdateId", "E", "T", "bids", "asks"]);
  assert.deepEqual(depth.bids, [["0.1500", "1000.000"]]);
  const { json: prices } = await front.send("GET", "/fapi/v1/ticker/price");
  assert.deepEqual(
    prices.map(({ symbol }: { symbol: string }) => symbol),
    ["BTCUSDT", "ETHUSDT", "CCUSDT"],
  );
  const { json: one } = await front.send("GET", "/fapi/v1/ticker/price", { symbol: "BTC-PERP" });
  assert.deepEqual(Object.keys(one), ["symbol", "price", "time"]);
  assert.equal((await front.send("GET", "/fapi/v1/openInterest")).json.code, -1102);
  assert.equal((await front.send("GET", "/fapi/v1/time")).json.serverTime > 0, true);
});
