// GET /api/v3/myPreventedMatches: what did not trade because both orders were of the account. Its combinations of
// parameters are Binance's: one match by its id, or those of an order.

import { spotPreventedMatches } from "../../../../schemas/http/spot.ts";
import { MarketKind } from "../../../core/markets.ts";
import { StpMode } from "../../../core/orders.ts";
import type { PreventedRecord } from "../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import {
  msOf,
  priceText,
  qtyText,
  type ShownMarket,
  shownIn,
  stpWords,
} from "../orders/order-words.ts";
import { answerLater } from "../requests/answer-later.ts";
import { marketOf, parameterReader } from "../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../requests/route.ts";
import { badCombination, refuse } from "../requests/surface-error.ts";
import { readRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { listText } from "./render.ts";

const readPrevented = parameterReader(spotPreventedMatches);

/** Which of the two orders a mode takes lots of. */
const takesOfTaker: ReadonlySet<StpMode> = new Set([
  StpMode.expireTaker,
  StpMode.expireBoth,
  StpMode.decrement,
]);
const takesOfMaker: ReadonlySet<StpMode> = new Set([
  StpMode.expireMaker,
  StpMode.expireBoth,
  StpMode.decrement,
]);

/** The lots that a prevented match took off the orders it took any of. */
function preventedQtyText(
  { stpMode, takerQty, makerQty }: PreventedRecord,
  market: ShownMarket,
): string {
  const ofTaker = `,"takerPreventedQuantity":"${qtyText(market, takerQty)}"`;
  const ofMaker = `,"makerPreventedQuantity":"${qtyText(market, makerQty)}"`;
  return (takesOfTaker.has(stpMode) ? ofTaker : "") + (takesOfMaker.has(stpMode) ? ofMaker : "");
}

/** Accounts form no trade groups here. */
function preventedText(match: PreventedRecord, market: ShownMarket): string {
  const { seq, tsUs, takerOrderId, makerOrderId, stpMode, price } = match;
  return (
    `{"symbol":"${market.symbol}","preventedMatchId":${seq},"takerOrderId":${takerOrderId}` +
    `,"makerSymbol":"${market.symbol}","makerOrderId":${makerOrderId},"tradeGroupId":-1` +
    `,"selfTradePreventionMode":"${stpWords[stpMode]}","price":"${priceText(market, price)}"` +
    `${preventedQtyText(match, market)},"transactTime":${msOf(tsUs)}}`
  );
}

function answerPrevented(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const asked = readPrevented(call, parameters);
  const named = { symbol: asked?.symbol ?? "", kind: MarketKind.spot };
  const market = asked && marketOf(call, context.table, named);
  if (asked === null || market === null) return;
  const { preventedMatchId, orderId, fromPreventedMatchId, limit } = asked;
  const isPage = fromPreventedMatchId !== undefined;
  if (
    (preventedMatchId === undefined) === (orderId === undefined) ||
    (isPage && orderId === undefined)
  ) {
    refuse(call, badCombination);
    return;
  }
  const query = {
    account,
    market: market.id,
    matchId: preventedMatchId ?? null,
    orderId: orderId ?? 0,
    fromMatchId: fromPreventedMatchId ?? 0,
    limit,
  };
  const shown = shownIn(call.view, market);
  answerLater(context, call, context.history.preventedMatches(query), (matches) =>
    call.json(listText(matches.map((match) => preventedText(match, shown)))),
  );
}

/** The signed route of prevented matches, on compat alone. */
export function spotPreventedRoutes(context: RouteContext): SignedRoute[] {
  const route = readRoute("GET /api/v3/myPreventedMatches", (call, parameters, caller) =>
    answerPrevented(context, call, parameters, caller),
  );
  return [{ ...route, onlyIn: "compat" }];
}
