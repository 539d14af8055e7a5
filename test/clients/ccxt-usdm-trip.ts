// Runs ccxt through a perpetual trader's session at the compat view, from loadMarkets to the last cancel, and checks
// the routes of each method (CNF-8).

import assert from "node:assert/strict";
import { MarginModeAlreadySet, OperationRejected, type Order } from "ccxt";
import { type CcxtClient, type Exchange, type RouteRow, walkRoutes } from "./ccxt-routes.ts";
import type { ClientRun } from "./client-run.ts";

const symbol = "BTC/USDT:USDT";
const v1 = "/fapi/v1";

interface Placed {
  id: string;
}

export async function tripCcxtUsdm(
  run: ClientRun,
  maker: CcxtClient,
  taker: CcxtClient,
  keys: string,
): Promise<void> {
  const placed: Placed = { id: "" };
  await taker.exchange.loadMarkets();
  await walkRoutes(run, maker, keys, [
    ...startRows(maker.exchange),
    ...settingRows(maker.exchange),
    ...orderRows(maker.exchange, placed),
    ...batchRows(maker.exchange),
    ...tradeRows(maker.exchange, taker.exchange),
    ...marketRows(maker.exchange),
    ...pricingRows(maker.exchange),
    ...endRows(maker.exchange, placed),
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
        `GET ${v1}/exchangeInfo`,
      ],
      act: async () => {
        const market = (await exchange.loadMarkets(true))[symbol];
        assert.deepEqual(
          [market?.id, market?.settle, market?.linear, market?.precision.amount],
          ["BTCUSDT", "USDT", true, 0.001],
        );
      },
    },
    {
      feature: "markets",
      name: "fetchTime",
      routes: [`GET ${v1}/time`],
      act: async () => {
        assert.ok(Math.abs(Number(await exchange.fetchTime()) - Date.now()) < 10_000);
      },
    },
    {
      feature: "balance",
      name: "fetchBalance, v3 and v2",
      routes: ["GET /fapi/v3/account", "GET /fapi/v2/account"],
      act: async () => {
        assert.ok(Number((await exchange.fetchBalance())["USDT"]?.free) > 900_000);
        const older = await exchange.fetchBalance({ useV2: true });
        assert.ok(Number(older["USDT"]?.free) > 900_000);
      },
    },
    {
      feature: "balance",
      name: "fetchTradingFee, fetchTradingFees",
      routes: [`GET ${v1}/commissionRate`, `GET ${v1}/accountConfig`],
      act: async () => {
        assert.equal((await exchange.fetchTradingFee(symbol)).taker, 0.0005);
        await exchange.fetchTradingFees();
      },
    },
  ];
}

function settingRows(exchange: Exchange): RouteRow[] {
  return [
    {
      feature: "leverage",
      name: "setLeverage, fetchLeverages",
      routes: [`POST ${v1}/leverage`, `GET ${v1}/leverageBracket`, `GET ${v1}/symbolConfig`],
      act: async () => {
        await exchange.setLeverage(20, symbol);
        const leverages = await exchange.fetchLeverages([symbol]);
        assert.equal(leverages[symbol]?.longLeverage, 20);
      },
    },
    {
      feature: "leverage",
      name: "fetchLeverageTiers",
      routes: [`GET ${v1}/leverageBracket`],
      act: async () => {
        assert.equal((await exchange.fetchLeverageTiers([symbol]))[symbol]?.length, 5);
      },
    },
    {
      feature: "account settings",
      name: "setMarginMode, setPositionMode, fetchPositionMode, fetchMarginModes",
      routes: [
        `POST ${v1}/marginType`,
        `POST ${v1}/positionSide/dual`,
        `GET ${v1}/positionSide/dual`,
        `GET ${v1}/symbolConfig`,
      ],
      act: async () => {
        await assert.rejects(exchange.setMarginMode("cross", symbol), MarginModeAlreadySet);
        await assert.rejects(exchange.setPositionMode(false), OperationRejected);
        assert.equal((await exchange.fetchPositionMode(symbol)).hedged, false);
        assert.equal((await exchange.fetchMarginModes([symbol]))[symbol]?.marginMode, "cross");
      },
    },
  ];
}

function orderRows(exchange: Exchange, placed: Placed): RouteRow[] {
  return [
    {
      feature: "test order",
      // On perpetuals, ccxt's createOrder ignores its `test` parameter and would place a real order.
      name: "fapiPrivatePostOrderTest",
      routes: [`POST ${v1}/order/test`],
      act: async () => {
        const order = { symbol: "BTCUSDT", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
        await exchange.fapiPrivatePostOrderTest({ ...order, quantity: "0.2", price: "60000" });
      },
    },
    {
      feature: "place",
      name: "createOrder, post-only",
      routes: [`POST ${v1}/order`],
      act: async () => {
        const parameters = { postOnly: true };
        const order = await exchange.createOrder(symbol, "limit", "sell", 0.2, 60_000, parameters);
        assert.equal(order.status, "open");
        placed.id = idOf(order);
      },
    },
    {
      feature: "query",
      name: "fetchOrder, fetchOpenOrder",
      routes: [`GET ${v1}/order`, `GET ${v1}/openOrder`],
      act: async () => {
        const found = await exchange.fetchOrder(placed.id, symbol);
        assert.deepEqual([found.status, found.amount, found.price], ["open", 0.2, 60_000]);
        assert.equal((await exchange.fetchOpenOrder(placed.id, symbol)).id, placed.id);
      },
    },
    {
      feature: "open orders",
      name: "fetchOpenOrders",
      routes: [`GET ${v1}/openOrders`],
      act: async () => {
        assert.deepEqual((await exchange.fetchOpenOrders(symbol)).map(idOf), [placed.id]);
      },
    },
    {
      feature: "amend or replace",
      name: "editOrder",
      routes: [`PUT ${v1}/order`],
      act: async () => {
        const edited = await exchange.editOrder(placed.id, symbol, "limit", "sell", 0.3, 60_100);
        assert.deepEqual([edited.id, edited.amount, edited.price], [placed.id, 0.3, 60_100]);
      },
    },
    {
      feature: "conditional orders",
      name: "createOrder with a trigger price, found and cancelled",
      routes: [`POST ${v1}/algoOrder`, `GET ${v1}/algoOrder`, `DELETE ${v1}/algoOrder`],
      act: async () => {
        const parameters = { triggerPrice: 40_000 };
        const stop = await exchange.createOrder(symbol, "market", "sell", 0.1, undefined, {
          ...parameters,
          reduceOnly: false,
        });
        const found = await exchange.fetchOrder(idOf(stop), symbol, { trigger: true });
        assert.deepEqual([found.status, found.triggerPrice], ["open", 40_000]);
        await exchange.cancelOrder(idOf(stop), symbol, { trigger: true });
      },
    },
  ];
}

function batchRows(exchange: Exchange): RouteRow[] {
  return [
    {
      feature: "batch",
      name: "createOrders, cancelOrders",
      routes: [`POST ${v1}/batchOrders`, `DELETE ${v1}/batchOrders`],
      act: async () => {
        const order = { symbol, type: "limit" as const, side: "buy" as const, amount: 0.1 };
        const placed = await exchange.createOrders([
          { ...order, price: 50_000 },
          { ...order, price: 50_001 },
        ]);
        assert.deepEqual(
          placed.map(({ status }) => status),
          ["open", "open"],
        );
        const cancelled = await exchange.cancelOrders(placed.map(idOf), symbol);
        assert.deepEqual(
          cancelled.map(({ status }) => status),
          ["canceled", "canceled"],
        );
      },
    },
  ];
}

function tradeRows(maker: Exchange, taker: Exchange): RouteRow[] {
  return [
    {
      feature: "positions",
      name: "fetchPositions",
      routes: ["GET /fapi/v3/positionRisk", "GET /fapi/v3/positionRisk"],
      act: async () => {
        const before = await positionOf(maker);
        const bought = await taker.createOrder(symbol, "market", "buy", 0.1);
        assert.deepEqual([bought.status, bought.filled, bought.average], ["closed", 0.1, 60_100]);
        assert.equal((await positionOf(maker)).toFixed(3), (before - 0.1).toFixed(3));
      },
    },
    {
      feature: "trades",
      name: "fetchMyTrades",
      routes: [`GET ${v1}/userTrades`],
      act: async () => {
        const trade = (await maker.fetchMyTrades(symbol)).at(-1);
        assert.deepEqual([trade?.takerOrMaker, trade?.amount], ["maker", 0.1]);
        assert.equal(trade?.fee?.currency, "USDT");
      },
    },
    {
      feature: "trades",
      name: "fetchLedger, fetchFundingHistory",
      routes: [`GET ${v1}/income`, `GET ${v1}/income`],
      act: async () => {
        assert.ok((await maker.fetchLedger()).length > 0);
        assert.deepEqual(await maker.fetchFundingHistory(symbol), []);
      },
    },
    {
      feature: "order history",
      name: "fetchOrders, fetchClosedOrders",
      routes: [`GET ${v1}/allOrders`, `GET ${v1}/allOrders`],
      act: async () => {
        assert.ok((await maker.fetchOrders(symbol)).length > 1);
        await maker.fetchClosedOrders(symbol);
      },
    },
  ];
}

async function positionOf(exchange: Exchange): Promise<number> {
  const [position] = await exchange.fetchPositions([symbol]);
  const amount = position?.contracts ?? 0;
  return position?.side === "short" ? -amount : amount;
}

function marketRows(exchange: Exchange): RouteRow[] {
  return [
    {
      feature: "klines",
      name: "fetchOHLCV",
      routes: [`GET ${v1}/klines`],
      act: async () => {
        assert.equal((await exchange.fetchOHLCV(symbol, "1m")).at(-1)?.[4], 60_100);
      },
    },
    {
      feature: "market data",
      name: "fetchOrderBook, fetchTrades",
      routes: [`GET ${v1}/depth`, `GET ${v1}/aggTrades`],
      act: async () => {
        assert.deepEqual((await exchange.fetchOrderBook(symbol)).asks, [[60_100, 0.2]]);
        assert.ok((await exchange.fetchTrades(symbol)).length > 0);
      },
    },
    {
      feature: "market data",
      name: "fetchTicker, fetchTickers, fetchBidsAsks, fetchLastPrices",
      routes: [
        `GET ${v1}/ticker/24hr`,
        `GET ${v1}/ticker/24hr`,
        `GET ${v1}/ticker/bookTicker`,
        "GET /fapi/v2/ticker/price",
      ],
      act: async () => {
        assert.equal((await exchange.fetchTicker(symbol)).last, 60_100);
        assert.ok(symbol in (await exchange.fetchTickers()));
        assert.equal((await exchange.fetchBidsAsks([symbol]))[symbol]?.ask, 60_100);
        assert.equal((await exchange.fetchLastPrices([symbol]))[symbol]?.price, 60_100);
      },
    },
  ];
}

function pricingRows(exchange: Exchange): RouteRow[] {
  return [
    {
      feature: "market data",
      name: "fetchFundingRate, fetchFundingRates, fetchMarkPrice",
      routes: [`GET ${v1}/premiumIndex`, `GET ${v1}/premiumIndex`, `GET ${v1}/premiumIndex`],
      act: async () => {
        assert.equal((await exchange.fetchFundingRate(symbol)).symbol, symbol);
        assert.ok(symbol in (await exchange.fetchFundingRates()));
        assert.ok(Number((await exchange.fetchMarkPrice(symbol)).markPrice) > 0);
      },
    },
    {
      feature: "market data",
      name: "fetchFundingRateHistory, fetchFundingIntervals, fetchOpenInterest",
      routes: [`GET ${v1}/fundingRate`, `GET ${v1}/fundingInfo`, `GET ${v1}/openInterest`],
      act: async () => {
        assert.deepEqual(await exchange.fetchFundingRateHistory(symbol), []);
        assert.equal((await exchange.fetchFundingIntervals([symbol]))[symbol]?.interval, "8h");
        await exchange.fetchOpenInterest(symbol);
      },
    },
  ];
}

function endRows(exchange: Exchange, placed: Placed): RouteRow[] {
  return [
    {
      feature: "cancel",
      name: "cancelOrder",
      routes: [`DELETE ${v1}/order`],
      act: async () => {
        assert.equal((await exchange.cancelOrder(placed.id, symbol)).status, "canceled");
      },
    },
    {
      feature: "cancel all",
      name: "cancelAllOrders",
      routes: [`POST ${v1}/order`, `DELETE ${v1}/allOpenOrders`, `GET ${v1}/openOrders`],
      act: async () => {
        await exchange.createOrder(symbol, "limit", "sell", 0.1, 61_000);
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
