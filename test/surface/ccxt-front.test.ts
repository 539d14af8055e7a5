// Proves that a spot trader can use everything through ccxt, unmodified and directed to a front under test.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import ccxt from "ccxt";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

type Exchange = InstanceType<typeof ccxt.binance>;

let front: FrontFixture;
let maker: Exchange;
let taker: Exchange;

/** Returns a ccxt client with every address replaced by the front's, so that no key can leak to Binance. */
function clientOf(key: TestKey): Exchange {
  const client = new ccxt.binance({
    apiKey: key.value,
    secret: key.secret,
    enableRateLimit: false,
    // A busy machine may need longer for an answer than ccxt's own ten seconds.
    timeout: 60_000,
    options: { recvWindow: 60_000 },
  });
  const urls = client.urls as unknown as { api: Record<string, unknown> };
  for (const [name, url] of Object.entries(urls.api)) {
    if (typeof url === "string") urls.api[name] = url.replace(/^https:\/\/[^/]+/, front.base);
  }
  client.options["warnOnFetchOpenOrdersWithoutSymbol"] = false;
  return client;
}

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  const [first, second] = [await front.newTrader(), await front.newTrader()];
  front.venue.credit(first.account, Wallet.spot, 1, 10n ** 14n);
  maker = clientOf(first);
  taker = clientOf(second);
});
after(() => front.close());

test("loadMarkets with a key finds the spot markets and requests no missing path", async () => {
  const markets = await maker.loadMarkets();
  await taker.loadMarkets();
  const market = markets["CC/USDC"];
  assert.equal(market?.id, "CC-USDC");
  assert.equal(market?.precision.price, 0.0001);
  assert.equal(market?.precision.amount, 0.1);
  assert.equal(market?.limits.cost?.min, 10);
  const metrics = await front.fetch("/metrics");
  assert.doesNotMatch(metrics.text, /status="404"/);
});

test("an order is created, found, filled, cancelled and booked", async () => {
  const resting = await maker.createOrder("CC/USDC", "limit", "sell", 500, 0.15);
  assert.equal(resting.status, "open");
  const book = await taker.fetchOrderBook("CC/USDC", 5);
  assert.deepEqual(book.asks, [[0.15, 500]]);
  const bought = await taker.createOrder("CC/USDC", "limit", "buy", 200, 0.16);
  assert.deepEqual([bought.status, bought.filled, bought.average], ["closed", 200, 0.15]);
  assert.deepEqual(bought.fee, { currency: "CC", cost: 0.2 });
  const found = await maker.fetchOrder(String(resting.id), "CC/USDC");
  assert.deepEqual([found.status, found.filled, found.remaining], ["open", 200, 300]);
  const open = await maker.fetchOpenOrders("CC/USDC");
  assert.deepEqual(
    open.map(({ id }) => id),
    [resting.id],
  );
  const cancelled = await maker.cancelOrder(String(resting.id), "CC/USDC");
  assert.equal(cancelled.status, "canceled");
  assert.deepEqual(await maker.fetchOpenOrders(), []);
  const trades = await maker.fetchMyTrades("CC/USDC");
  assert.deepEqual(
    trades.map(({ amount, price, takerOrMaker, fee }) => [
      amount,
      price,
      takerOrMaker,
      fee?.currency,
    ]),
    [[200, 0.15, "maker", "USDC"]],
  );
  const balance = await taker.fetchBalance();
  assert.equal(balance["CC"]?.total, 199.8);
});

test("refusals arrive as ccxt's own error classes", async () => {
  await assert.rejects(
    taker.createOrder("CC/USDC", "limit", "sell", 1000, 0.5),
    ccxt.InsufficientFunds,
  );
  await maker.createOrder("CC/USDC", "limit", "sell", 500, 0.2);
  await assert.rejects(
    taker.createOrder("CC/USDC", "limit", "buy", 500, 0.2, { postOnly: true }),
    ccxt.OrderImmediatelyFillable,
  );
  await assert.rejects(taker.fetchOrder("999999", "CC/USDC"), ccxt.OrderNotFound);
  await assert.rejects(taker.cancelOrder("999999", "CC/USDC"), ccxt.OrderNotFound);
  const stranger = clientOf({
    keyId: 0,
    account: 0,
    value: "x".repeat(64),
    secret: "s",
    sign: String,
  });
  await assert.rejects(stranger.fetchBalance(), ccxt.AuthenticationError);
});

test("a market order takes several levels, and cancelling all reports each order", async () => {
  const swept = await taker.createOrder("CC/USDC", "market", "buy", 100);
  assert.deepEqual([swept.status, swept.filled], ["closed", 100]);
  const cancelled = await maker.cancelAllOrders("CC/USDC");
  assert.equal((cancelled as unknown[]).length, 1);
});
