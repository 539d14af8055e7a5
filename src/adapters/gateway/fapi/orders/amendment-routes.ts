// GET /fapi/v1/orderAmendment: what an order was amended to and from, newest first, as Binance lists it.

import { fapiAmendments } from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { AmendmentRecord, OrderRecord } from "../../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { answerAmendments } from "../../orders/amendments.ts";
import { OrderFlow } from "../../orders/order-flow.ts";
import { msOf } from "../../orders/order-words.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../../requests/route.ts";
import { badCombination, orderUnknownToQuery, refuse } from "../../requests/surface-error.ts";
import { readRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { fapiErrors } from "../error-map.ts";
import { referenceOf } from "./amend-request.ts";

const readAmendments = parameterReader(fapiAmendments);

function changeText(before: number, after: number, decimals: number): string {
  return `{"before":"${formatScaled(before, decimals)}","after":"${formatScaled(after, decimals)}"}`;
}

function amendmentText(amendment: AmendmentRecord, order: OrderRecord, market: Market): string {
  const { seq, tsUs, priceBefore, price, qtyBefore, qty, count } = amendment;
  return (
    `{"amendmentId":${seq},"symbol":"${market.alias}","pair":"${market.alias}"` +
    `,"orderId":${order.orderId},"clientOrderId":"${order.clientId}","time":${msOf(tsUs)}` +
    `,"amendment":{"price":${changeText(priceBefore, price, market.tickDecimals)}` +
    `,"origQty":${changeText(qtyBefore, qty, market.lotDecimals)},"count":${count}}}`
  );
}

function answer(
  context: RouteContext,
  flow: OrderFlow,
  call: HttpCall,
  parameters: RequestParameters,
  caller: Caller,
): void {
  const asked = readAmendments(call, parameters);
  const named = { symbol: asked?.symbol ?? "", kind: MarketKind.perpetual };
  const market = asked && marketOf(call, context.table, named);
  if (asked === null || market === null) return;
  const { startTime, endTime, limit } = asked;
  const reference = referenceOf(asked, market);
  const isReversed = (startTime ?? 0) > (endTime ?? Number.POSITIVE_INFINITY);
  if ("code" in reference || isReversed) {
    refuse(call, "code" in reference ? reference : badCombination);
    return;
  }
  const window = {
    fromSeq: null,
    startUs: startTime === undefined ? null : startTime * 1000,
    endUs: endTime === undefined ? null : (endTime + 1) * 1000,
    limit,
  };
  answerAmendments(context, flow, { call, caller, reference, window }, (rows, order) => {
    const texts = rows.map((row) => amendmentText(row, order, market));
    return `[${texts.reverse().join(",")}]`;
  });
}

/** The signed route of an order's amendments, on compat alone. */
export function fapiAmendmentRoutes(context: RouteContext): SignedRoute[] {
  const flow = new OrderFlow(context, fapiErrors, orderUnknownToQuery);
  const route = readRoute("GET /fapi/v1/orderAmendment", (call, parameters, caller) =>
    answer(context, flow, call, parameters, caller),
  );
  return [{ ...route, onlyIn: "compat" }];
}
