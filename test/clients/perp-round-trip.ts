// Runs one client through a perpetual trader's session, from the market list to a position and the last cancel (CNF-10,
// CNF-12). Two accounts take part, one with an HMAC key and one with an Ed25519 key. The session runs twice, and the
// second time they swap roles.

import assert from "node:assert/strict";
import type { RoutedClient } from "./binance-routes.ts";
import type { ClientRun } from "./client-run.ts";

export type PerpRoute =
  | "ping"
  | "exchangeInfo"
  | "depth"
  | "trades"
  | "aggTrades"
  | "klines"
  | "ticker24hr"
  | "premiumIndex"
  | "balance"
  | "account"
  | "newOrder"
  | "stopOrder"
  | "algoOrder"
  | "testOrder"
  | "getOrder"
  | "openOrders"
  | "allOrders"
  | "amendOrder"
  | "batchOrders"
  | "cancelBatchOrders"
  | "cancelOrder"
  | "cancelAllOpenOrders"
  | "userTrades"
  | "positionRisk"
  | "leverage"
  | "leverageBracket"
  | "marginType"
  | "positionMode"
  | "income";

export type PerpClient = RoutedClient<PerpRoute>;

const symbol = "BTCUSDT";
const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };

export interface PerpTripParts {
  readonly maker: PerpClient;
  readonly taker: PerpClient;
  /** The kind of key that the maker signs with. */
  readonly keys: string;
  readonly isCompat: boolean;
}

/** Runs the session: `maker` performs every step, and `taker` trades with the maker once. */
export async function tripPerp(run: ClientRun, parts: PerpTripParts): Promise<void> {
  await readMarkets(run, parts);
  const orderId = await placeAndFind(run, parts);
  await batch(run, parts);
  await trade(run, parts, orderId);
  await waitForPrices(run, parts);
  await cancel(run, parts, orderId);
}

async function readMarkets(run: ClientRun, parts: PerpTripParts): Promise<void> {
  const { maker, keys, isCompat } = parts;
  await run.step("markets", `${keys}: exchangeInfo lists ${symbol}`, async () => {
    await maker.send("ping");
    const { symbols } = await maker.send("exchangeInfo");
    const market = symbols.find((one: { symbol: string }) => one.symbol === symbol);
    assert.deepEqual(
      [market.status, market.pricePrecision, market.contractType],
      ["TRADING", 2, isCompat ? "PERPETUAL" : undefined],
    );
  });
  await run.step("balance", `${keys}: the collateral is listed`, async () => {
    const rows = await maker.send("balance");
    assert.deepEqual([rows.length, rows[0].asset], [1, isCompat ? "USDT" : "USDC"]);
    assert.ok(Number(rows[0].availableBalance) > 900_000);
    assert.ok(Number((await maker.send("account")).totalWalletBalance) > 900_000);
  });
  await run.step("leverage", `${keys}: leverage is set and has brackets`, async () => {
    const set = await maker.send("leverage", { symbol, leverage: 20 });
    assert.equal(Number(set.leverage), 20);
    if (!maker.has("leverageBracket")) return;
    const brackets = await maker.send("leverageBracket", { symbol });
    assert.equal((brackets[0] ?? brackets).brackets.length, 5);
  });
  await run.step("account settings", `${keys}: cross margin, one-way positions`, async () => {
    const { code, msg } = await maker.refused("marginType", { symbol, marginType: "CROSSED" });
    assert.deepEqual([Number(code), msg], [-4046, "No need to change margin type."]);
    assert.equal((await maker.send("positionMode")).dualSidePosition, false);
  });
}

/** Places a resting order, reads it by every route, amends it and returns its id. */
async function placeAndFind(run: ClientRun, parts: PerpTripParts): Promise<number> {
  const { maker, keys, isCompat } = parts;
  let orderId = 0;
  const sell = { ...limit, side: "SELL", quantity: 0.2, price: 60_000 };
  if (maker.has("testOrder") && isCompat) {
    await run.step("test order", `${keys}: an order that is only checked`, async () => {
      await maker.send("testOrder", sell);
    });
  }
  await run.step("place", `${keys}: LIMIT rests`, async () => {
    const placed = await maker.send("newOrder", sell);
    orderId = placed.orderId;
    assert.deepEqual([placed.status, Number(placed.origQty)], ["NEW", 0.2]);
  });
  await run.step("query", `${keys}: the order is found by its id`, async () => {
    const found = await maker.send("getOrder", { symbol, orderId });
    assert.deepEqual([found.orderId, found.status], [orderId, "NEW"]);
  });
  await run.step("open orders", `${keys}: the order is open`, async () => {
    const open = await maker.send("openOrders", { symbol });
    assert.deepEqual(
      open.map((one: { orderId: number }) => one.orderId),
      [orderId],
    );
  });
  await run.step(
    "amend or replace",
    `${keys}: price and quantity change, the id stays`,
    async () => {
      const change = { symbol, orderId, side: "SELL", quantity: 0.3, price: 60_100 };
      const amended = await maker.send("amendOrder", change);
      assert.deepEqual(
        [amended.orderId, Number(amended.price), Number(amended.origQty)],
        [orderId, 60_100, 0.3],
      );
    },
  );
  return orderId;
}

/**
 * Places and cancels a batch of orders. Clients send the list raw or URL-encoded, and the ids as numbers or as text.
 */
async function batch(run: ClientRun, { maker, keys }: PerpTripParts): Promise<void> {
  if (!maker.has("batchOrders")) return;
  await run.step("batch", `${keys}: orders and a refusal in one answer`, async () => {
    const buy = { ...limit, side: "BUY", quantity: "0.1" };
    const batchOrders = [
      { ...buy, price: "50000" },
      { ...buy, price: "50001" },
      { ...buy, price: "50001.001" },
    ];
    const placed = await maker.send("batchOrders", { batchOrders });
    assert.deepEqual(
      placed.map((one: { status?: string; code?: number }) => one.status ?? one.code),
      ["NEW", "NEW", -1111],
    );
    const orderIdList = [placed[0].orderId, placed[1].orderId];
    const cancelled = await maker.send("cancelBatchOrders", { symbol, orderIdList });
    assert.deepEqual(
      cancelled.map((one: { status: string }) => one.status),
      ["CANCELED", "CANCELED"],
    );
  });
}

async function trade(run: ClientRun, parts: PerpTripParts, orderId: number): Promise<void> {
  const { maker, taker, keys } = parts;
  await run.step("positions", `${keys}: a fill changes the position`, async () => {
    const before = await positionOf(maker);
    const order = { symbol, side: "BUY", type: "MARKET", quantity: 0.1 };
    const bought = await taker.send("newOrder", { ...order, newOrderRespType: "RESULT" });
    assert.deepEqual([bought.status, Number(bought.avgPrice)], ["FILLED", 60_100]);
    assert.equal((await positionOf(maker)).toFixed(3), (before - 0.1).toFixed(3));
  });
  await run.step("trades", `${keys}: the fill is listed with its fee`, async () => {
    const rows = await maker.send("userTrades", { symbol });
    const last = rows.at(-1);
    assert.deepEqual([last.orderId, last.maker, Number(last.qty)], [orderId, true, 0.1]);
    assert.ok(Number(last.commission) > 0);
    const income = await maker.send("income", { symbol, incomeType: "COMMISSION" });
    assert.ok(income.length > 0);
  });
  await run.step("order history", `${keys}: the order is part of the history`, async () => {
    const rows = await maker.send("allOrders", { symbol });
    const row = rows.find((one: { orderId: number }) => one.orderId === orderId);
    assert.deepEqual([row.status, Number(row.executedQty)], ["PARTIALLY_FILLED", 0.1]);
  });
  await run.step("klines", `${keys}: the newest candle closes at the fill's price`, async () => {
    const rows = await maker.send("klines", { symbol, interval: "1m", limit: 5 });
    const last = rows.at(-1);
    assert.equal(Number(last[4] ?? last.close), 60_100);
  });
  await run.step("market data", `${keys}: book, trades, ticker and mark`, async () => {
    assert.equal((await maker.send("depth", { symbol, limit: 5 })).asks.length, 1);
    assert.ok((await maker.send("trades", { symbol })).length > 0);
    assert.ok((await maker.send("aggTrades", { symbol })).length > 0);
    const ticker = await maker.send("ticker24hr", { symbol });
    assert.equal(Number((ticker[0] ?? ticker).lastPrice), 60_100);
    assert.ok(Number((await maker.send("premiumIndex", { symbol })).markPrice) > 0);
  });
}

async function positionOf(client: PerpClient): Promise<number> {
  const rows = await client.send("positionRisk", { symbol });
  const row = rows.find((one: { symbol: string }) => one.symbol === symbol);
  return Number(row?.positionAmt ?? 0);
}

/** Places conditional orders. Some clients send them to the order route, others to compat's algo routes. */
async function waitForPrices(run: ClientRun, { maker, keys, isCompat }: PerpTripParts) {
  const stop = { symbol, side: "SELL", type: "STOP_MARKET", quantity: 0.1 };
  if (maker.has("stopOrder")) {
    await run.step("conditional orders", `${keys}: STOP_MARKET waits for its price`, async () => {
      const waiting = await maker.send("stopOrder", { ...stop, stopPrice: 40_000 });
      const found = await maker.send("getOrder", { symbol, orderId: waiting.orderId });
      assert.deepEqual(
        [found.status, found.type, Number(found.stopPrice)],
        ["NEW", "STOP_MARKET", 40_000],
      );
    });
  }
  if (isCompat && maker.has("algoOrder")) {
    await run.step("conditional orders", `${keys}: an algo order waits for its price`, async () => {
      const algo = { ...stop, algoType: "CONDITIONAL", triggerPrice: 40_000 };
      const waiting = await maker.send("algoOrder", algo);
      assert.equal(waiting.algoStatus, "NEW");
    });
  }
}

async function cancel(run: ClientRun, parts: PerpTripParts, orderId: number): Promise<void> {
  const { maker, keys } = parts;
  await run.step("cancel", `${keys}: the order is cancelled`, async () => {
    const cancelled = await maker.send("cancelOrder", { symbol, orderId });
    assert.equal(cancelled.status, "CANCELED");
  });
  await run.step("cancel all", `${keys}: all open orders are cancelled at once`, async () => {
    await maker.send("newOrder", { ...limit, side: "SELL", quantity: 0.1, price: 61_000 });
    await maker.send("cancelAllOpenOrders", { symbol });
    assert.deepEqual(await maker.send("openOrders", { symbol }), []);
  });
}
