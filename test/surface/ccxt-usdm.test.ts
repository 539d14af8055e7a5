// Proves that a futures trader can use ccxt's unmodified USD-M client, directed to /compat (CMP-5, CNF-8, CNF-9,
// CNF-12).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import ccxt from "ccxt";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

type Exchange = InstanceType<typeof ccxt.binanceusdm>;

const symbol = "BTC/USDT:USDT";

let front: FrontFixture;
let maker: Exchange;
let taker: Exchange;

/** Returns a client with every address replaced by the compat view of this front. */
function clientOf(key: TestKey): Exchange {
  const client = new ccxt.binanceusdm({
    apiKey: key.value,
    secret: key.secret,
    enableRateLimit: false,
    // A busy machine may need longer for an answer than ccxt's own ten seconds.
    timeout: 60_000,
    options: { recvWindow: 60_000 },
  });
  const urls = client.urls as unknown as { api: Record<string, unknown> };
  for (const [name, url] of Object.entries(urls.api)) {
    if (typeof url !== "string") continue;
    urls.api[name] = url.replace(/^https:\/\/[^/]+/, `${front.base}/compat`);
  }
  client.options["warnOnFetchOpenOrdersWithoutSymbol"] = false;
  return client;
}

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  maker = clientOf(await front.newTrader());
  taker = clientOf(await front.newTrader());
  await maker.loadMarkets();
  await taker.loadMarkets();
});
after(() => front.close());

test("CMP-5 loadMarkets finds linear swaps that settle in USDT, with their steps", async () => {
  const market = taker.market(symbol);
  assert.deepEqual(
    [market.id, market.swap, market.linear, market.settle, market.active],
    ["BTCUSDT", true, true, "USDT", true],
  );
  assert.deepEqual([market.precision.price, market.precision.amount], [0.01, 0.001]);
  assert.equal(market.limits.amount?.min, 0.001);
});

test("CMP-5 an order is created, found, partly filled and cancelled, and the trade is listed", async () => {
  const resting = await maker.createOrder(symbol, "limit", "sell", 0.2, 60_000);
  assert.deepEqual([resting.status, resting.amount, resting.filled], ["open", 0.2, 0]);
  assert.deepEqual((await taker.fetchOrderBook(symbol, 5)).asks, [[60_000, 0.2]]);
  const bought = await taker.createOrder(symbol, "market", "buy", 0.1);
  assert.deepEqual([bought.status, bought.filled, bought.average], ["closed", 0.1, 60_000]);
  const found = await maker.fetchOrder(String(resting.id), symbol);
  assert.deepEqual([found.status, found.filled, found.remaining], ["open", 0.1, 0.1]);
  const open = await maker.fetchOpenOrders(symbol);
  assert.deepEqual(
    open.map(({ id }) => id),
    [resting.id],
  );
  assert.equal((await maker.fetchOpenOrder(String(resting.id), symbol)).id, resting.id);
  const cancelled = await maker.cancelOrder(String(resting.id), symbol);
  assert.equal(cancelled.status, "canceled");
  const [trade] = await taker.fetchMyTrades(symbol);
  assert.deepEqual(
    [trade?.amount, trade?.price, trade?.takerOrMaker, trade?.fee?.currency, trade?.fee?.cost],
    [0.1, 60_000, "taker", "USDT", 3],
  );
  const orders = await taker.fetchOrders(symbol);
  assert.deepEqual(
    orders.map(({ status }) => status),
    ["closed"],
  );
});

test("CMP-5 balance, positions, leverage and their settings are read and changed", async () => {
  const balance = await taker.fetchBalance();
  assert.equal(balance["USDT"]?.total, 999_997);
  const [position] = await taker.fetchPositions([symbol]);
  assert.deepEqual(
    [position?.contracts, position?.side, position?.entryPrice, position?.hedged],
    [0.1, "long", 60_000, false],
  );
  const set = await taker.setLeverage(20, symbol);
  assert.equal(Number(set["leverage"]), 20);
  const leverages = await taker.fetchLeverages([symbol]);
  assert.equal(leverages[symbol]?.longLeverage, 20);
  await assert.rejects(taker.setMarginMode("cross", symbol), ccxt.MarginModeAlreadySet);
  await assert.rejects(taker.setPositionMode(false), ccxt.OperationRejected);
  assert.equal((await taker.fetchPositionMode(symbol)).hedged, false);
  const tiers = await taker.fetchLeverageTiers([symbol]);
  assert.equal(tiers[symbol]?.length, 5);
  const fee = await taker.fetchTradingFee(symbol);
  assert.deepEqual([fee.maker, fee.taker], [0.0002, 0.0005]);
  const income = await taker.fetchLedger();
  assert.ok(income.some(({ amount }) => amount === 3));
  assert.deepEqual(await taker.fetchFundingHistory(symbol), []);
});

test("CMP-5 a batch is placed and cancelled, and its answer has refusals among orders", async () => {
  const order = { symbol, type: "limit" as const, side: "buy" as const, amount: 0.1 };
  const placed = await maker.createOrders([
    { ...order, price: 50_000 },
    { ...order, price: 50_001 },
    { ...order, price: 1 },
  ]);
  assert.deepEqual(
    placed.map(({ status }) => status),
    ["open", "open", "rejected"],
  );
  const ids = placed.slice(0, 2).map(({ id }) => String(id));
  const cancelled = await maker.cancelOrders(ids, symbol);
  assert.deepEqual(
    cancelled.map(({ status }) => status),
    ["canceled", "canceled"],
  );
  await maker.createOrder(symbol, "limit", "buy", 0.1, 50_000);
  await maker.cancelAllOrders(symbol);
  assert.deepEqual(await maker.fetchOpenOrders(symbol), []);
});

test("CMP-5 an order is edited in place; a stop waits, is found and is cancelled", async () => {
  const resting = await maker.createOrder(symbol, "limit", "buy", 0.2, 50_000);
  const edited = await maker.editOrder(String(resting.id), symbol, "limit", "buy", 0.1, 50_001);
  assert.deepEqual([edited.id, edited.price, edited.amount], [resting.id, 50_001, 0.1]);
  await maker.cancelOrder(String(resting.id), symbol);
  const trigger = { triggerPrice: 40_000 };
  const stop = await taker.createOrder(symbol, "market", "sell", 0.1, undefined, trigger);
  assert.deepEqual([stop.status, stop.triggerPrice], ["open", 40_000]);
  const waiting = await taker.fetchOpenOrders(symbol, undefined, undefined, { trigger: true });
  assert.deepEqual(
    waiting.map(({ id }) => id),
    [stop.id],
  );
  const found = await taker.fetchOrder(String(stop.id), symbol, { trigger: true });
  assert.equal(found.triggerPrice, 40_000);
  await taker.cancelOrder(String(stop.id), symbol, { trigger: true });
  const gone = await taker.fetchOpenOrders(symbol, undefined, undefined, { trigger: true });
  assert.deepEqual(gone, []);
});

test("CMP-5 tickers, trades, candles and open interest show the trade, and funding is read", async () => {
  const ticker = await taker.fetchTicker(symbol);
  assert.deepEqual([ticker.symbol, ticker.last, ticker.baseVolume], [symbol, 60_000, 0.1]);
  assert.deepEqual(Object.keys(await taker.fetchTickers()), [symbol]);
  assert.equal((await taker.fetchBidsAsks([symbol]))[symbol]?.symbol, symbol);
  assert.equal((await taker.fetchLastPrices([symbol]))[symbol]?.price, 60_000);
  const trades = await taker.fetchTrades(symbol);
  assert.deepEqual(
    trades.map(({ price, amount, side }) => [price, amount, side]),
    [[60_000, 0.1, "buy"]],
  );
  const candles = await taker.fetchOHLCV(symbol, "1m");
  // If the minute has ended since the trade, a candle without a trade follows.
  const traded = candles.filter(([, , , , , volume]) => volume !== 0);
  assert.deepEqual(
    traded.map((candle) => candle.slice(1)),
    [[60_000, 60_000, 60_000, 60_000, 0.1]],
  );
  const funding = await taker.fetchFundingRate(symbol);
  assert.deepEqual([funding.fundingRate, funding.markPrice], [0, 60_000]);
  assert.deepEqual(await taker.fetchFundingRateHistory(symbol), []);
  const intervals = await taker.fetchFundingIntervals([symbol]);
  assert.equal(intervals[symbol]?.interval, "8h");
  const interest = await taker.fetchOpenInterest(symbol);
  assert.equal(interest.openInterestAmount, 0.1);
});

test("CMP-5 refusals arrive as ccxt's own error classes, and ccxt requests no missing path", async () => {
  await assert.rejects(
    taker.createOrder(symbol, "limit", "buy", 1000, 60_000),
    ccxt.InsufficientFunds,
  );
  await assert.rejects(taker.fetchOrder("999999", symbol), ccxt.OrderNotFound);
  await assert.rejects(taker.cancelOrder("999999", symbol), ccxt.OrderNotFound);
  await maker.createOrder(symbol, "limit", "sell", 0.1, 61_000);
  await assert.rejects(
    taker.createOrder(symbol, "limit", "buy", 0.1, 61_000, { postOnly: true }),
    ccxt.InvalidOrder,
  );
  const metrics = await front.fetch("/metrics");
  assert.doesNotMatch(metrics.text, /status="404"/);
});
