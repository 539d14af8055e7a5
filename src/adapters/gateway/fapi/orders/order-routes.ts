// Signed order routes of the perpetual surface: place, amend, query, cancel, list, cancel all, list
// amendments. Parameters are checked here for their form; clearing decides whether an order is admitted.

import type * as z from "zod";
import { maybeSymbol, oneSymbol, orderQuery } from "../../../../../schemas/http/common.ts";
import {
  type FapiAmendParameters,
  type FapiOrderParameters,
  fapiAmend,
  fapiAmendments,
  fapiCountdown,
  fapiOrder,
} from "../../../../../schemas/http/fapi.ts";
import { neededByPerpetualType } from "../../../../../schemas/http/needed-by-type.ts";
import { CommandKind, type PlaceOrder } from "../../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { AmendmentRecord, OrderRecord } from "../../../../ports/journal/history-store.ts";
import { bySymbol } from "../../../../services/access/request-weight.ts";
import { amendmentTexts } from "../../orders/amendments.ts";
import { answerCommand } from "../../orders/answered-command.ts";
import { checkDeclared } from "../../orders/cancel-on-disconnect.ts";
import { foreseenRefusal } from "../../orders/foreseen-refusal.ts";
import {
  type AmendTerms,
  answering,
  OrderFlow,
  type OrderReference,
} from "../../orders/order-flow.ts";
import { msOf, qtyOf, reasonOfFigure, sidesByName } from "../../orders/order-format.ts";
import { perpOrderExample } from "../../requests/example.ts";
import { boundsOf, marketOf } from "../../requests/read-request.ts";
import { type Caller, readRoute, routeGroup, tradeRoute } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import {
  badCombination,
  missingParameter,
  orderUnknownToQuery,
  refuse,
  refused,
  unneededParameter,
  unsupportedOperation,
} from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { fapiErrors } from "../error-map.ts";
import { checkOffered, explained, orderOf } from "./order-request.ts";
import { ackText, orderText } from "./order-text.ts";
import { sentPriceOf } from "./price-decimals.ts";
import { type BookInView, isMatched, matchedPrice } from "./price-match.ts";

const kind = MarketKind.perpetual;

interface OrderParts extends RouteContext {
  readonly flow: OrderFlow;
}

/** The command for an order of `caller`'s account. */
function orderForCaller(
  parts: OrderParts,
  call: HttpCall,
  params: FapiOrderParameters,
  { account }: Caller,
): { readonly market: Market; readonly order: PlaceOrder } {
  const market = marketOf(parts.table, kind, params.symbol);
  const { view } = call;
  const order = orderOf(params, { market, view, model: parts.model }, account);
  checkOffered(call, parts, order);
  if (params.cancelOnDisconnect === true) checkDeclared(call, account);
  return { market, order };
}

/** The order that parameters name; the venue's id takes precedence. */
export function referenceOf(
  params: { orderId?: number | undefined; origClientOrderId?: string | undefined },
  market: Market,
): OrderReference {
  const { orderId, origClientOrderId: clientId } = params;
  if (orderId === undefined && clientId === undefined) refused(missingParameter("orderId"));
  return { market, orderId, clientId };
}

/** Ticks of an amendment's price, sent or matched. */
function amendPriceOf(params: FapiAmendParameters, at: BookInView): number {
  const { price: text, priceMatch, side } = params;
  if (!isMatched(priceMatch)) return sentPriceOf(text ?? refused(missingParameter("price")), at);
  if (text !== undefined) refused(unneededParameter("price"));
  return matchedPrice(priceMatch, sidesByName[side], at);
}

/** The fields of an amendment: new price, new total quantity and the order's side. */
export function amendOf(params: FapiAmendParameters, at: BookInView): AmendTerms {
  const price = amendPriceOf(params, at);
  if (price < 0) refused(fapiErrors[reasonOfFigure(price)]);
  // Refuse a zero price here, because clearing would take it for an unchanged price.
  if (price === 0) refused(fapiErrors[RejectReason.priceNotPositive]);
  const qty = qtyOf(params.quantity, at.market);
  if (qty < 0) refused(fapiErrors[reasonOfFigure(qty)]);
  return { price, qty, side: sidesByName[params.side] };
}
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

/** The order a call names. */
function named({ table }: OrderParts, params: z.output<typeof orderQuery>): OrderReference {
  return referenceOf(params, marketOf(table, kind, params.symbol));
}

const allCancelled = '{"code":200,"msg":"The operation of cancel all open order is done."}';

/** The signed order routes of the perpetual surface. */
export const fapiOrderRoutes = routeGroup(
  (context): OrderParts => ({
    ...context,
    flow: new OrderFlow(context, fapiErrors, orderUnknownToQuery),
  }),
)([
  tradeRoute("POST /fapi/v1/order", {
    summary: "Places an order.",
    isFreeIfDone: true,
    reads: fapiOrder,
    session: "order.place",
    example: `${perpOrderExample}&newClientOrderId=perp-1`,
    neededByType: neededByPerpetualType,
    orders: 1,
    isStrict: true,
    before: ({ flow }, caller) => flow.refuseIfBarred(caller, kind),
    handle: (parts, call, params, caller) => {
      const { market, order } = orderForCaller(parts, call, params, caller);
      const text = params.newOrderRespType === "ACK" ? ackText : orderText;
      const { model, flow } = parts;
      flow.place(call, order, (outcome) => {
        if (!("code" in outcome)) call.json(text(outcome, market));
        else refuse(call, explained(outcome, order, { market, model, view: call.view }));
      });
    },
  }),
  // Checks an order's parameters and the market's filters; sends nothing to clearing. Spec FAP-14.
  tradeRoute("POST /fapi/v1/order/test", {
    summary: "Tests an order without placing it; only in the compat view.",
    reads: fapiOrder,
    exampleLine: `signed POST /compat/fapi/v1/order/test "${perpOrderExample}"`,
    isStrict: true,
    faults: { 501: "Not offered in the root view." },
    before: ({ flow }, caller, { view }) => {
      if (view === "root") refused(unsupportedOperation);
      flow.refuseIfBarred(caller, kind);
    },
    answer: (parts, call, params, caller) => {
      const { market, order } = orderForCaller(parts, call, params, caller);
      const { model } = parts;
      const reason = foreseenRefusal(order, { market, model });
      if (reason === RejectReason.none) return "{}";
      return refused(explained(fapiErrors[reason], order, { market, model, view: call.view }));
    },
  }),
  tradeRoute("PUT /fapi/v1/order", {
    summary: "Amends price and quantity of an open limit order, which keeps its id.",
    isFreeIfDone: true,
    reads: fapiAmend,
    session: "order.modify",
    example: "symbol=BTCUSDT&side=BUY&origClientOrderId=perp-1&quantity=0.010&price=50100",
    orders: 1,
    isStrict: true,
    handle: ({ table, flow, model }, call, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      const reference = referenceOf(params, market);
      const terms = amendOf(params, { market, view: call.view, model });
      const onOutcome = answering(call, (order) => call.json(orderText(order, market)));
      flow.amend(call, account, reference, terms, onOutcome);
    },
  }),
  tradeRoute("POST /fapi/v1/countdownCancelAll", {
    summary: "Cancels all open orders in a market when the countdown ends, unless it is renewed.",
    weight: 10,
    reads: fapiCountdown,
    example: "symbol=ETHUSDT&countdownTime=60000",
    handle: ({ table, bridge, marketClock }, call, { symbol, countdownTime }, { account }) => {
      const market = marketOf(table, kind, symbol);
      const cancelAtUs = countdownTime === 0 ? 0 : marketClock.nowUs() + countdownTime * 1000;
      const terms = { account, market: market.id, cancelAtUs };
      const command = { kind: CommandKind.setCountdown, ...terms } as const;
      const answer = () => `{"symbol":"${market.alias}","countdownTime":"${countdownTime}"}`;
      answerCommand(bridge, call, command, { errors: fapiErrors, answer });
    },
  }),
  readRoute("GET /fapi/v1/order", {
    summary: "One order of the account.",
    reads: orderQuery,
    session: "order.status",
    example: "symbol=BTCUSDT&origClientOrderId=perp-1",
    answer: async (parts, _, params, caller) => {
      const reference = named(parts, params);
      return orderText(await parts.flow.find(caller, reference), reference.market);
    },
  }),
  tradeRoute("DELETE /fapi/v1/order", {
    summary: "Cancels one order.",
    reads: orderQuery,
    session: "order.cancel",
    example: "symbol=BTCUSDT&origClientOrderId=perp-1",
    handle: (parts, call, params, caller) => {
      const reference = named(parts, params);
      parts.flow.cancel(call, caller, reference, (order) =>
        call.json(orderText(order, reference.market)),
      );
    },
  }),
  readRoute("GET /fapi/v1/openOrder", {
    summary: "One open order.",
    reads: orderQuery,
    example: "symbol=BTCUSDT&origClientOrderId=perp-1",
    answer: async (parts, _, params, caller) => {
      const reference = named(parts, params);
      const order = await parts.flow.find(caller, reference);
      if (order.status !== OrderStatus.open) refused(orderUnknownToQuery);
      return orderText(order, reference.market);
    },
  }),
  readRoute("GET /fapi/v1/openOrders", {
    summary: "The account's open orders.",
    weight: bySymbol(1, 40),
    reads: maybeSymbol,
    answer: ({ table, model }, { view }, { symbol }, { account }) => {
      const market = symbol === undefined ? null : marketOf(table, kind, symbol);
      return model.openOrders.list(account, { kind, market, view }, orderText);
    },
  }),
  tradeRoute("DELETE /fapi/v1/allOpenOrders", {
    summary: "Cancels all open orders of the account in a market.",
    reads: oneSymbol,
    example: "symbol=BTCUSDT",
    handle: ({ table, flow }, call, { symbol }, caller) => {
      const market = marketOf(table, kind, symbol);
      flow.cancelAll(call, caller, market, () => call.json(allCancelled));
    },
  }),
  readRoute("GET /fapi/v1/orderAmendment", {
    summary: "Amendments of an order, newest first.",
    reads: fapiAmendments,
    example: "symbol=BTCUSDT&origClientOrderId=perp-1",
    onlyIn: "compat",
    answer: async (parts, _, params, caller) => {
      const reference = named(parts, params);
      const { startTime, endTime, limit } = params;
      const isReversed = (startTime ?? 0) > (endTime ?? Number.POSITIVE_INFINITY);
      if (isReversed) refused(badCombination);
      const window = { reference, fromSeq: null, ...boundsOf(params), limit };
      const texts = await amendmentTexts(parts, caller, window, (row, order) =>
        amendmentText(row, order, reference.market),
      );
      return `[${texts.reverse().join(",")}]`;
    },
  }),
]);
