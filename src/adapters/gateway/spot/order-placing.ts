// POST order and order/test of the spot surface. This file checks the required and conflicting parameters of each order
// type, converts figures to ticks, lots and minor units, and renders the answer to an accepted order. The new order of
// cancelReplace is converted here too, so that every route gives the same refusals.

import { neededBySpotType } from "../../../../schemas/http/needed-by-type.ts";
import {
  type SpotOrderParameters,
  spotOrder,
  spotOrderTest,
} from "../../../../schemas/http/spot.ts";
import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { parseAmount } from "../../../core/money/amounts.ts";
import {
  isConditional,
  OrderType,
  TimeInForce,
  timesInForce,
  tradedType,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import type { MarketBook } from "../orders/book-level.ts";
import { checkDeclared } from "../orders/cancel-on-disconnect.ts";
import { plainOrder } from "../orders/command-bridge.ts";
import { foreseenRefusal } from "../orders/foreseen-refusal.ts";
import { OrderFlow } from "../orders/order-flow.ts";
import {
  priceOf,
  qtyOf,
  reasonOfFigure,
  type ShownMarket,
  shownIn,
  sidesByName,
  stpModesByName,
} from "../orders/order-format.ts";
import type { ReadModel } from "../read-model.ts";
import { spotOrderExample } from "../requests/example.ts";
import { marketOf } from "../requests/read-request.ts";
import { routeGroup, tradeRoute } from "../requests/route.ts";
import {
  badStrategyType,
  hinted,
  icebergNeedsGtc,
  illegalParameter,
  listedIcebergNeedsGtc,
  missingParameter,
  precisionExceeded,
  refuse,
  refused,
  unneededParameter,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { orderCommissionText, ratesOf } from "./commission-text.ts";
import { spotErrors } from "./error-map.ts";
import { explainerOf, priceHint, qtyHint } from "./filter-hints.ts";
import { ackMessage, fullMessage, resultMessage } from "./order-messages.ts";
import type { OrderRole } from "./order-role.ts";
import { type PegParameters, pegged, pegText } from "./pegged-price.ts";
import { ackText, fullText, resultText } from "./render.ts";

const typesByName = {
  LIMIT: OrderType.limit,
  MARKET: OrderType.market,
  LIMIT_MAKER: OrderType.limitMaker,
  STOP_LOSS: OrderType.stopMarket,
  STOP_LOSS_LIMIT: OrderType.stop,
  TAKE_PROFIT: OrderType.takeProfitMarket,
  TAKE_PROFIT_LIMIT: OrderType.takeProfit,
} as const;

/** Matches an amount with more decimals than any asset has (exchangeInfo: precision 8). */
const tooManyPlaces = /\.\d{8}\d*[1-9]/;
const zero = /^0+(\.0*)?$/;

/** The lowest strategy type a client may use: Binance reserves smaller numbers. */
const strategyTypeMin = 1_000_000;

type NameOf = OrderRole["nameOf"];

const byItself: OrderRole = { nameOf: (name) => name, isListed: false, isPending: false };

/** Refuses an order that lacks a parameter its type needs. */
function checkNeeded(params: SpotOrderParameters, type: OrderType, nameOf: NameOf): void {
  const traded = tradedType(type);
  const isByAmount = type === OrderType.market && params.quoteOrderQty !== undefined;
  if (params.quantity === undefined && !isByAmount) refused(missingParameter(nameOf("quantity")));
  const isPriced = params.price !== undefined || params.pegPriceType !== undefined;
  if (traded !== OrderType.market && !isPriced) refused(missingParameter(nameOf("price")));
  if (traded === OrderType.limit && params.timeInForce === undefined) {
    refused(missingParameter(nameOf("timeInForce")));
  }
  const needsStop = isConditional(type) && params.stopPrice === undefined;
  if (needsStop) refused(missingParameter(nameOf("stopPrice")));
}

/** Refuses parameters that conflict with the type. */
function checkUnneeded(params: SpotOrderParameters, type: OrderType, nameOf: NameOf): void {
  const traded = tradedType(type);
  const { timeInForce, stopPrice, quoteOrderQty } = params;
  if (params.price !== undefined && traded === OrderType.market)
    refused(unneededParameter(nameOf("price")));
  const isGtcMaker = traded === OrderType.limitMaker && timeInForce === "GTC";
  if (timeInForce !== undefined && traded !== OrderType.limit && !isGtcMaker) {
    refused(unneededParameter(nameOf("timeInForce")));
  }
  // A zero counts as absent, because clients send zero for a price they do not use.
  const hasStop = stopPrice !== undefined && !zero.test(stopPrice);
  if (hasStop && !isConditional(type)) refused(unneededParameter(nameOf("stopPrice")));
  if (quoteOrderQty === undefined) return;
  const isAlone = type === OrderType.market && params.quantity === undefined;
  if (!isAlone) refused(unneededParameter("quoteOrderQty"));
}

/** Lots of one slice of an iceberg order with `qty` lots; 0 for an order that shows all of them. */
function icebergQtyOf(
  { icebergQty, timeInForce }: SpotOrderParameters,
  { type, qty }: { readonly type: OrderType; readonly qty: number },
  market: Market,
  { nameOf, isListed }: OrderRole,
): number {
  if (icebergQty === undefined || zero.test(icebergQty)) return 0;
  const traded = tradedType(type);
  if (traded === OrderType.market) refused(unneededParameter(nameOf("icebergQty")));
  if (traded === OrderType.limit && timeInForce !== "GTC") {
    const [own, needed] = [nameOf("icebergQty"), nameOf("timeInForce")];
    refused(isListed ? listedIcebergNeedsGtc(own, needed) : icebergNeedsGtc);
  }
  const lots = lotsOf(icebergQty, nameOf("icebergQty"), market);
  return lots === qty ? 0 : lots;
}

function timeInForceOf(params: SpotOrderParameters, type: OrderType): TimeInForce {
  const traded = tradedType(type);
  if (traded === OrderType.market) return TimeInForce.ioc;
  return traded === OrderType.limitMaker
    ? TimeInForce.gtx
    : timesInForce[params.timeInForce ?? "GTC"].code;
}

/** Ticks of a price; a refusal names it by `nameOf`. */
function ticksOf(
  text: string,
  name: "price" | "stopPrice",
  { market, nameOf }: { readonly market: Market; readonly nameOf: NameOf },
): number {
  if (tooManyPlaces.test(text)) refused(precisionExceeded);
  const price = priceOf(text, market);
  if (price >= 0 && !(price === 0 && name === "stopPrice")) return price;
  const reason = price === 0 ? RejectReason.priceNotPositive : reasonOfFigure(price);
  return refused(hinted(spotErrors[reason], priceHint(nameOf(name), text, market)));
}

/** Lots of a quantity. */
export function lotsOf(text: string, name: string, market: Market): number {
  if (tooManyPlaces.test(text)) refused(precisionExceeded);
  const qty = qtyOf(text, market);
  if (qty >= 0) return qty;
  return refused(hinted(spotErrors[reasonOfFigure(qty)], qtyHint(name, text, market)));
}

/** Minor units of the quote asset to spend or to receive. */
function amountOf(text: string, market: Market): bigint {
  const amount = parseAmount(text, market.quote.decimals);
  if (amount !== null && amount > 0n) return amount;
  if (amount === 0n) refused(spotErrors[RejectReason.notionalTooSmall]);
  const isLong = parseAmount(text.replace(/\..*/, ""), market.quote.decimals) === null;
  return refused(isLong ? illegalParameter("quoteOrderQty") : precisionExceeded);
}

/** The command for an order. Refusals name its parameters as the client did. */
export function orderOf(
  params: SpotOrderParameters,
  book: MarketBook,
  account: number,
  role: OrderRole = byItself,
): PlaceOrder {
  const { market } = book;
  const { nameOf } = role;
  const type = typesByName[params.type];
  checkNeeded(params, type, nameOf);
  checkUnneeded(params, type, nameOf);
  if ((params.strategyType ?? strategyTypeMin) < strategyTypeMin) refused(badStrategyType);
  const named = { market, nameOf };
  const limit = params.price === undefined ? 0 : ticksOf(params.price, "price", named);
  const { pegPriceType, pegOffsetType, pegOffsetValue } = params;
  const isPlain = (pegPriceType ?? pegOffsetType ?? pegOffsetValue) === undefined;
  if (!isPlain && params.price !== undefined && limit === 0) {
    refused(spotErrors[RejectReason.priceNotPositive]);
  }
  const { quantity } = params;
  const qty = quantity === undefined ? 0 : lotsOf(quantity, nameOf("quantity"), market);
  const { stopPrice, quoteOrderQty } = params;
  const triggerPrice = isConditional(type) ? ticksOf(stopPrice ?? "0", "stopPrice", named) : 0;
  const quoteQty = quoteOrderQty === undefined ? 0n : amountOf(quoteOrderQty, market);
  const order = plainOrder(account, market.id);
  order.price = limit;
  if (!isPlain) Object.assign(order, pegged(params, { type, limit }, book, role));
  order.side = sidesByName[params.side];
  order.type = type;
  order.timeInForce = timeInForceOf(params, type);
  order.qty = qty;
  order.icebergQty = icebergQtyOf(params, order, market, role);
  order.clientId = params.newClientOrderId ?? "";
  order.stpMode = stpModesByName[params.selfTradePreventionMode ?? "NONE"];
  order.triggerPrice = triggerPrice;
  order.quoteQty = quoteQty;
  return order;
}

/** Adds a hint to a refusal of an order by a filter, if the view shows hints (`filter-hints.ts`). */
export const explained = explainerOf(spotErrors);

/** What decides the form of the answer to an order. */
type AnswerParameters = PegParameters & Pick<SpotOrderParameters, "newOrderRespType">;

/** The answer to an accepted order in the requested form. It reads the order's fills, which can be read only once. */
export function placedText(
  model: ReadModel,
  order: OrderRecord,
  { market, params }: { readonly market: ShownMarket; readonly params: AnswerParameters },
): string {
  // Only an order that has traded has fills.
  const fills = order.filledQty > 0 ? model.takeFills(order.orderId) : [];
  const { newOrderRespType: form } = params;
  if (form === "ACK") return ackText(order, market);
  const more = params.pegPriceType === undefined ? "" : pegText(params, order, market);
  return form === "RESULT"
    ? resultText(order, market, more)
    : fullText(order, market, { fills, more });
}

/** Answers a call whose order was accepted, as JSON or in SBE. */
function answerPlaced(
  call: HttpCall,
  model: ReadModel,
  order: OrderRecord,
  shown: { readonly market: ShownMarket; readonly params: AnswerParameters },
): void {
  const { sbe } = call;
  const { market, params } = shown;
  // The few fields of a peg are only in the JSON form, from which the SBE form is made then.
  if (sbe === null || params.pegPriceType !== undefined) {
    call.json(placedText(model, order, shown));
    return;
  }
  const fills = order.filledQty > 0 ? model.takeFills(order.orderId) : [];
  const { newOrderRespType: form } = params;
  if (form === "ACK") call.message(sbe, "NewOrderAckResponse", ackMessage(order, market));
  else if (form === "RESULT")
    call.message(sbe, "NewOrderResultResponse", resultMessage(order, market));
  else call.message(sbe, "NewOrderFullResponse", fullMessage(order, market, fills));
}

/** The routes that place an order or test one. */
export const spotPlacingRoutes = routeGroup((context) => {
  return { ...context, flow: new OrderFlow(context, spotErrors) };
})([
  tradeRoute("POST /api/v3/order", {
    summary: "Places an order.",
    isFreeIfDone: true,
    reads: spotOrder,
    session: "order.place",
    example: `${spotOrderExample}&newClientOrderId=spot-1`,
    neededByType: neededBySpotType,
    orders: 1,
    isStrict: true,
    before: ({ flow }, caller) => flow.refuseIfBarred(caller, MarketKind.spot),
    handle: ({ model, table, flow }, call, params, { account }) => {
      const market = marketOf(table, MarketKind.spot, params.symbol);
      const order = orderOf(params, { market, model }, account);
      if (params.cancelOnDisconnect === true) checkDeclared(call, account);
      const { view } = call;
      flow.place(call, order, (outcome) => {
        if ("code" in outcome) refuse(call, explained(outcome, order, { market, model, view }));
        else answerPlaced(call, model, outcome, { market: shownIn(view, market), params });
      });
    },
  }),
  // Runs the checks that this front can make on an order; nothing is sent to clearing.
  tradeRoute("POST /api/v3/order/test", {
    summary: "Tests an order without placing it.",
    reads: spotOrderTest,
    session: "order.test",
    example: spotOrderExample,
    isStrict: true,
    before: ({ flow }, caller) => flow.refuseIfBarred(caller, MarketKind.spot),
    answer: ({ model, table }, call, params, { account }) => {
      const { view } = call;
      const market = marketOf(table, MarketKind.spot, params.symbol);
      const order = orderOf(params, { market, model }, account);
      if (params.cancelOnDisconnect === true) checkDeclared(call, account);
      const reason = foreseenRefusal(order, { market, model });
      if (reason !== RejectReason.none) {
        return explained(spotErrors[reason], order, { market, model, view });
      }
      const rates = ratesOf(model.state, account, market);
      return params.computeCommissionRates ? orderCommissionText(rates) : "{}";
    },
  }),
]);
