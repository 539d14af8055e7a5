// Runs ccxt through a spot trader's session, from loadMarkets to the last cancel, and checks the routes of each
// method (CNF-7).

import assert from "node:assert/strict";
import type { Order } from "ccxt";
import { type CcxtClient, type Exchange, type RouteRow, walkRoutes } from "./ccxt-routes.ts";
import type { ClientRun } from "./client-run.ts";

const symbol = "CC/USDC";
const api = "/api/v3";

/** The order that one row placed and later rows read or change. */
interface Placed {
  id: string;
}

export async function tripCcxtSpot(
  run: ClientRun,
  maker: CcxtClient,
  taker: CcxtClient,
  keys: string,
): Promise<void> {
  const placed: Placed = { id: "" };
  await taker.exchange.loadMarkets();
  await walkRoutes(run, maker, keys, [
    ...startRows(maker.exchange),
    ...orderRows(maker.exchange, placed),
    ...tradeRows(maker.exchange, taker.exchange, placed),
    ...marketRows(maker.exchange),
    ...endRows(maker.exchange, placed),
  ]);
}

/** Runs ccxt without a key: it can only read market data. */
export async function tripCcxtWithoutKey(run: ClientRun, client: CcxtClient): Promise<void> {
  await walkRoutes(run, client, "no key", [
    {
      feature: "markets",
      name: "loadMarkets",
      routes: [`GET ${api}/exchangeInfo`],
      act: async () => {
        await client.exchange.loadMarkets();
      },
    },
    {
      feature: "market data",
      name: "fetchOrderBook",
      routes: [`GET ${api}/depth`],
      act: async () => {
        await client.exchange.fetchOrderBook(symbol);
      },
    },
  ]);
}

function startRows(exchange: Exchange): RouteRow[] {
  return [
    {
      feature: "markets",
      name: "loadMarkets, with all routes that it requests by itself",
      routes: [
        "GET /sapi/v1/capital/config/getall",
        "GET /sapi/v1/margin/allPairs",
        `GET ${api}/exchangeInfo`,
        "GET /sapi/v1/margin/allPairs",
        "GET /sapi/v1/margin/isolated/allPairs",
      ],
      act: async () => {
        const market = (await exchange.loadMarkets(true))[symbol];
        assert.deepEqual(
          [market?.id, market?.precision.price, market?.limits.cost?.min],
          ["CC-USDC", 0.0001, 10],
        );
      },
    },
    {
      feature: "markets",
      name: "fetchTime, fetchStatus",
      routes: [`GET ${api}/time`, "GET /sapi/v1/system/status"],
      act: async () => {
        assert.ok(Math.abs(Number(await exchange.fetchTime()) - Date.now()) < 10_000);
        assert.equal((await exchange.fetchStatus())["status"], "ok");
      },
    },
    {
      feature: "balance",
      name: "fetchBalance",
      routes: [`GET ${api}/account`],
      act: async () => {
        const balance = await exchange.fetchBalance();
        assert.ok(Number(balance["USDC"]?.free) > 900_000);
      },
    },
    {
      feature: "balance",
      name: "fetchTradingFee, fetchTradingFees",
      routes: ["GET /sapi/v1/asset/tradeFee", "GET /sapi/v1/asset/tradeFee"],
      act: async () => {
        assert.equal((await exchange.fetchTradingFee(symbol)).taker, 0.001);
        assert.equal((await exchange.fetchTradingFees())[symbol]?.maker, 0.0004);
      },
    },
  ];
}

function orderRows(exchange: Exchange, placed: Placed): RouteRow[] {
  return [
    {
      feature: "test order",
      name: "createOrder with test",
      routes: [`POST ${api}/order/test`],
      act: async () => {
        await exchange.createOrder(symbol, "limit", "sell", 500, 0.15, { test: true });
      },
    },
    {
      feature: "place",
      name: "createOrder, post-only",
      routes: [`POST ${api}/order`],
      act: async () => {
        const order = await exchange.createOrder(symbol, "limit", "sell", 500, 0.15, {
          postOnly: true,
        });
        assert.equal(order.status, "open");
        placed.id = idOf(order);
      },
    },
    {
      feature: "query",
      name: "fetchOrder",
      routes: [`GET ${api}/order`],
      act: async () => {
        const found = await exchange.fetchOrder(placed.id, symbol);
        assert.deepEqual([found.status, found.amount, found.price], ["open", 500, 0.15]);
      },
    },
    {
      feature: "open orders",
      name: "fetchOpenOrders",
      routes: [`GET ${api}/openOrders`],
      act: async () => {
        assert.deepEqual((await exchange.fetchOpenOrders(symbol)).map(idOf), [placed.id]);
      },
    },
    {
      feature: "amend or replace",
      name: "editOrder",
      routes: [`POST ${api}/order/cancelReplace`],
      act: async () => {
        const edited = await exchange.editOrder(placed.id, symbol, "limit", "sell", 400, 0.16);
        assert.deepEqual([edited.status, edited.amount, edited.price], ["open", 400, 0.16]);
        placed.id = idOf(edited);
      },
    },
    {
      feature: "conditional orders",
      name: "createOrder with a trigger price",
      routes: [`POST ${api}/order`, `GET ${api}/order`, `DELETE ${api}/order`],
      act: async () => {
        const parameters = { triggerPrice: 0.12 };
        const stop = await exchange.createOrder(symbol, "limit", "sell", 200, 0.11, parameters);
        const found = await exchange.fetchOrder(idOf(stop), symbol);
        assert.deepEqual([found.status, found.triggerPrice], ["open", 0.12]);
        await exchange.cancelOrder(idOf(stop), symbol);
      },
    },
    {
      feature: "place",
      name: "the client's own calls of order lists",
      routes: [
        `POST ${api}/orderList/oco`,
        `GET ${api}/openOrderList`,
        `GET ${api}/orderList`,
        `DELETE ${api}/orderList`,
      ],
      act: async () => {
        const terms = { symbol: "CC-USDC", side: "SELL", quantity: "200" };
        const above = { aboveType: "LIMIT_MAKER", abovePrice: "0.4000" };
        const below = { belowType: "STOP_LOSS", belowStopPrice: "0.0600" };
        const ask = (method: string, path: string, parameters: object) =>
          exchange.request(path, "private", method, parameters);
        const placed = await ask("POST", "orderList/oco", { ...terms, ...above, ...below });
        const { orderListId } = placed;
        assert.equal((await ask("GET", "openOrderList", {})).length, 1);
        const found = await ask("GET", "orderList", { orderListId });
        assert.equal(found.listOrderStatus, "EXECUTING");
        const one = { symbol: "CC-USDC", orderListId };
        assert.equal((await ask("DELETE", "orderList", one)).listOrderStatus, "ALL_DONE");
      },
    },
  ];
}

function tradeRows(maker: Exchange, taker: Exchange, placed: Placed): RouteRow[] {
  return [
    {
      feature: "trades",
      name: "fetchMyTrades, fetchOrderTrades",
      routes: [`GET ${api}/myTrades`, `GET ${api}/myTrades`],
      act: async () => {
        const bought = await taker.createOrder(symbol, "market", "buy", 100);
        assert.deepEqual([bought.status, bought.filled, bought.average], ["closed", 100, 0.16]);
        const trade = (await maker.fetchMyTrades(symbol)).at(-1);
        assert.deepEqual([trade?.takerOrMaker, trade?.amount], ["maker", 100]);
        assert.equal(trade?.fee?.currency, "USDC");
        assert.equal((await maker.fetchOrderTrades(placed.id, symbol)).length, 1);
      },
    },
    {
      feature: "place",
      name: "createMarketBuyOrderWithCost",
      routes: [`DELETE ${api}/openOrders`, `POST ${api}/order`, `POST ${api}/order`],
      act: async () => {
        await maker.cancelAllOrders(symbol);
        await taker.createOrder(symbol, "limit", "sell", 200, 0.16);
        const requested = maker.createMarketBuyOrderWithCost(symbol, 16);
        assert.equal((await requested).filled, 100);
        await taker.cancelAllOrders(symbol);
        const order = await maker.createOrder(symbol, "limit", "sell", 300, 0.16);
        placed.id = idOf(order);
      },
    },
    {
      feature: "order history",
      name: "fetchOrders, fetchClosedOrders",
      routes: [`GET ${api}/allOrders`, `GET ${api}/allOrders`],
      act: async () => {
        assert.ok((await maker.fetchOrders(symbol)).length > 1);
        assert.ok((await maker.fetchClosedOrders(symbol)).length > 0);
      },
    },
  ];
}

function marketRows(exchange: Exchange): RouteRow[] {
  return [
    {
      feature: "klines",
      name: "fetchOHLCV",
      routes: [`GET ${api}/klines`],
      act: async () => {
        assert.equal((await exchange.fetchOHLCV(symbol, "1m")).at(-1)?.[4], 0.16);
      },
    },
    {
      feature: "market data",
      name: "fetchOrderBook, fetchTrades",
      routes: [`GET ${api}/depth`, `GET ${api}/aggTrades`],
      act: async () => {
        assert.deepEqual((await exchange.fetchOrderBook(symbol)).asks, [[0.16, 300]]);
        assert.ok((await exchange.fetchTrades(symbol)).length > 0);
      },
    },
    {
      feature: "market data",
      name: "fetchTicker, fetchTickers, fetchBidsAsks, fetchLastPrices",
      routes: [
        `GET ${api}/ticker/24hr`,
        `GET ${api}/ticker/24hr`,
        `GET ${api}/ticker/24hr`,
        `GET ${api}/ticker/bookTicker`,
        `GET ${api}/ticker/price`,
      ],
      act: async () => {
        assert.equal((await exchange.fetchTicker(symbol)).last, 0.16);
        assert.equal((await exchange.fetchTickers([symbol]))[symbol]?.ask, 0.16);
        assert.ok(symbol in (await exchange.fetchTickers()));
        assert.equal((await exchange.fetchBidsAsks([symbol]))[symbol]?.ask, 0.16);
        assert.equal((await exchange.fetchLastPrices([symbol]))[symbol]?.price, 0.16);
      },
    },
  ];
}

function endRows(exchange: Exchange, placed: Placed): RouteRow[] {
  return [
    {
      feature: "cancel",
      name: "cancelOrder",
      routes: [`DELETE ${api}/order`],
      act: async () => {
        assert.equal((await exchange.cancelOrder(placed.id, symbol)).status, "canceled");
      },
    },
    {
      feature: "cancel all",
      name: "cancelAllOrders",
      routes: [`POST ${api}/order`, `DELETE ${api}/openOrders`, `GET ${api}/openOrders`],
      act: async () => {
        await exchange.createOrder(symbol, "limit", "sell", 500, 0.17);
        await exchange.cancelAllOrders(symbol);
        assert.deepEqual(await exchange.fetchOpenOrders(symbol), []);
      },
    },
  ];
}

function idOf({ id }: Order): string {
  assert.ok(typeof id === "string" && id !== "");
  return id;
}
