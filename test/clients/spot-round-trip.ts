// Runs one client through a spot trader's session, from the market list to the last cancel (CNF-10). Two accounts take
// part, one with an HMAC key and one with an Ed25519 key. The session runs twice, and the second time they swap roles.

import assert from "node:assert/strict";
import type { RoutedClient } from "./binance-routes.ts";
import type { ClientRun } from "./client-run.ts";

export type SpotRoute =
  | "ping"
  | "exchangeInfo"
  | "depth"
  | "trades"
  | "aggTrades"
  | "klines"
  | "ticker24hr"
  | "tickerPrice"
  | "tickerPrices"
  | "bookTicker"
  | "account"
  | "newOrder"
  | "testOrder"
  | "getOrder"
  | "openOrders"
  | "allOrders"
  | "cancelReplace"
  | "amendOrder"
  | "cancelOrder"
  | "cancelOpenOrders"
  | "myTrades"
  | "rateLimitOrder";

export type SpotClient = RoutedClient<SpotRoute>;

const symbol = "CC-USDC";
const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };
const day = 86_400_000;

/**
 * Runs the session: `maker` performs every step, and `taker` trades with the maker once. `keys` names the maker's
 * kind of key.
 */
export async function tripSpot(
  run: ClientRun,
  maker: SpotClient,
  taker: SpotClient,
  keys: string,
): Promise<void> {
  await readMarkets(run, maker, keys);
  let orderId = await placeAndFind(run, maker, keys);
  orderId = await changeOrder(run, maker, keys, orderId);
  await trade(run, { maker, taker, keys, orderId });
  await cancel(run, maker, keys, orderId);
}

async function readMarkets(run: ClientRun, client: SpotClient, keys: string): Promise<void> {
  await run.step("markets", `${keys}: exchangeInfo lists ${symbol}`, async () => {
    await client.send("ping");
    const { symbols } = await client.send("exchangeInfo");
    const market = symbols.find((one: { symbol: string }) => one.symbol === symbol);
    assert.equal(market.status, "TRADING");
    assert.ok(market.filters.some((one: { tickSize?: string }) => Number(one.tickSize) === 0.0001));
  });
  await run.step("balance", `${keys}: account shows the free balance`, async () => {
    const { balances } = await client.send("account");
    const row = balances.find(({ asset }: { asset: string }) => asset === "USDC");
    assert.ok(Number(row.free) > 900_000);
    assert.equal(Number(row.locked), 0);
  });
}

/** Places a resting order, reads it by every route and returns its id. */
async function placeAndFind(run: ClientRun, client: SpotClient, keys: string): Promise<number> {
  let orderId = 0;
  const sell = { ...limit, side: "SELL", quantity: 500, price: 0.15 };
  if (client.has("testOrder")) {
    await run.step("test order", `${keys}: an order that is only checked`, async () => {
      assert.deepEqual(Object.keys(await client.send("testOrder", sell)), []);
    });
  }
  await run.step("place", `${keys}: LIMIT rests`, async () => {
    const placed = await client.send("newOrder", sell);
    orderId = placed.orderId;
    assert.deepEqual([placed.status, Number(placed.origQty)], ["NEW", 500]);
  });
  await run.step("query", `${keys}: the order is found by its id`, async () => {
    const found = await client.send("getOrder", { symbol, orderId });
    assert.deepEqual([found.orderId, found.status], [orderId, "NEW"]);
  });
  await run.step("open orders", `${keys}: the order is open`, async () => {
    const open = await client.send("openOrders", { symbol });
    assert.deepEqual(idsOf(open), [orderId]);
  });
  return orderId;
}

/** Replaces the order, reduces the quantity of the new order and returns the new order's id. */
async function changeOrder(
  run: ClientRun,
  client: SpotClient,
  keys: string,
  replacedId: number,
): Promise<number> {
  let orderId = replacedId;
  if (client.has("cancelReplace")) {
    await run.step("amend or replace", `${keys}: another order replaces it`, async () => {
      const replaced = await client.send("cancelReplace", {
        ...limit,
        side: "SELL",
        cancelReplaceMode: "STOP_ON_FAILURE",
        cancelOrderId: replacedId,
        quantity: 400,
        price: 0.16,
      });
      assert.equal(replaced.cancelResult, "SUCCESS");
      orderId = replaced.newOrderResponse.orderId;
      assert.equal(replaced.newOrderResponse.status, "NEW");
    });
  }
  if (client.has("amendOrder")) {
    await run.step(
      "amend or replace",
      `${keys}: a smaller quantity keeps the queue position`,
      async () => {
        const { amendedOrder } = await client.send("amendOrder", { symbol, orderId, newQty: 300 });
        assert.deepEqual([amendedOrder.orderId, Number(amendedOrder.qty)], [orderId, 300]);
      },
    );
  }
  return orderId;
}

interface TradeParts {
  readonly maker: SpotClient;
  readonly taker: SpotClient;
  readonly keys: string;
  readonly orderId: number;
}

async function trade(run: ClientRun, { maker, taker, keys, orderId }: TradeParts): Promise<void> {
  await run.step("place", `${keys}: the other's MARKET order fills`, async () => {
    const bought = await taker.send("newOrder", {
      symbol,
      side: "BUY",
      type: "MARKET",
      quantity: 100,
    });
    assert.deepEqual([bought.status, Number(bought.executedQty)], ["FILLED", 100]);
    assert.equal(bought.fills.length, 1);
  });
  await run.step("trades", `${keys}: the fill is listed with its fee`, async () => {
    const rows = await maker.send("myTrades", { symbol });
    const last = rows.at(-1);
    assert.deepEqual([last.orderId, last.isMaker, Number(last.qty)], [orderId, true, 100]);
    assert.equal(last.commissionAsset, "USDC");
    assert.equal(typeof last.settlementStatus, "string");
  });
  await run.step("order history", `${keys}: the order is part of the history`, async () => {
    const rows = await maker.send("allOrders", { symbol, limit: 10 });
    const row = rows.find((one: { orderId: number }) => one.orderId === orderId);
    assert.deepEqual([row.status, Number(row.executedQty)], ["PARTIALLY_FILLED", 100]);
  });
  await readTrades(run, maker, keys);
}

async function readTrades(run: ClientRun, client: SpotClient, keys: string): Promise<void> {
  await run.step("klines", `${keys}: the newest candle closes at the fill's price`, async () => {
    const rows = await client.send("klines", { symbol, interval: "1m", limit: 5 });
    const last = rows.at(-1);
    assert.ok(Math.abs(Date.now() - Number(last[0] ?? last.openTime)) < day);
    assert.ok(Number(last[4] ?? last.close) > 0.1);
  });
  await run.step("market data", `${keys}: book, trades and tickers`, async () => {
    const book = await client.send("depth", { symbol, limit: 5 });
    assert.equal(book.asks.length, 1);
    assert.ok((await client.send("trades", { symbol })).length > 0);
    assert.ok((await client.send("aggTrades", { symbol })).length > 0);
    assert.ok(Number((await client.send("ticker24hr", { symbol })).volume) > 0);
    const price = await client.send("tickerPrice", { symbol });
    assert.ok(Number(price.price ?? price[symbol]) > 0.1);
    if (client.has("tickerPrices")) {
      // Some clients URL-encode this list fully, others only in part.
      const symbols = ["CC-USDC", "CETH-USDC"];
      assert.equal((await client.send("tickerPrices", { symbols })).length, 2);
    }
    if (!client.has("bookTicker")) return;
    assert.ok(Number((await client.send("bookTicker", { symbol })).askPrice) > 0.1);
  });
}

async function cancel(
  run: ClientRun,
  client: SpotClient,
  keys: string,
  orderId: number,
): Promise<void> {
  await run.step("conditional orders", `${keys}: STOP_LOSS_LIMIT waits for its price`, async () => {
    const waiting = await client.send("newOrder", {
      ...limit,
      type: "STOP_LOSS_LIMIT",
      side: "SELL",
      quantity: 200,
      price: 0.11,
      stopPrice: 0.12,
      newOrderRespType: "RESULT",
    });
    const found = await client.send("getOrder", { symbol, orderId: waiting.orderId });
    assert.deepEqual([found.status, Number(found.stopPrice)], ["NEW", 0.12]);
  });
  await run.step("cancel", `${keys}: the order is cancelled`, async () => {
    const cancelled = await client.send("cancelOrder", { symbol, orderId });
    assert.equal(cancelled.status, "CANCELED");
  });
  await run.step("cancel all", `${keys}: all open orders are cancelled at once`, async () => {
    await client.send("newOrder", { ...limit, side: "SELL", quantity: 500, price: 0.17 });
    await client.send("cancelOpenOrders", { symbol });
    assert.deepEqual(await client.send("openOrders", { symbol }), []);
  });
}

function idsOf(orders: readonly { readonly orderId: number }[]): number[] {
  return orders.map(({ orderId }) => orderId);
}
