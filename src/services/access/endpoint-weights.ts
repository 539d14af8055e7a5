// What each endpoint costs of the weight limit. Binance's figures of its 1200-a-minute era, except
// where the specification gives its own (exchangeInfo 10, klines 5); binance-compat 2.7, column A.

/** Weight by route, "<METHOD> <path>"; routes that depend on their parameters have functions below. */
export const endpointWeights = {
  "GET /api/v3/ping": 1,
  "GET /api/v3/time": 1,
  "GET /api/v3/exchangeInfo": 10,
  "GET /api/v3/trades": 1,
  "POST /api/v3/order": 1,
  "GET /api/v3/order": 2,
  "DELETE /api/v3/order": 1,
  "DELETE /api/v3/openOrders": 1,
  "GET /api/v3/account": 10,
  "GET /api/v3/myTrades": 10,
  "GET /fapi/v1/ping": 1,
  "GET /fapi/v1/time": 1,
  "GET /fapi/v1/exchangeInfo": 10,
  "GET /fapi/v1/klines": 5,
  "POST /fapi/v1/order": 1,
  "POST /fapi/v1/order/test": 1,
  "GET /fapi/v1/order": 1,
  "DELETE /fapi/v1/order": 1,
  "GET /fapi/v1/openOrder": 1,
  "DELETE /fapi/v1/allOpenOrders": 1,
  "POST /fapi/v1/leverage": 1,
  "POST /fapi/v1/marginType": 1,
  "GET /fapi/v1/positionSide/dual": 5,
  "POST /fapi/v1/positionSide/dual": 1,
  "GET /fapi/v1/multiAssetsMargin": 5,
  "POST /fapi/v1/multiAssetsMargin": 1,
  "GET /fapi/v2/balance": 5,
  "GET /fapi/v3/balance": 5,
  "GET /fapi/v2/account": 5,
  "GET /fapi/v3/account": 5,
  "GET /fapi/v1/accountConfig": 5,
  "GET /fapi/v1/symbolConfig": 5,
  "GET /fapi/v1/rateLimit/order": 1,
  "GET /fapi/v1/positionRisk": 5,
  "GET /fapi/v2/positionRisk": 5,
  "GET /fapi/v3/positionRisk": 5,
  "GET /fapi/v1/leverageBracket": 1,
  "GET /fapi/v1/commissionRate": 20,
  "GET /fapi/v1/adlQuantile": 5,
  "GET /fapi/v1/allOrders": 5,
  "GET /fapi/v1/userTrades": 5,
  "GET /fapi/v1/openInterest": 1,
} as const;

function stepWeight(limit: number, steps: readonly (readonly [number, number])[]): number {
  for (const [limitMax, weight] of steps) if (limit <= limitMax) return weight;
  return steps.at(-1)?.[1] ?? 1;
}

/** Spot depth by number of levels. */
export function spotDepthWeight(limit: number): number {
  return stepWeight(limit, [
    [100, 1],
    [500, 5],
    [1000, 10],
    [5000, 50],
  ]);
}

/** FAPI depth by number of levels. */
export function fapiDepthWeight(limit: number): number {
  return stepWeight(limit, [
    [50, 2],
    [100, 5],
    [500, 10],
    [1000, 20],
  ]);
}

/** One symbol or several: last prices on both surfaces. */
export function tickerPriceWeight(isOneSymbol: boolean): number {
  return isOneSymbol ? 1 : 2;
}

export function spotOpenOrdersWeight(isOneSymbol: boolean): number {
  return isOneSymbol ? 3 : 40;
}

export function fapiOpenOrdersWeight(isOneSymbol: boolean): number {
  return isOneSymbol ? 1 : 40;
}

export function apiTradingStatusWeight(isOneSymbol: boolean): number {
  return isOneSymbol ? 1 : 10;
}
