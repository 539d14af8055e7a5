// Signed history routes of the spot surface, from SQL: orders, fills, amendments, and matches prevented because both
// orders belonged to the account. The rows of an event are stored before the event is acknowledged, so clients always
// find them. The state in an order's row may lag the events for a moment, so an order that is still in memory is shown
// from memory. Parameters can be combined as on Binance.

import { oneSymbol } from "../../../../schemas/http/common.ts";
import {
  spotAllOrders,
  spotAmendments,
  spotMyTrades,
  spotPreventedMatches,
} from "../../../../schemas/http/spot.ts";
import { MarketKind } from "../../../core/markets.ts";
import { StpMode } from "../../../core/orders.ts";
import type {
  AmendmentRecord,
  FillRecord,
  OrderRecord,
  PreventedRecord,
} from "../../../ports/journal/history-store.ts";
import { statusOf } from "../../../ports/ledger/batch-states.ts";
import { amendmentTexts } from "../orders/amendments.ts";
import { OrderFlow } from "../orders/order-flow.ts";
import {
  msOf,
  priceText,
  qtyText,
  type ShownMarket,
  shownIn,
  stpModeNames,
} from "../orders/order-format.ts";
import { boundsOf, marketOf } from "../requests/read-request.ts";
import { readRoute, routeGroup } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { badCombination, refused, spanTooLong } from "../requests/surface-error.ts";
import { spotErrors } from "./error-map.ts";
import { fillText, listText, orderText } from "./render.ts";

const kind = MarketKind.spot;

/** The longest allowed span from startTime to endTime (Binance: 24 hours). */
const spanMaxMs = 86_400_000;

interface Times {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
}

function checkSpan({ startTime, endTime }: Times): void {
  if (startTime === undefined || endTime === undefined) return;
  if (endTime < startTime) refused(badCombination);
  if (endTime - startTime > spanMaxMs) refused(spanTooLong(24));
}

/** State of a fill's settlement. A fill between two accounts of the custody party never reaches the ledger. */
function settlementOf({ model }: RouteContext, account: number, fill: FillRecord): string {
  if (fill.batchState !== null) return statusOf(fill.batchState);
  const { accounts } = model.state;
  // A wallet's fill that settlement has not processed yet is shown as pending, like a fill in an open batch.
  const isOnLedger =
    !fill.isTaken && (accounts.isWallet(account) || accounts.isWallet(fill.counterparty));
  return isOnLedger ? "pending" : statusOf(null);
}

/** Self-trade prevention modes in which the taker loses lots. `takesOfMaker` has the modes in which the maker does. */
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

/** Fields for the lots that a prevented match removed from its orders; empty if it removed none. */
function preventedQtyText(
  { stpMode, takerQty, makerQty }: PreventedRecord,
  market: ShownMarket,
): string {
  const ofTaker = `,"takerPreventedQuantity":"${qtyText(market, takerQty)}"`;
  const ofMaker = `,"makerPreventedQuantity":"${qtyText(market, makerQty)}"`;
  return (takesOfTaker.has(stpMode) ? ofTaker : "") + (takesOfMaker.has(stpMode) ? ofMaker : "");
}

/** One prevented match. This venue has no trade groups, so the fields about them are constant. */
function preventedText(match: PreventedRecord, market: ShownMarket): string {
  const { seq, tsUs, takerOrderId, makerOrderId, stpMode, price } = match;
  return (
    `{"symbol":"${market.symbol}","preventedMatchId":${seq},"takerOrderId":${takerOrderId}` +
    `,"makerSymbol":"${market.symbol}","makerOrderId":${makerOrderId},"tradeGroupId":-1` +
    `,"selfTradePreventionMode":"${stpModeNames[stpMode]}","price":"${priceText(market, price)}"` +
    `${preventedQtyText(match, market)},"transactTime":${msOf(tsUs)}}`
  );
}

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

/** The signed history routes of the spot surface. */
export const spotHistoryRoutes = routeGroup((context) => ({
  ...context,
  flow: new OrderFlow(context, spotErrors),
}))([
  readRoute("GET /api/v3/allOrders", {
    summary: "The account's orders in a market, open and closed.",
    weight: 10,
    reads: spotAllOrders,
    session: "allOrders",
    example: "symbol=CC-USDC&limit=10",
    answer: async ({ table, history, model }, { view }, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      checkSpan(params);
      const { orderId = null, limit } = params;
      const range = { fromOrderId: orderId, ...boundsOf(params), limit };
      const orders = await history.ordersOfAccount({ account, market: market.id, ...range });
      const shown = shownIn(view, market);
      return listText(
        orders.map((order) => orderText(model.order(account, order.orderId) ?? order, shown)),
      );
    },
  }),
  readRoute("GET /api/v3/myTrades", {
    summary: "The account's fills in a market, with the state of their settlement.",
    weight: 10,
    reads: spotMyTrades,
    session: "myTrades",
    example: "symbol=CC-USDC&limit=10",
    answer: async (context, { view }, params, { account }) => {
      const market = marketOf(context.table, kind, params.symbol);
      const { orderId = null, fromId = null, limit } = params;
      const hasTimes = params.startTime !== undefined || params.endTime !== undefined;
      if (hasTimes && (orderId !== null || fromId !== null)) refused(badCombination);
      checkSpan(params);
      const range = { orderId, fromTradeId: fromId, ...boundsOf(params), limit };
      const fills = await context.history.fillsOfAccount({ account, market: market.id, ...range });
      const shown = shownIn(view, market);
      return listText(
        fills.map((fill) => fillText(fill, shown, settlementOf(context, account, fill))),
      );
    },
  }),
  readRoute("GET /api/v3/myAllocations", {
    summary: "Always empty: the venue has no smart order routing.",
    weight: 10,
    reads: oneSymbol,
    session: "myAllocations",
    example: "symbol=CC-USDC",
    onlyIn: "compat",
    // Always empty: every order trades only in the book of its market.
    answer: ({ table }, _, { symbol }) => {
      marketOf(table, kind, symbol);
      return "[]";
    },
  }),
  // An amended order keeps its client id, so the answer has the same old and new client id.
  readRoute("GET /api/v3/order/amendments", {
    summary: "Amendments of an order, oldest first.",
    weight: 2,
    reads: spotAmendments,
    session: "order.amendments",
    example:
      "symbol=CC-USDC&orderId=$(signed GET /api/v3/order 'symbol=CC-USDC&origClientOrderId=spot-1' | field .orderId)",
    onlyIn: "compat",
    answer: async (parts, { view }, params, caller) => {
      const { symbol, orderId, fromExecutionId: fromSeq, limit } = params;
      const market = marketOf(parts.table, kind, symbol);
      const reference = { market, orderId, clientId: undefined };
      const window = { reference, fromSeq, startUs: null, endUs: null, limit };
      const shown = shownIn(view, market);
      return listText(
        await amendmentTexts(parts, caller, window, (row, order) =>
          amendmentText(row, order, shown),
        ),
      );
    },
  }),
  readRoute("GET /api/v3/myPreventedMatches", {
    summary: "Matches prevented by self-trade prevention.",
    weight: (parameters) => (parameters.get("orderId") === undefined ? 1 : 10),
    reads: spotPreventedMatches,
    session: "myPreventedMatches",
    example:
      "symbol=CC-USDC&orderId=$(signed GET /api/v3/order 'symbol=CC-USDC&origClientOrderId=spot-1' | field .orderId)",
    onlyIn: "compat",
    answer: async ({ table, history }, { view }, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      const { preventedMatchId, orderId, fromPreventedMatchId, limit } = params;
      const isPage = fromPreventedMatchId !== undefined;
      const isOne = preventedMatchId !== undefined;
      if (isOne === (orderId !== undefined) || (isPage && orderId === undefined))
        refused(badCombination);
      const matches = await history.preventedMatches({
        account,
        market: market.id,
        matchId: preventedMatchId ?? null,
        orderId: orderId ?? 0,
        fromMatchId: fromPreventedMatchId ?? 0,
        limit,
      });
      const shown = shownIn(view, market);
      return listText(matches.map((match) => preventedText(match, shown)));
    },
  }),
]);
