// The routes of the spot surface and the schemas that read them.

import { listenKeyQuery } from "../streams/listen-key.ts";
import { maybeSymbol, noParameters, oneSymbol, orderQuery } from "./common.ts";
import type { Endpoint } from "./endpoint.ts";
import {
  spotAccount,
  spotAggTrades,
  spotAllOrders,
  spotAmend,
  spotAmendments,
  spotCancel,
  spotCancelReplace,
  spotDayTicker,
  spotDepth,
  spotExchangeInfo,
  spotHistoricalTrades,
  spotKlines,
  spotMyTrades,
  spotOrder,
  spotOrderTest,
  spotPreventedMatches,
  spotSymbols,
  spotTrades,
  spotTradingDay,
  spotWindowTicker,
} from "./spot.ts";

export const spotEndpoints: Readonly<Record<string, Endpoint>> = {
  "POST /api/v3/userDataStream": {
    parameters: noParameters,
    says: "A listen key: whoever has it may listen to the account for an hour.",
  },
  "PUT /api/v3/userDataStream": {
    parameters: listenKeyQuery,
    says: "Lets a listen key live an hour from now.",
  },
  "DELETE /api/v3/userDataStream": { parameters: listenKeyQuery, says: "Ends a listen key." },
  "GET /api/v3/ping": { parameters: noParameters, says: "Answers an empty object." },
  "GET /api/v3/time": { parameters: noParameters, says: "The venue's time." },
  "GET /api/v3/exchangeInfo": {
    parameters: spotExchangeInfo,
    says: "Spot markets with their filters, and the limits that are enforced.",
  },
  "GET /api/v3/depth": { parameters: spotDepth, says: "The best levels of a book." },
  "GET /api/v3/trades": { parameters: spotTrades, says: "The newest trades of a market." },
  "GET /api/v1/trades": {
    parameters: spotTrades,
    says: "The newest trades of a market, where go-binance asks for them.",
  },
  "GET /api/v3/historicalTrades": {
    parameters: spotHistoricalTrades,
    says: "Trades of a market from an id on.",
  },
  "GET /api/v3/aggTrades": {
    parameters: spotAggTrades,
    says: "Trades of a market, those of one order at one price as one row.",
  },
  "GET /api/v3/klines": { parameters: spotKlines, says: "Candles of a market." },
  "GET /api/v3/uiKlines": { parameters: spotKlines, says: "Candles of a market." },
  "GET /api/v3/avgPrice": { parameters: oneSymbol, says: "Average price of the last minutes." },
  "GET /api/v3/ticker": { parameters: spotWindowTicker, says: "Statistics of a rolling window." },
  "GET /api/v3/ticker/24hr": {
    parameters: spotDayTicker,
    says: "Statistics of the last 24 hours.",
  },
  "GET /api/v3/ticker/tradingDay": { parameters: spotTradingDay, says: "Statistics of the day." },
  "GET /api/v3/ticker/price": { parameters: spotSymbols, says: "Last prices." },
  "GET /api/v3/ticker/bookTicker": { parameters: spotSymbols, says: "Best prices." },
  "POST /api/v3/order": { parameters: spotOrder, says: "Places an order." },
  "POST /api/v3/order/test": {
    parameters: spotOrderTest,
    says: "Checks an order and places none.",
  },
  "POST /api/v3/order/cancelReplace": {
    parameters: spotCancelReplace,
    says: "Cancels one order and places another.",
  },
  "PUT /api/v3/order/amend/keepPriority": {
    parameters: spotAmend,
    says: "Takes some of the quantity off an order, which keeps its place in the queue.",
  },
  "GET /api/v3/order": { parameters: orderQuery, says: "One order of the account." },
  "DELETE /api/v3/order": { parameters: spotCancel, says: "Cancels one order." },
  "GET /api/v3/openOrders": { parameters: maybeSymbol, says: "The account's open orders." },
  "DELETE /api/v3/openOrders": {
    parameters: oneSymbol,
    says: "Cancels every open order of the account in a market.",
  },
  "GET /api/v3/allOrders": {
    parameters: spotAllOrders,
    says: "The account's orders in a market, open and closed.",
  },
  "GET /api/v3/order/amendments": {
    parameters: spotAmendments,
    says: "What an order was amended from and to, oldest first.",
  },
  "GET /api/v3/openOrderList": { parameters: noParameters, says: "Empty: no order lists." },
  "GET /api/v3/allOrderList": { parameters: noParameters, says: "Empty: no order lists." },
  "GET /api/v3/myPreventedMatches": {
    parameters: spotPreventedMatches,
    says: "Matches that self-trade prevention kept from being trades.",
  },
  "GET /api/v3/myAllocations": {
    parameters: oneSymbol,
    says: "Empty: orders are not routed to other books.",
  },
  "GET /api/v3/account/commission": { parameters: oneSymbol, says: "What trading costs." },
  "GET /api/v3/rateLimit/order": {
    parameters: noParameters,
    says: "How many orders the key has placed, and how many it may.",
  },
  "GET /api/v3/account": { parameters: spotAccount, says: "Balances and rights of the account." },
  "GET /api/v3/myTrades": {
    parameters: spotMyTrades,
    says: "The account's fills in a market, with the state of their settlement.",
  },
};
