// The routes of the perpetual surface and the schemas that read them.

import { maybeListenKey } from "../streams/listen-key.ts";
import { maybeSymbol, noParameters, oneSymbol, orderQuery } from "./common.ts";
import type { Endpoint } from "./endpoint.ts";
import {
  fapiAggregates,
  fapiAlgoList,
  fapiAlgoOrder,
  fapiAlgoQuery,
  fapiAllOrders,
  fapiAmend,
  fapiAmendments,
  fapiBasis,
  fapiBatch,
  fapiBatchCancel,
  fapiContinuousKlines,
  fapiCountdown,
  fapiDepth,
  fapiDualSide,
  fapiForceOrders,
  fapiFundingRate,
  fapiHistoricalTrades,
  fapiIncome,
  fapiIndexKlines,
  fapiKlines,
  fapiLeverage,
  fapiMarginType,
  fapiMarketData,
  fapiMultiAssets,
  fapiOrder,
  fapiTrades,
  fapiUserTrades,
} from "./fapi.ts";

const balances: Endpoint = { parameters: noParameters, says: "Collateral of the account." };
const account: Endpoint = {
  parameters: noParameters,
  says: "Collateral, margin and positions of the account.",
};
const positions: Endpoint = { parameters: maybeSymbol, says: "Positions and their risk." };

export const fapiEndpoints: Readonly<Record<string, Endpoint>> = {
  "POST /fapi/v1/listenKey": {
    parameters: noParameters,
    says: "A listen key: whoever has it may listen to the account for an hour.",
  },
  "PUT /fapi/v1/listenKey": {
    parameters: maybeListenKey,
    says: "Lets the account's listen keys live an hour from now.",
  },
  "DELETE /fapi/v1/listenKey": {
    parameters: maybeListenKey,
    says: "Ends the account's listen keys.",
  },
  "GET /fapi/v1/ping": { parameters: noParameters, says: "Answers an empty object." },
  "GET /fapi/v1/time": { parameters: noParameters, says: "The venue's time." },
  "GET /fapi/v1/exchangeInfo": { parameters: noParameters, says: "The perpetual markets." },
  "GET /fapi/v1/klines": {
    parameters: fapiKlines,
    says: "Candles of the last intervals, those without a trade left out.",
  },
  "GET /fapi/v1/depth": { parameters: fapiDepth, says: "The best levels of a book." },
  "GET /fapi/v1/trades": { parameters: fapiTrades, says: "The newest trades of a market." },
  "GET /fapi/v1/historicalTrades": {
    parameters: fapiHistoricalTrades,
    says: "Trades of a market from an id on.",
  },
  "GET /fapi/v1/aggTrades": {
    parameters: fapiAggregates,
    says: "Trades of a market, those of one order at one price as one.",
  },
  "GET /fapi/v1/continuousKlines": {
    parameters: fapiContinuousKlines,
    says: "Candles of a contract, as klines.",
  },
  "GET /fapi/v1/markPriceKlines": { parameters: fapiKlines, says: "Candles of the mark." },
  "GET /fapi/v1/indexPriceKlines": { parameters: fapiIndexKlines, says: "Candles of the index." },
  "GET /fapi/v1/ticker/24hr": { parameters: maybeSymbol, says: "The last 24 hours." },
  "GET /fapi/v1/ticker/price": { parameters: maybeSymbol, says: "Last prices." },
  "GET /fapi/v2/ticker/price": { parameters: maybeSymbol, says: "Last prices." },
  "GET /fapi/v1/ticker/bookTicker": { parameters: maybeSymbol, says: "Best prices." },
  "GET /fapi/v1/premiumIndex": { parameters: maybeSymbol, says: "Mark price and funding." },
  "GET /fapi/v1/fundingRate": { parameters: fapiFundingRate, says: "Funding rates of the past." },
  "GET /fapi/v1/fundingInfo": { parameters: noParameters, says: "Funding terms by market." },
  "GET /fapi/v1/openInterest": { parameters: oneSymbol, says: "Open interest of a market." },
  "POST /fapi/v1/order": { parameters: fapiOrder, says: "Places an order." },
  "POST /fapi/v1/order/test": {
    parameters: fapiOrder,
    says: "Not offered on the documented path; on compat, checks an order without placing it.",
  },
  "POST /fapi/v1/algoOrder": { parameters: fapiAlgoOrder, says: "Places a conditional order." },
  "GET /fapi/v1/algoOrder": { parameters: fapiAlgoQuery, says: "One conditional order." },
  "DELETE /fapi/v1/algoOrder": { parameters: fapiAlgoQuery, says: "Cancels a conditional order." },
  "GET /fapi/v1/openAlgoOrders": {
    parameters: maybeSymbol,
    says: "The account's conditional orders that wait.",
  },
  "GET /fapi/v1/allAlgoOrders": {
    parameters: fapiAlgoList,
    says: "The account's conditional orders in a market.",
  },
  "DELETE /fapi/v1/algoOpenOrders": {
    parameters: oneSymbol,
    says: "Cancels the account's waiting orders in a market.",
  },
  "PUT /fapi/v1/order": {
    parameters: fapiAmend,
    says: "Changes price and quantity of an open limit order, which keeps its id.",
  },
  "POST /fapi/v1/batchOrders": { parameters: fapiBatch, says: "Places up to five orders." },
  "PUT /fapi/v1/batchOrders": { parameters: fapiBatch, says: "Changes up to five orders." },
  "DELETE /fapi/v1/batchOrders": {
    parameters: fapiBatchCancel,
    says: "Cancels up to ten orders of a market.",
  },
  "POST /fapi/v1/countdownCancelAll": {
    parameters: fapiCountdown,
    says: "Cancels everything in a market when the time is over, unless it is set anew.",
  },
  "GET /fapi/v1/order": { parameters: orderQuery, says: "One order of the account." },
  "DELETE /fapi/v1/order": { parameters: orderQuery, says: "Cancels one order." },
  "GET /fapi/v1/openOrder": { parameters: orderQuery, says: "One order, if it is open." },
  "GET /fapi/v1/openOrders": { parameters: maybeSymbol, says: "The account's open orders." },
  "DELETE /fapi/v1/allOpenOrders": {
    parameters: oneSymbol,
    says: "Cancels every open order of the account in a market.",
  },
  "GET /fapi/v1/allOrders": { parameters: fapiAllOrders, says: "Orders of the account." },
  "GET /fapi/v1/orderAmendment": {
    parameters: fapiAmendments,
    says: "What an order was amended from and to, newest first.",
  },
  "GET /fapi/v1/userTrades": { parameters: fapiUserTrades, says: "Fills of the account." },
  "GET /fapi/v1/income": { parameters: fapiIncome, says: "What changed the collateral, and why." },
  "GET /fapi/v1/premiumIndexKlines": {
    parameters: fapiKlines,
    says: "Candles of how far the mark is above the index, as funding samples it.",
  },
  "GET /futures/data/openInterestHist": {
    parameters: fapiMarketData,
    says: "How much was open at each turn of a period.",
  },
  "GET /futures/data/topLongShortAccountRatio": {
    parameters: fapiMarketData,
    says: "How many of the fifth of holders with the most equity were long, against those short.",
  },
  "GET /futures/data/topLongShortPositionRatio": {
    parameters: fapiMarketData,
    says: "How much that fifth held long, against what it held short.",
  },
  "GET /futures/data/globalLongShortAccountRatio": {
    parameters: fapiMarketData,
    says: "How many accounts were long, against those short.",
  },
  "GET /futures/data/takerlongshortRatio": {
    parameters: fapiMarketData,
    says: "What takers bought in each period, against what they sold.",
  },
  "GET /futures/data/basis": {
    parameters: fapiBasis,
    says: "How far the mark was above the index at each turn of a period.",
  },
  "GET /fapi/v1/forceOrders": {
    parameters: fapiForceOrders,
    says: "Orders by which positions of the account were liquidated.",
  },
  "GET /fapi/v1/rateLimit/order": { parameters: noParameters, says: "Order limits of the key." },
  "POST /fapi/v1/leverage": { parameters: fapiLeverage, says: "Sets the leverage of a market." },
  "POST /fapi/v1/marginType": {
    parameters: fapiMarginType,
    says: "Margin is crossed; asking for that says that nothing changed.",
  },
  "GET /fapi/v1/positionSide/dual": { parameters: noParameters, says: "Positions are one-way." },
  "POST /fapi/v1/positionSide/dual": {
    parameters: fapiDualSide,
    says: "Positions are one-way; asking for that says that nothing changed.",
  },
  "GET /fapi/v1/multiAssetsMargin": {
    parameters: noParameters,
    says: "Margin is in one asset.",
  },
  "POST /fapi/v1/multiAssetsMargin": {
    parameters: fapiMultiAssets,
    says: "Margin is in one asset; asking for that says that nothing changed.",
  },
  "GET /fapi/v1/leverageBracket": {
    parameters: maybeSymbol,
    says: "Maintenance tiers of the markets.",
  },
  "GET /fapi/v1/commissionRate": { parameters: oneSymbol, says: "The account's fees." },
  "GET /fapi/v1/accountConfig": { parameters: noParameters, says: "Rights of the account." },
  "GET /fapi/v1/symbolConfig": { parameters: maybeSymbol, says: "Leverage by market." },
  "GET /fapi/v1/adlQuantile": {
    parameters: maybeSymbol,
    says: "Place of the positions in the queue of auto-deleveraging.",
  },
  "GET /fapi/v1/apiTradingStatus": {
    parameters: maybeSymbol,
    says: "Trading restrictions of the account.",
  },
  "GET /fapi/v2/balance": balances,
  "GET /fapi/v3/balance": balances,
  "GET /fapi/v2/account": account,
  "GET /fapi/v3/account": account,
  "GET /fapi/v1/positionRisk": positions,
  "GET /fapi/v2/positionRisk": positions,
  "GET /fapi/v3/positionRisk": positions,
};
