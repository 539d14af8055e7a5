// Signed perpetual routes about what was: orders, fills. Rows come from SQL; an order that memory
// still knows is shown as memory has it, because its projection may lag the events by a moment.

import { fapiAllOrders, fapiUserTrades } from "../../../../schemas/http/fapi.ts";
import { MarketKind } from "../../../core/markets.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { answerLater } from "../answer-later.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import { refuse } from "../surface-error.ts";
import { badCombination, everything, historyRange } from "./history-range.ts";
import { fillText, orderText } from "./order-text.ts";
import { readRoute } from "./weighted-routes.ts";

const kind = MarketKind.perpetual;
const readAllOrders = parameterReader(fapiAllOrders);
const readUserTrades = parameterReader(fapiUserTrades);

function answerAllOrders(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const { table, history, model, clock } = context;
  const asked = readAllOrders(call, parameters);
  const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
  if (asked === null || market === null) return;
  const { orderId, startTime, endTime, limit } = asked;
  const isUnbound = orderId !== undefined && startTime === undefined && endTime === undefined;
  const range = isUnbound ? everything : historyRange(asked, clock.nowMs());
  if ("code" in range) {
    refuse(call, range);
    return;
  }
  const { startUs, endUs, floorUs } = range;
  const query = { account, market: market.id, fromOrderId: orderId ?? null, startUs, endUs, limit };
  answerLater(context, call, history.ordersOfAccount(query), (orders) => {
    const rows = orders
      .filter(({ acceptedUs }) => acceptedUs >= floorUs)
      .map((order) => orderText(model.order(account, order.orderId) ?? order, market));
    call.json(`[${rows.join(",")}]`);
  });
}

function answerUserTrades(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const { table, history, clock } = context;
  const asked = readUserTrades(call, parameters);
  const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
  if (asked === null || market === null) return;
  const { orderId, fromId, startTime, endTime, limit } = asked;
  const hasTimes = startTime !== undefined || endTime !== undefined;
  const isNamed = fromId !== undefined || orderId !== undefined;
  const range = isNamed && !hasTimes ? everything : historyRange(asked, clock.nowMs());
  const fault = fromId !== undefined && hasTimes ? badCombination : range;
  if ("code" in fault) {
    refuse(call, fault);
    return;
  }
  const { startUs, endUs, floorUs } = fault;
  const query = {
    account,
    market: market.id,
    orderId: orderId ?? null,
    fromTradeId: fromId ?? null,
    startUs,
    endUs,
    limit,
  };
  answerLater(context, call, history.fillsOfAccount(query), (fills) => {
    const rows = fills
      .filter(({ tsUs }) => tsUs >= floorUs)
      .map((fill) => fillText(fill, market, call.view));
    call.json(`[${rows.join(",")}]`);
  });
}

/** The signed history routes of the perpetual surface. */
export function fapiHistoryRoutes(context: RouteContext): SignedRoute[] {
  return [
    readRoute("GET /fapi/v1/allOrders", (call, parameters, caller) =>
      answerAllOrders(context, call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/userTrades", (call, parameters, caller) =>
      answerUserTrades(context, call, parameters, caller),
    ),
  ];
}
