// The hand-written requests of the recorded conversation with a front: orders of every type on three surfaces with
// their later states, order sessions, streams, and addresses without a route.

import type { HttpStep, Requester, SessionRequest, Step } from "./conversation-steps.ts";

type Terms = Readonly<Record<string, string>>;

function request(
  method: string,
  path: string,
  terms: Terms = {},
  by: Requester = "trader",
): HttpStep {
  return { do: "http", method, path, by, pairs: Object.entries(terms) };
}

const spotLimit = {
  ...{ symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" },
  ...{ quantity: "100.0", price: "0.1490" },
};

const nativeOrder = { symbol: "BTC-PERP", side: "BUY", qty: "0.01" };

function native(method: string, path: string, body?: object): HttpStep {
  const step = { do: "http", method, path, by: "session", pairs: [] } as const;
  return body === undefined ? step : { ...step, body: JSON.stringify(body) };
}

/** Spot orders, given as differences from a limit order. */
const spotOrders: readonly Terms[] = [
  spotLimit,
  { ...spotLimit, newClientOrderId: "mine-1" },
  { ...spotLimit, newClientOrderId: "mine-1" },
  { ...spotLimit, newOrderRespType: "ACK", side: "SELL", price: "0.1520" },
  { ...spotLimit, newOrderRespType: "RESULT", side: "SELL", price: "0.1530" },
  { ...spotLimit, newOrderRespType: "FULL", price: "0.1520" },
  { ...spotLimit, timeInForce: "IOC", price: "0.1510" },
  { ...spotLimit, timeInForce: "FOK", price: "0.1502", quantity: "99999.0" },
  { ...spotLimit, timeInForce: "GTX" },
  { ...spotLimit, price: "0.14905" },
  { ...spotLimit, quantity: "0.05" },
  { ...spotLimit, quantity: "1.0" },
  { ...spotLimit, quantity: "99999999" },
  { ...spotLimit, price: "9" },
  { ...spotLimit, icebergQty: "ten" },
  { symbol: "CC-USDC", side: "BUY", type: "MARKET", quantity: "150.0" },
  { symbol: "CC-USDC", side: "BUY", type: "MARKET", quoteOrderQty: "30" },
  { symbol: "CC-USDC", side: "SELL", type: "MARKET", quantity: "150.0", newOrderRespType: "FULL" },
  { symbol: "CC-USDC", side: "SELL", type: "MARKET" },
  { symbol: "CC-USDC", side: "BUY", type: "LIMIT_MAKER", quantity: "100.0", price: "0.1485" },
  { symbol: "CC-USDC", side: "BUY", type: "LIMIT_MAKER", quantity: "100.0", price: "0.1600" },
  { symbol: "CC-USDC", side: "BUY", type: "STOP_LOSS", quantity: "100.0", stopPrice: "0.1600" },
  { ...spotLimit, type: "STOP_LOSS_LIMIT", stopPrice: "0.1600", price: "0.1610" },
  { ...spotLimit, type: "TAKE_PROFIT_LIMIT", stopPrice: "0.1400", price: "0.1410" },
  { symbol: "CC-USDC", side: "BUY", type: "TAKE_PROFIT", quantity: "100.0", stopPrice: "0.1400" },
  { symbol: "CC-USDC", side: "BUY", type: "STOP_LOSS", quantity: "100.0", trailingDelta: "50" },
  { ...spotLimit, side: "SELL", price: "0.1480", selfTradePreventionMode: "DECREMENT" },
  { ...spotLimit, symbol: "CUSD-USDC" },
  { ...spotLimit, symbol: "BTCUSDT" },
  { ...spotLimit, symbol: "CCUSDC" },
];

const perpLimit = {
  ...{ symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" },
  ...{ quantity: "0.010", price: "59400.00" },
};

const perpStop = { symbol: "BTCUSDT", side: "SELL", quantity: "0.010", stopPrice: "58000" };

const perpOrders: readonly Terms[] = [
  perpLimit,
  { ...perpLimit, newClientOrderId: "perp-1", newOrderRespType: "RESULT" },
  { ...perpLimit, newClientOrderId: "perp-1" },
  { ...perpLimit, timeInForce: "GTX", price: "61000.00" },
  { ...perpLimit, timeInForce: "IOC", price: "60100.00" },
  { ...perpLimit, timeInForce: "FOK", price: "60100.00", quantity: "900.000" },
  { ...perpLimit, timeInForce: "GTD", goodTillDate: "1767830400000" },
  { ...perpLimit, timeInForce: "GTD" },
  { ...perpLimit, side: "SELL", price: "61000.00", reduceOnly: "true" },
  { ...perpLimit, priceMatch: "QUEUE" },
  { ...perpLimit, positionSide: "LONG" },
  { ...perpLimit, price: "59400.001" },
  { ...perpLimit, quantity: "0.0001" },
  { ...perpLimit, quantity: "99999" },
  { ...perpLimit, price: "1000000" },
  { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "0.005", newOrderRespType: "RESULT" },
  { symbol: "BTCUSDT", side: "SELL", type: "MARKET", quantity: "0.005", reduceOnly: "true" },
  { ...perpStop, type: "STOP_MARKET" },
  { ...perpStop, type: "STOP", price: "57900", timeInForce: "GTC" },
  { ...perpStop, type: "TAKE_PROFIT_MARKET", stopPrice: "62000", workingType: "MARK_PRICE" },
  { ...perpStop, type: "TAKE_PROFIT", stopPrice: "62000", price: "62100", timeInForce: "GTC" },
  {
    symbol: "BTCUSDT",
    side: "SELL",
    type: "STOP_MARKET",
    stopPrice: "57000",
    closePosition: "true",
  },
  {
    ...{ symbol: "BTCUSDT", side: "SELL", type: "TRAILING_STOP_MARKET", quantity: "0.010" },
    ...{ callbackRate: "1.5", activationPrice: "61000" },
  },
  { ...perpStop, type: "STOP_MARKET", stopPrice: "60001" },
];

/** The two views of a surface. */
const views = ["", "/compat"] as const;

/** Returns the step with fields of its answer to store for later steps. */
function keeping(step: HttpStep, ...keeps: string[]): HttpStep {
  return { ...step, keeps };
}

const kept = { orderId: "{{orderId}}" };

/** Returns the steps of one spot order, from its acceptance to its end. */
function spotLife(prefix: string): Step[] {
  const at = `${prefix}/api/v3`;
  const own = { symbol: "CC-USDC" };
  const change = { ...own, ...kept, newQty: "80.0" };
  const replace = { ...spotLimit, cancelReplaceMode: "STOP_ON_FAILURE", quantity: "120.0" };
  return [
    keeping(request("POST", `${at}/order`, spotLimit), "orderId"),
    request("GET", `${at}/order`, { ...own, ...kept }),
    request("GET", `${at}/order`, { ...own, ...kept }, "other"),
    request("PUT", `${at}/order/amend/keepPriority`, change),
    request("PUT", `${at}/order/amend/keepPriority`, change),
    request("GET", `${at}/order/amendments`, { ...own, ...kept }),
    keeping(
      request("POST", `${at}/order/cancelReplace`, { ...replace, cancelOrderId: "{{orderId}}" }),
    ),
    request("GET", `${at}/order`, { ...own, ...kept }),
    keeping(request("POST", `${at}/order`, spotLimit), "orderId"),
    request("DELETE", `${at}/order`, { ...own, ...kept, newClientOrderId: "ended" }),
    request("DELETE", `${at}/order`, { ...own, ...kept }),
    request("GET", `${at}/myPreventedMatches`, { ...own, orderId: "1" }),
    request("GET", `${at}/exchangeInfo`, own, "nobody"),
    request("GET", `${at}/exchangeInfo`, {}, "nobody"),
    keeping(request("POST", `${at}/userDataStream`), "listenKey"),
    request("PUT", `${at}/userDataStream`, { listenKey: "{{listenKey}}" }),
    request("PUT", `${at}/userDataStream`, { listenKey: "{{listenKey}}" }, "other"),
  ];
}

function perpLife(prefix: string): Step[] {
  const at = `${prefix}/fapi/v1`;
  const own = { symbol: "BTCUSDT", ...kept };
  const change = { ...own, side: "BUY", quantity: "0.020", price: "59350.00" };
  const [algo, market] = [{ algoId: "{{algoId}}" }, { type: "STOP_MARKET", triggerPrice: "58000" }];
  const stop = { ...perpStop, ...market, algoType: "CONDITIONAL" };
  const { stopPrice: _, ...conditional } = stop;
  const batch = [
    { ...change, orderId: "{{orderId}}" },
    { ...change, orderId: "999999" },
  ];
  return [
    keeping(request("POST", `${at}/order`, perpLimit), "orderId"),
    request("GET", `${at}/openOrder`, own),
    request("PUT", `${at}/order`, change),
    request("PUT", `${at}/order`, { ...change, price: "59340.00" }),
    request("PUT", `${at}/batchOrders`, { batchOrders: JSON.stringify(batch) }),
    request("GET", `${at}/orderAmendment`, own),
    request("DELETE", `${at}/order`, own),
    request("DELETE", `${at}/order`, own),
    request("GET", `${at}/openOrder`, own),
    keeping(request("POST", `${at}/algoOrder`, conditional), "algoId"),
    request("GET", `${at}/algoOrder`, algo),
    request("GET", `${at}/openAlgoOrders`),
    request("DELETE", `${at}/algoOrder`, algo),
    request("GET", `${at}/allAlgoOrders`, { symbol: "BTCUSDT" }),
    request("POST", `${at}/order/test`, perpLimit),
    request("GET", `${at}/exchangeInfo`, {}, "nobody"),
    keeping(request("POST", `${at}/listenKey`), "listenKey"),
    request("PUT", `${at}/listenKey`),
  ];
}

const narrowed = { permissions: ["READ"], allowed_addresses: ["192.0.2.0/24"] };
const widened = { permissions: ["READ", "TRADE"], allowed_addresses: [] };

/** The steps of a user on the native surface: orders, keys, and queries for both. */
const nativeLife: readonly Step[] = [
  { ...native("POST", "/v1/orders", { ...nativeOrder, price: "59000" }), keeps: ["order_id"] },
  native("GET", "/v1/orders/me"),
  native("DELETE", "/v1/orders/{{order_id}}"),
  native("DELETE", "/v1/orders/{{order_id}}"),
  native("POST", "/v1/orders", { ...nativeOrder, type: "MARKET" }),
  native("GET", "/v1/positions/me"),
  native("GET", "/v1/positions/{{userId}}/open"),
  native("GET", "/v1/account/{{userId}}/balances"),
  native("GET", "/v1/trades/me"),
  native("GET", "/v1/fees/me"),
  { ...native("POST", "/v1/api-keys", { label: "kept" }), keeps: ["id"] },
  native("GET", "/v1/api-keys"),
  native("GET", "/v1/api-keys/{{id}}/restrictions"),
  native("PUT", "/v1/api-keys/{{id}}/restrictions", narrowed),
  native("PUT", "/v1/api-keys/{{id}}/restrictions", widened),
  native("POST", "/v1/api-keys/{{id}}/restrictions/challenge", widened),
  native("DELETE", "/v1/api-keys/{{id}}"),
  native("DELETE", "/v1/api-keys/{{id}}"),
  native("GET", "/v1/api-keys?include_revoked=true"),
];

function spotSteps(prefix: string): Step[] {
  const order = `${prefix}/api/v3/order`;
  const own = { symbol: "CC-USDC" };
  const replace = { ...spotLimit, cancelReplaceMode: "STOP_ON_FAILURE" };
  return [
    ...spotOrders.map((terms) => request("POST", order, terms)),
    ...spotOrders.slice(0, 4).map((terms) => request("POST", `${order}/test`, terms)),
    request("GET", order, { ...own, origClientOrderId: "mine-1" }),
    request("GET", `${prefix}/api/v3/openOrders`, own),
    request("POST", `${order}/cancelReplace`, { ...replace, cancelOrigClientOrderId: "mine-1" }),
    request("POST", `${order}/cancelReplace`, { ...replace, cancelOrigClientOrderId: "mine-1" }),
    request("DELETE", order, { ...own, origClientOrderId: "none" }),
    request("GET", `${prefix}/api/v3/allOrders`, own),
    request("GET", `${prefix}/api/v3/myTrades`, own),
    request("GET", `${prefix}/api/v3/account`),
    request("GET", `${prefix}/api/v3/depth`, { ...own, limit: "20" }, "nobody"),
    request("DELETE", `${prefix}/api/v3/openOrders`, own),
    request("DELETE", `${prefix}/api/v3/openOrders`, own),
    { do: "deed", name: "minute" },
  ];
}

function perpSteps(prefix: string): Step[] {
  const at = `${prefix}/fapi`;
  const own = { symbol: "BTCUSDT" };
  const batch = JSON.stringify([perpLimit, { ...perpLimit, price: "x" }, perpOrders[17]]);
  const clientId = { origClientOrderId: "perp-1" };
  return [
    ...perpOrders.map((terms) => request("POST", `${at}/v1/order`, terms)),
    request("GET", `${at}/v1/order`, { ...own, ...clientId }),
    request("PUT", `${at}/v1/order`, {
      ...own,
      ...clientId,
      ...{ side: "BUY", quantity: "0.012", price: "59300.00" },
    }),
    request("GET", `${at}/v1/orderAmendment`, own),
    request("POST", `${at}/v1/batchOrders`, { batchOrders: batch }),
    request("DELETE", `${at}/v1/batchOrders`, {
      ...own,
      origClientOrderIdList: '["perp-1","none"]',
    }),
    request("GET", `${at}/v1/openOrders`, own),
    request("GET", `${at}/v1/allOrders`, own),
    request("GET", `${at}/v1/userTrades`, own),
    request("GET", `${at}/v1/income`),
    request("GET", `${at}/v1/forceOrders`, {}, "ruined"),
    request("GET", `${at}/v1/income`, {}, "ruined"),
    request("GET", `${at}/v2/positionRisk`),
    request("GET", `${at}/v3/account`),
    request("GET", `${at}/v1/premiumIndex`, {}, "nobody"),
    request("DELETE", `${at}/v1/allOpenOrders`, own),
    { do: "deed", name: "minute" },
  ];
}

const strays: Step[] = [
  request("GET", "/", {}, "nobody"),
  request("GET", "/health", {}, "nobody"),
  request("GET", "/nowhere", {}, "nobody"),
  request("GET", "/compat/nowhere", {}, "nobody"),
  request("GET", "/api/v3/nowhere", {}, "nobody"),
  request("GET", "/fapi/v9/ping", {}, "nobody"),
  request("GET", "/v1/nowhere", {}, "session"),
  request("HEAD", "/api/v3/ping", {}, "nobody"),
  request("OPTIONS", "/api/v3/order", {}, "nobody"),
  request("GET", "/api/v3/ping", { x: "a".repeat(9_000) }, "nobody"),
  { ...request("GET", "/api/v3/ping", {}, "nobody"), headers: { origin: "https://example.com" } },
];

const timed = { timestamp: 1_767_225_600_000 };

/** Requests of an order session on spot. */
const spotRequests: readonly SessionRequest[] = [
  { method: "ping", params: {}, by: "nobody" },
  { method: "time", params: {}, by: "nobody" },
  { method: "depth", params: { symbol: "CC-USDC", limit: 5 }, by: "nobody" },
  { method: "depth.orders", params: { symbol: "CC-USDC", limit: 5 }, by: "nobody" },
  { method: "klines", params: { symbol: "CC-USDC", interval: "1m", limit: 2 }, by: "nobody" },
  { method: "ticker.price", params: { symbols: "[]" }, by: "nobody" },
  { method: "order.place", params: { ...spotLimit, ...timed }, by: "nobody" },
  { method: "order.place", params: { ...spotLimit, newClientOrderId: "ws-1" }, by: "trader" },
  { method: "order.place", params: spotLimit, by: "forged" },
  { method: "order.place", params: spotLimit, by: "late" },
  { method: "order.place", params: { ...spotLimit, price: "x" }, by: "trader" },
  {
    method: "order.status",
    params: { symbol: "CC-USDC", origClientOrderId: "ws-1" },
    by: "trader",
  },
  { method: "order.test", params: spotLimit, by: "trader" },
  { method: "openOrders.status", params: { symbol: "CC-USDC" }, by: "trader" },
  {
    method: "order.cancel",
    params: { symbol: "CC-USDC", origClientOrderId: "ws-1" },
    by: "trader",
  },
  {
    method: "order.cancel",
    params: { symbol: "CC-USDC", origClientOrderId: "ws-1" },
    by: "trader",
  },
  { method: "account.status", params: {}, by: "trader" },
  { method: "account.rateLimits.orders", params: {}, by: "trader" },
  { method: "session.logon", params: {}, by: "trader" },
  { method: "session.status", params: {}, by: "nobody" },
  { method: "session.logout", params: {}, by: "nobody" },
  { method: "userDataStream.start", params: {}, by: "trader" },
  { method: "no.method", params: {}, by: "nobody" },
];

const perpRequests: readonly SessionRequest[] = [
  { method: "ping", params: {}, by: "nobody" },
  { method: "depth", params: { symbol: "BTCUSDT", limit: 5 }, by: "nobody" },
  { method: "order.place", params: { ...perpLimit, newClientOrderId: "ws-2" }, by: "trader" },
  { method: "order.modify", params: { ...perpLimit, origClientOrderId: "ws-2" }, by: "trader" },
  {
    method: "order.status",
    params: { symbol: "BTCUSDT", origClientOrderId: "ws-2" },
    by: "trader",
  },
  {
    method: "order.cancel",
    params: { symbol: "BTCUSDT", origClientOrderId: "ws-2" },
    by: "trader",
  },
  { method: "account.balance", params: {}, by: "trader" },
  { method: "account.position", params: {}, by: "trader" },
  { method: "v2/account.status", params: {}, by: "trader" },
  { method: "order.place", params: perpLimit, by: "reader" },
  { method: "no.method", params: {}, by: "nobody" },
];

const spotStreams = [
  ...["depth5", "depth10", "depth20", "trade", "kline_1m", "ticker"],
  ...["aggTrade", "miniTicker", "bookTicker", "avgPrice", "ticker_1h", "kline_1h", "order"],
].map((feed) => `cc-usdc@${feed}`);

const perpStreams = [
  ...["depth5", "trade", "aggTrade", "kline_1m", "ticker", "miniTicker", "bookTicker"],
  ...["markPrice@1s"],
].map((feed) => `btcusdt@${feed}`);

/** Makes a step that reads a user data stream's reports about a resting order, a trading order, and a cancel. */
function user(order: Terms, at: string, frames: number): Step {
  const own = { symbol: order["symbol"] ?? "", ...kept };
  const { timeInForce: _, price: __, ...market } = order;
  return {
    do: "user",
    path: "/compat/ws/{{listenKey}}?resume=987654321",
    asks: [
      keeping(request("POST", `${at}/order`, order), "orderId"),
      request("POST", `${at}/order`, { ...market, type: "MARKET" }),
      request("DELETE", `${at}/order`, own),
    ],
    frames,
  };
}

/** All hand-written steps, in order. */
export const tradingSteps: readonly Step[] = [
  ...views.flatMap(spotSteps),
  ...views.flatMap(spotLife),
  user(spotLimit, "/compat/api/v3", 8),
  request("DELETE", "/compat/api/v3/userDataStream", { listenKey: "{{listenKey}}" }),
  ...views.flatMap(perpSteps),
  ...views.flatMap(perpLife),
  user(perpLimit, "/compat/fapi/v1", 6),
  request("DELETE", "/compat/fapi/v1/listenKey"),
  ...nativeLife,
  ...strays,
  { do: "session", path: "/compat/ws-api/v3", asks: spotRequests },
  { do: "session", path: "/compat/ws-fapi/v1", asks: perpRequests },
  { do: "deed", name: "trade spot" },
  { do: "streams", path: "/stream", names: spotStreams.slice(0, 6), deed: "trade spot" },
  { do: "streams", path: "/compat/stream", names: spotStreams, deed: "trade spot" },
  { do: "streams", path: "/compat/stream", names: perpStreams, deed: "trade perpetual" },
];
