// What each endpoint costs of the weight limit. Binance's figures of its 1200-a-minute era, except
// where the specification gives its own (exchangeInfo 10, klines 5); binance-compat 2.7, column A.
// Routes named in no table weigh what their nearest kin there weighs. Spec LIM-5.

import type { RequestParameters } from "./request-parameters.ts";

/** Request weight, or how it follows from the parameters; bad texts count as the standard case. */
export type Weight = number | ((parameters: RequestParameters) => number);

/** Upper bounds, ascending, with what costs up to them. */
type Steps = readonly (readonly [limitMax: number, weight: number])[];

function stepWeight(limit: number, steps: Steps): number {
  for (const [limitMax, weight] of steps) if (limit <= limitMax) return weight;
  return steps.at(-1)?.[1] ?? 1;
}

const spotDepthSteps: Steps = [
  [100, 1],
  [500, 5],
  [1000, 10],
  [5000, 50],
];

const fapiDepthSteps: Steps = [
  [50, 2],
  [100, 5],
  [500, 10],
  [1000, 20],
];

const symbolsSteps: Steps = [
  [20, 1],
  [100, 20],
  [Number.POSITIVE_INFINITY, 40],
];

/** Spot depth by number of levels. */
export function spotDepthWeight(limit: number): number {
  return stepWeight(limit, spotDepthSteps);
}

/** FAPI depth by number of levels. */
function fapiDepthWeight(limit: number): number {
  return stepWeight(limit, fapiDepthSteps);
}

function limitOf(parameters: RequestParameters, standard: number): number {
  const limit = Number(parameters.get("limit") ?? standard);
  return Number.isNaN(limit) ? standard : limit;
}

function bySymbol(one: number, all: number): Weight {
  return (parameters) => (parameters.get("symbol") === undefined ? all : one);
}

/** 24 h statistics on spot: up to 20 symbols 1, up to 100 20, more or all 40. */
function spotDayWeight(parameters: RequestParameters): number {
  if (parameters.get("symbol") !== undefined) return 1;
  const symbols = parameters.get("symbols");
  // Commas of the JSON list: whether its entries are symbols is the route's business.
  const count = symbols === undefined ? Number.POSITIVE_INFINITY : symbols.split(",").length;
  return stepWeight(count, symbolsSteps);
}

/** Weight by route, "<METHOD> <path>", for both views. */
export const endpointWeights = {
  "GET /api/v3/ping": 1,
  "GET /api/v3/time": 1,
  "GET /api/v3/exchangeInfo": 10,
  "GET /api/v3/depth": (parameters: RequestParameters) => spotDepthWeight(limitOf(parameters, 100)),
  "GET /api/v3/trades": 1,
  "GET /api/v1/trades": 1,
  "GET /api/v3/historicalTrades": 5,
  "GET /api/v3/aggTrades": 1,
  "GET /api/v3/klines": 1,
  "GET /api/v3/uiKlines": 1,
  "GET /api/v3/avgPrice": 1,
  "GET /api/v3/ticker/24hr": spotDayWeight,
  "GET /api/v3/ticker/price": bySymbol(1, 2),
  "GET /api/v3/ticker/bookTicker": bySymbol(1, 2),
  "GET /api/v3/ticker": spotDayWeight,
  "GET /api/v3/ticker/tradingDay": spotDayWeight,
  "POST /api/v3/order": 1,
  "POST /api/v3/order/test": 1,
  "POST /api/v3/order/cancelReplace": 1,
  "PUT /api/v3/order/amend/keepPriority": 1,
  "GET /api/v3/order": 2,
  "DELETE /api/v3/order": 1,
  "GET /api/v3/openOrders": bySymbol(3, 40),
  "DELETE /api/v3/openOrders": 1,
  "GET /api/v3/allOrders": 10,
  "GET /api/v3/order/amendments": 2,
  "GET /api/v3/openOrderList": 3,
  "GET /api/v3/allOrderList": 10,
  "GET /api/v3/myPreventedMatches": (parameters: RequestParameters) =>
    parameters.get("orderId") === undefined ? 1 : 10,
  "GET /api/v3/myAllocations": 10,
  "GET /api/v3/account": 10,
  "GET /api/v3/account/commission": 10,
  "GET /api/v3/myTrades": 10,
  "GET /api/v3/rateLimit/order": 20,
  "POST /api/v3/userDataStream": 1,
  "PUT /api/v3/userDataStream": 1,
  "DELETE /api/v3/userDataStream": 1,
  "GET /fapi/v1/ping": 1,
  "GET /fapi/v1/time": 1,
  "GET /fapi/v1/exchangeInfo": 10,
  "GET /fapi/v1/depth": (parameters: RequestParameters) =>
    fapiDepthWeight(limitOf(parameters, 500)),
  "GET /fapi/v1/trades": 5,
  "GET /fapi/v1/historicalTrades": 20,
  "GET /fapi/v1/aggTrades": 20,
  "GET /fapi/v1/klines": 5,
  "GET /fapi/v1/continuousKlines": 5,
  "GET /fapi/v1/markPriceKlines": 5,
  "GET /fapi/v1/indexPriceKlines": 5,
  "GET /fapi/v1/premiumIndexKlines": 5,
  "GET /futures/data/openInterestHist": 1,
  "GET /futures/data/topLongShortAccountRatio": 1,
  "GET /futures/data/topLongShortPositionRatio": 1,
  "GET /futures/data/globalLongShortAccountRatio": 1,
  "GET /futures/data/takerlongshortRatio": 1,
  "GET /futures/data/basis": 1,
  "GET /fapi/v1/premiumIndex": bySymbol(1, 10),
  "GET /fapi/v1/fundingRate": 1,
  "GET /fapi/v1/fundingInfo": 1,
  "GET /fapi/v1/ticker/24hr": bySymbol(1, 40),
  "GET /fapi/v1/ticker/price": bySymbol(1, 2),
  "GET /fapi/v2/ticker/price": bySymbol(1, 2),
  "GET /fapi/v1/ticker/bookTicker": bySymbol(2, 5),
  "GET /fapi/v1/openInterest": 1,
  "POST /fapi/v1/order": 1,
  "POST /fapi/v1/order/test": 1,
  "PUT /fapi/v1/order": 1,
  "GET /fapi/v1/order": 1,
  "DELETE /fapi/v1/order": 1,
  "GET /fapi/v1/openOrder": 1,
  "GET /fapi/v1/openOrders": bySymbol(1, 40),
  "DELETE /fapi/v1/allOpenOrders": 1,
  "POST /fapi/v1/countdownCancelAll": 10,
  "GET /fapi/v1/allOrders": 5,
  "GET /fapi/v1/orderAmendment": 1,
  "POST /fapi/v1/batchOrders": 5,
  "PUT /fapi/v1/batchOrders": 5,
  "DELETE /fapi/v1/batchOrders": 1,
  "POST /fapi/v1/algoOrder": 1,
  "DELETE /fapi/v1/algoOrder": 1,
  "GET /fapi/v1/algoOrder": 1,
  "GET /fapi/v1/openAlgoOrders": bySymbol(1, 40),
  "GET /fapi/v1/allAlgoOrders": 5,
  "DELETE /fapi/v1/algoOpenOrders": 1,
  "GET /fapi/v1/rateLimit/order": 1,
  "POST /fapi/v1/leverage": 1,
  "POST /fapi/v1/marginType": 1,
  "GET /fapi/v1/positionSide/dual": 5,
  "POST /fapi/v1/positionSide/dual": 1,
  "GET /fapi/v1/multiAssetsMargin": 5,
  "POST /fapi/v1/multiAssetsMargin": 1,
  "GET /fapi/v1/leverageBracket": 1,
  "GET /fapi/v1/commissionRate": 20,
  "GET /fapi/v1/accountConfig": 5,
  "GET /fapi/v1/symbolConfig": 5,
  "GET /fapi/v1/userTrades": 5,
  "GET /fapi/v1/income": 30,
  "GET /fapi/v2/balance": 5,
  "GET /fapi/v3/balance": 5,
  "GET /fapi/v2/account": 5,
  "GET /fapi/v3/account": 5,
  "GET /fapi/v2/positionRisk": 5,
  "GET /fapi/v3/positionRisk": 5,
  "GET /fapi/v1/positionRisk": 5,
  "GET /fapi/v1/adlQuantile": 5,
  "GET /fapi/v1/apiTradingStatus": bySymbol(1, 10),
  "GET /fapi/v1/forceOrders": bySymbol(20, 50),
  "POST /fapi/v1/listenKey": 1,
  "PUT /fapi/v1/listenKey": 1,
  "DELETE /fapi/v1/listenKey": 1,
  "GET /openapi.json": 1,
  "GET /asyncapi.json": 1,
  "GET /sapi/v1/capital/config/getall": 1,
  "GET /sapi/v1/margin/allPairs": 1,
  "GET /sapi/v1/margin/isolated/allPairs": 1,
  "GET /sapi/v1/system/status": 1,
  "GET /sapi/v1/asset/tradeFee": 1,
  "GET /sapi/v1/asset/assetDetail": 1,
  "GET /sapi/v1/account/apiRestrictions": 1,
  "GET /sapi/v1/capital/deposit/address": 10,
  "GET /sapi/v1/capital/deposit/hisrec": 10,
  "GET /sapi/v1/capital/withdraw/history": 10,
  "POST /sapi/v1/asset/transfer": 1,
  "GET /sapi/v1/asset/transfer": 10,
  "POST /sapi/v1/futures/transfer": 1,
  "GET /sapi/v1/futures/transfer": 10,
  "GET /dapi/v1/exchangeInfo": 1,
} as const satisfies Readonly<Record<string, Weight>>;
