// Proves that ccxt works for spot in full: the test calls every unified spot method on both views (CNF-7, CNF-9) and
// checks that ccxt requests no path that the venue lacks.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import ccxt from "ccxt";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

type Exchange = InstanceType<typeof ccxt.binance>;

const pair = "CC/USDC";
const fronts: FrontFixture[] = [];
after(() => {
  for (const front of fronts) front.close();
});

/** Returns a ccxt client with every address replaced by the front's. */
function clientOf(front: FrontFixture, mount: string, key?: TestKey): Exchange {
  const client = new ccxt.binance({
    ...(key && { apiKey: key.value, secret: key.secret }),
    enableRateLimit: false,
    // A busy machine may need longer for an answer than ccxt's own ten seconds.
    timeout: 60_000,
    // Load only spot markets: perpetuals at the root have fewer fields than ccxt needs.
    options: { fetchMarkets: { types: ["spot"] }, recvWindow: 60_000 },
  });
  const urls = client.urls as unknown as { api: Record<string, unknown> };
  for (const [name, url] of Object.entries(urls.api)) {
    if (typeof url === "string") {
      urls.api[name] = url.replace(/^https:\/\/[^/]+/, front.base + mount);
    }
  }
  client.options["warnOnFetchOpenOrdersWithoutSymbol"] = false;
  return client;
}

interface Traders {
  readonly front: FrontFixture;
  readonly maker: Exchange;
  readonly taker: Exchange;
  readonly guest: Exchange;
}

async function openTraders(mount: string): Promise<Traders> {
  const front = await FrontFixture.open({ isLive: true });
  fronts.push(front);
  const keys = [await front.newTrader(), await front.newTrader()];
  for (const { account } of keys) front.venue.credit(account, Wallet.spot, 1, 10n ** 14n);
  const [maker, taker] = keys.map((key) => clientOf(front, mount, key));
  assert(maker !== undefined && taker !== undefined);
  const guest = clientOf(front, mount);
  await Promise.all([maker, taker, guest].map((client) => client.loadMarkets()));
  return { front, maker, taker, guest };
}

async function tradeOnce({ maker, taker }: Traders): Promise<void> {
  const resting = await maker.createOrder(pair, "limit", "sell", 500, 0.2);
  const bought = await taker.createOrder(pair, "limit", "buy", 200, 0.2);
  assert.deepEqual([bought.status, bought.filled, bought.cost], ["closed", 200, 40]);
  const edited = await maker.editOrder(String(resting.id), pair, "limit", "sell", 400, 0.21);
  assert.deepEqual([edited.status, edited.price, edited.amount], ["open", 0.21, 400]);
  const spent = await taker.createMarketBuyOrderWithCost(pair, 21);
  assert.deepEqual([spent.status, spent.filled, spent.cost], ["closed", 100, 21]);
}

async function callMarketData({ guest }: Traders, mount: string): Promise<void> {
  assert.ok(Math.abs(Number(await guest.fetchTime()) - Date.now()) < 60_000);
  assert.equal((await guest.fetchStatus()).status, "ok");
  assert.deepEqual((await guest.fetchOrderBook(pair)).asks, [[0.21, 300]]);
  const trades = await guest.fetchTrades(pair);
  assert.deepEqual(
    trades.map(({ side, price, amount }) => [side, price, amount]),
    [
      ["buy", 0.2, 200],
      ["buy", 0.21, 100],
    ],
  );
  const since = await guest.fetchTrades(pair, Date.now() - 1_800_000);
  assert.equal(since.length, 2);
  for (const timeframe of ["1s", "1m", "5m", "30m", "1h", "4h", "1d", "1w", "1M"]) {
    const candles = await guest.fetchOHLCV(pair, timeframe);
    assert.equal(candles.at(-1)?.[4], 0.21, timeframe);
  }
  const paged = await guest.fetchOHLCV(pair, "1m", Date.now() - 3_600_000, 100);
  assert.ok(paged.length >= 1);
  const ticker = await guest.fetchTicker(pair);
  assert.deepEqual(
    [ticker.last, ticker.open, ticker.ask, ticker.baseVolume, ticker.quoteVolume],
    [0.21, 0.2, 0.21, 300, 61],
  );
  assert.equal(ticker.percentage, 5);
  // The root lists every market that trades, compat only those of them that have a price.
  assert.equal(Object.keys(await guest.fetchTickers()).length, mount === "" ? 3 : 1);
  assert.deepEqual(Object.keys(await guest.fetchTickers([pair])), [pair]);
  assert.equal((await guest.fetchBidsAsks([pair]))[pair]?.ask, 0.21);
  assert.equal((await guest.fetchLastPrices([pair]))[pair]?.price, 0.21);
}

async function callAccount({ maker, taker }: Traders, mount: string): Promise<void> {
  const balance = await maker.fetchBalance();
  assert.equal(balance["CC"]?.used, 300);
  const [open] = await maker.fetchOpenOrders(pair);
  assert.deepEqual([open?.status, open?.filled, open?.remaining], ["open", 100, 300]);
  assert.equal((await maker.fetchOpenOrders()).length, 1);
  const orders = await maker.fetchOrders(pair);
  assert.deepEqual(
    orders.map(({ status, filled }) => [status, filled]),
    [
      ["canceled", 200],
      ["open", 100],
    ],
  );
  assert.equal((await taker.fetchClosedOrders(pair)).length, 2);
  const mine = await maker.fetchMyTrades(pair);
  assert.deepEqual(
    mine.map(({ takerOrMaker, fee }) => [takerOrMaker, fee?.currency]),
    [
      ["maker", "USDC"],
      ["maker", "USDC"],
    ],
  );
  const own = await maker.fetchOrderTrades(String(orders[0]?.id), pair);
  assert.equal(own.length, 1);
  const fee = await maker.fetchTradingFee(pair);
  assert.deepEqual([fee.maker, fee.taker], [0.0004, 0.001]);
  const fees = await maker.fetchTradingFees();
  assert.equal(fees[pair]?.taker, 0.001);
  const currencies = await maker.fetchCurrencies();
  // On compat the collateral of perpetuals is listed under Binance's name as well.
  const collateral = mount === "" ? [] : ["USDT"];
  const assets = ["CBTC", "CC", "CETH", "USDC", ...collateral];
  assert.deepEqual(Object.keys(currencies ?? {}).sort(), assets);
}

async function placeEveryKind({ maker, taker }: Traders): Promise<void> {
  assert.deepEqual(
    (await maker.createOrder(pair, "limit", "buy", 100, 0.15, { test: true })).info,
    {},
  );
  const posted = await maker.createOrder(pair, "limit", "buy", 100, 0.15, { postOnly: true });
  assert.deepEqual([posted.status, posted.postOnly], ["open", true]);
  const killed = await taker.createOrder(pair, "limit", "buy", 400, 0.21, { timeInForce: "FOK" });
  assert.deepEqual([killed.status, killed.filled], ["expired", 0]);
  const stop = await taker.createOrder(pair, "market", "sell", 100, undefined, {
    stopLossPrice: 0.16,
  });
  const waiting = await taker.fetchOrder(String(stop.id), pair);
  assert.deepEqual([waiting.status, waiting.triggerPrice], ["open", 0.16]);
  const profit = { takeProfitPrice: 0.3 };
  await taker.createOrder(pair, "limit", "sell", 100, 0.31, profit);
  assert.equal((await taker.cancelAllOrders(pair)).length, 2);
  const cancelled = await maker.cancelOrder(String(posted.id), pair);
  assert.equal(cancelled.status, "canceled");
  await maker.cancelAllOrders(pair);
}

for (const mount of ["", "/compat"]) {
  const where = mount === "" ? "at root" : "at compat";
  test(`SPT-2 SPT-18 SPT-24 SPT-26 SPT-33 ccxt spot ${where}: every unified method works, and no path is missing`, async () => {
    const traders = await openTraders(mount);
    await tradeOnce(traders);
    await callMarketData(traders, mount);
    await callAccount(traders, mount);
    await placeEveryKind(traders);
    const metrics = await traders.front.fetch("/metrics");
    assert.doesNotMatch(metrics.text, /status="(404|500)"/);
  });
}
