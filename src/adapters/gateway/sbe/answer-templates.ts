// Which template an answer has, and which one a message inside an answer. An answer is recognised by its route and by the
// fields that only one of the route's templates has.

import type { Messages } from "./generated/spot-codec.ts";
import type { Json } from "./json-value.ts";

export type TemplateName = keyof Messages;
type Chooser = (json: Json) => TemplateName;

function has(json: Json, field: string): boolean {
  return typeof json === "object" && json !== null && field in json;
}

/** An order that was placed: its form is the `newOrderRespType` of the request. */
function placed(json: Json): TemplateName {
  if (has(json, "fills")) return "NewOrderFullResponse";
  return has(json, "status") ? "NewOrderResultResponse" : "NewOrderAckResponse";
}

/** An order list that was placed: as its first report. */
function placedList(json: Json): TemplateName {
  const reports = has(json, "orderReports") ? (json as { orderReports: Json[] }).orderReports : [];
  const first = reports[0] ?? null;
  if (has(first, "fills")) return "NewOrderListFullResponse";
  return has(first, "status") ? "NewOrderListResultResponse" : "NewOrderListAckResponse";
}

function cancelled(json: Json): TemplateName {
  return has(json, "contingencyType") ? "CancelOrderListResponse" : "CancelOrderResponse";
}

function tested(json: Json): TemplateName {
  const hasRates = has(json, "standardCommissionForOrder");
  return hasRates ? "OrderTestWithCommissionsResponse" : "OrderTestResponse";
}

/** Chooses between the template of one row and that of a list. */
function oneOr(one: TemplateName, list: TemplateName): Chooser {
  return (json) => (Array.isArray(json) ? list : one);
}

/** Chooses by the number of rows and by whether rows have all fields. */
function window(prefix: "Ticker24h" | "Ticker"): Chooser {
  return (json) => {
    const first = Array.isArray(json) ? (json[0] ?? null) : json;
    const size = has(first, "priceChange") ? "Full" : "Mini";
    return `${prefix}${Array.isArray(json) ? "" : "Symbol"}${size}Response`;
  };
}

const subscribed = "UserDataStreamSubscribeResponse";

/** The templates of answers, by route or by method of order sessions. */
const answers: Readonly<Record<string, TemplateName | Chooser>> = {
  "GET /api/v3/ping": "PingResponse",
  "GET /api/v3/time": "ServerTimeResponse",
  "GET /api/v3/exchangeInfo": "ExchangeInfoResponse",
  "GET /api/v3/executionRules": "ExecutionRulesResponse",
  "GET /api/v3/referencePrice": "ErrorResponse",
  "GET /api/v3/referencePrice/calculation": "ErrorResponse",
  "GET /api/v3/depth": "DepthResponse",
  "GET /api/v3/trades": "TradesResponse",
  "GET /api/v1/trades": "TradesResponse",
  "GET /api/v3/historicalTrades": "TradesResponse",
  "GET /api/v3/aggTrades": "AggTradesResponse",
  "GET /api/v3/klines": "KlinesResponse",
  "GET /api/v3/uiKlines": "KlinesResponse",
  "GET /api/v3/avgPrice": "AveragePriceResponse",
  "GET /api/v3/ticker/24hr": window("Ticker24h"),
  "GET /api/v3/ticker/tradingDay": window("Ticker"),
  "GET /api/v3/ticker": window("Ticker"),
  "GET /api/v3/ticker/price": oneOr("PriceTickerSymbolResponse", "PriceTickerResponse"),
  "GET /api/v3/ticker/bookTicker": oneOr("BookTickerSymbolResponse", "BookTickerResponse"),
  "POST /api/v3/order": placed,
  "POST /api/v3/order/test": tested,
  "GET /api/v3/order": "OrderResponse",
  "DELETE /api/v3/order": cancelled,
  "DELETE /api/v3/openOrders": "CancelOpenOrdersResponse",
  "POST /api/v3/order/cancelReplace": "CancelReplaceOrderResponse",
  "PUT /api/v3/order/amend/keepPriority": "OrderAmendKeepPriorityResponse",
  "GET /api/v3/order/amendments": "OrderAmendmentsResponse",
  "GET /api/v3/openOrders": "OrdersResponse",
  "GET /api/v3/allOrders": "OrdersResponse",
  "POST /api/v3/order/oco": placedList,
  "POST /api/v3/orderList/oco": placedList,
  "POST /api/v3/orderList/oto": placedList,
  "POST /api/v3/orderList/otoco": placedList,
  "POST /api/v3/orderList/opo": placedList,
  "POST /api/v3/orderList/opoco": placedList,
  "DELETE /api/v3/orderList": "CancelOrderListResponse",
  "GET /api/v3/orderList": "OrderListResponse",
  "GET /api/v3/allOrderList": "OrderListsResponse",
  "GET /api/v3/openOrderList": "OrderListsResponse",
  "GET /api/v3/account": "AccountResponse",
  "GET /api/v3/account/commission": "AccountCommissionResponse",
  "GET /api/v3/rateLimit/order": "AccountOrderRateLimitResponse",
  "GET /api/v3/myTrades": "AccountTradesResponse",
  "GET /api/v3/myPreventedMatches": "AccountPreventedMatchesResponse",
  "GET /api/v3/myAllocations": "AccountAllocationsResponse",
  "POST /api/v3/userDataStream": "UserDataStreamStartResponse",
  "PUT /api/v3/userDataStream": "UserDataStreamPingResponse",
  "DELETE /api/v3/userDataStream": "UserDataStreamStopResponse",
  "GET session.logon": "WebSocketSessionLogonResponse",
  "GET session.status": "WebSocketSessionStatusResponse",
  "GET session.logout": "WebSocketSessionLogoutResponse",
  "GET session.subscriptions": "WebSocketSessionSubscriptionsResponse",
  "GET userDataStream.subscribe": subscribed,
  "GET userDataStream.subscribe.signature": subscribed,
  "GET userDataStream.unsubscribe": "UserDataStreamUnsubscribeResponse",
};

/** Returns whether the answers of a route or of a session method have a template; `name` is its HTTP method and path. */
export function hasTemplate(name: string): boolean {
  return Object.hasOwn(answers, name);
}

/** The template of a route's answer; undefined if the schema has none. */
export function answerTemplate(name: string, json: Json): TemplateName | undefined {
  const known = Object.hasOwn(answers, name) ? answers[name] : undefined;
  return typeof known === "function" ? known(json) : known;
}

const filters: Readonly<Record<string, TemplateName>> = {
  PRICE_FILTER: "PriceFilter",
  LOT_SIZE: "LotSizeFilter",
  ICEBERG_PARTS: "IcebergPartsFilter",
  NOTIONAL: "NotionalFilter",
  PERCENT_PRICE: "PercentPriceFilter",
  MAX_NUM_ORDERS: "MaxNumOrdersFilter",
  MAX_NUM_ALGO_ORDERS: "MaxNumAlgoOrdersFilter",
  MAX_NUM_ORDER_LISTS: "MaxNumOrderListsFilter",
};

const inside: Readonly<Record<string, Chooser>> = {
  filter: (json) => filters[(json as { filterType: string }).filterType] as TemplateName,
  response: cancelled,
  cancelResponse: (json) => (has(json, "code") ? "ErrorResponse" : cancelled(json)),
  newOrderResponse: (json) => (has(json, "code") ? "ErrorResponse" : placed(json)),
  data: () => "CancelReplaceOrderResponse",
};

/** The template of the message that the field `name` of an answer contains. */
export function embeddedTemplate(name: string, json: Json): TemplateName {
  const choose = inside[name];
  return choose === undefined ? "ErrorResponse" : choose(json);
}

const events: Readonly<Record<string, TemplateName>> = {
  executionReport: "ExecutionReportEvent",
  listStatus: "ListStatusEvent",
  outboundAccountPosition: "OutboundAccountPositionEvent",
  balanceUpdate: "BalanceUpdateEvent",
  eventStreamTerminated: "EventStreamTerminatedEvent",
  serverShutdown: "ServerShutdownEvent",
};

/** The template of an event of the user data stream, by its name in JSON; undefined if the schema has none. */
export function eventTemplate(name: string): TemplateName | undefined {
  return Object.hasOwn(events, name) ? events[name] : undefined;
}
