// GET /api/v3/order/amendments: what an order was amended to and from, oldest first, as Binance lists it. An
// amended order keeps its client id here, so both names are the same.

import { spotAmendments } from "../../../../schemas/http/spot.ts";
import { MarketKind } from "../../../core/markets.ts";
import type { AmendmentRecord, OrderRecord } from "../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { answerAmendments } from "../orders/amendments.ts";
import { OrderFlow } from "../orders/order-flow.ts";
import { msOf, qtyText, type ShownMarket, shownIn } from "../orders/order-words.ts";
import { marketOf, parameterReader } from "../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../requests/route.ts";
import { readRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { spotErrors } from "./error-map.ts";
import { listText } from "./render.ts";

const readAmendments = parameterReader(spotAmendments);

function amendmentText(
  { seq, tsUs, qtyBefore, qty }: AmendmentRecord,
  { orderId, clientId }: OrderRecord,
  market: ShownMarket,
): string {
  return (
    `{"symbol":"${market.symbol}","orderId":${orderId},"executionId":${seq}` +
    `,"origClientOrderId":"${clientId}","newClientOrderId":"${clientId}"` +
    `,"origQty":"${qtyText(market, qtyBefore)}","newQty":"${qtyText(market, qty)}"` +
    `,"time":${msOf(tsUs)}}`
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
  const named = { symbol: asked?.symbol ?? "", kind: MarketKind.spot };
  const market = asked && marketOf(call, context.table, named);
  if (asked === null || market === null) return;
  const { orderId, fromExecutionId, limit } = asked;
  const shown = shownIn(call.view, market);
  const reference = { market, orderId, clientId: undefined };
  const window = { fromSeq: fromExecutionId, startUs: null, endUs: null, limit };
  answerAmendments(context, flow, { call, caller, reference, window }, (rows, order) =>
    listText(rows.map((row) => amendmentText(row, order, shown))),
  );
}

/** The signed route of an order's amendments, on compat alone. */
export function spotAmendmentRoutes(context: RouteContext): SignedRoute[] {
  const flow = new OrderFlow(context, spotErrors);
  const route = readRoute("GET /api/v3/order/amendments", (call, parameters, caller) =>
    answer(context, flow, call, parameters, caller),
  );
  return [{ ...route, onlyIn: "compat" }];
}
