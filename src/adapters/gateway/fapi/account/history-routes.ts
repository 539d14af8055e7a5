// Signed perpetual routes about what was: orders, fills, income. Rows come from SQL; an order that memory
// still knows is shown as memory has it, because its projection may lag the events by a moment.

import { fapiAllOrders, fapiIncome, fapiUserTrades } from "../../../../../schemas/http/fapi.ts";
import { incomeRowsMax } from "../../../../core/limits.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { IncomeType } from "../../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../../requests/route.ts";
import { badCombination, refuse } from "../../requests/surface-error.ts";
import { readRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { everything, historyRange } from "../history-range.ts";
import { answerForceOrders } from "../orders/force-orders.ts";
import { fillText, orderText } from "../orders/order-text.ts";
import { incomeText } from "./income-text.ts";

const kind = MarketKind.perpetual;
const readAllOrders = parameterReader(fapiAllOrders);
const readIncome = parameterReader(fapiIncome);
const readUserTrades = parameterReader(fapiUserTrades);

/** The span of income when the client names no time (Binance: seven days). */
const incomeDefaultMs = 7 * 86_400_000;

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

const incomeTypes: Readonly<Record<string, IncomeType>> = {
  TRANSFER: IncomeType.transfer,
  REALIZED_PNL: IncomeType.realisedPnl,
  COMMISSION: IncomeType.commission,
  FUNDING_FEE: IncomeType.funding,
  INSURANCE_CLEAR: IncomeType.insurance,
  COMMISSION_REBATE: IncomeType.rebate,
};

/** What a call names, or all that the venue books. Other types Binance has are simply never booked. */
function incomeTypesOf(name: string | undefined): readonly IncomeType[] {
  if (name === undefined) return Object.values(IncomeType);
  const type = incomeTypes[name];
  return type === undefined ? [] : [type];
}

function answerIncome(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const { table, history, clock } = context;
  const asked = readIncome(call, parameters);
  if (asked === null) return;
  const { symbol, incomeType, startTime, endTime, page, limit } = asked;
  const one = symbol === undefined ? null : marketOf(call, table, { symbol, kind });
  if (symbol !== undefined && one === null) return;
  const types = incomeTypesOf(incomeType);
  const skip = (page - 1) * limit;
  if (types.length === 0 || skip + limit > incomeRowsMax) {
    call.json("[]");
    return;
  }
  // Who names no time means the last seven days; the oldest rows of them come first.
  const startMs = startTime ?? (endTime ?? clock.nowMs()) - incomeDefaultMs;
  const all = table.markets.filter((market) => market.kind === kind);
  const query = {
    account,
    markets: (one === null ? all : [one]).map(({ id }) => id),
    isOfMarket: one !== null,
    types,
    startUs: Math.max(startMs, 0) * 1000,
    endUs: endTime === undefined ? null : (endTime + 1) * 1000,
    skip,
    limit,
  };
  answerLater(context, call, history.income(query), (rows) => {
    const texts = rows.map((row) => incomeText(row, table, call.view));
    call.json(`[${texts.join(",")}]`);
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
    readRoute("GET /fapi/v1/income", (call, parameters, caller) =>
      answerIncome(context, call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/forceOrders", (call, parameters, caller) =>
      answerForceOrders(context, call, parameters, caller),
    ),
  ];
}
