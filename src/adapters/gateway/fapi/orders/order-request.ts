// Converts POST order of the perpetual surface to a command. It checks the required and conflicting parameters of each
// order type, and converts figures to ticks, lots and basis points. Single orders, batch elements, order/test and the
// algo routes are all converted here, so that all of them get the same refusals.

import type { FapiOrderParameters } from "../../../../../schemas/http/fapi.ts";
import type { PlaceOrder } from "../../../../core/generated/commands.ts";
import { trailingBpsMax, trailingBpsMin } from "../../../../core/limits.ts";
import { DecimalFault, parseScaled } from "../../../../core/money/amounts.ts";
import {
  isClientId,
  isConditional,
  OrderType,
  TimeInForce,
  timesInForce,
  tradedType,
  WorkingPrice,
} from "../../../../core/orders.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import { plainOrder } from "../../orders/command-bridge.ts";
import { qtyOf, reasonOfFigure, sidesByName, stpModesByName } from "../../orders/order-format.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import {
  hinted,
  illegalParameter,
  missingParameter,
  precisionExceeded,
  refused,
  unneededParameter,
} from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { explainerOf, priceHint, qtyHint } from "../../spot/filter-hints.ts";
import {
  badClientId,
  badPositionSide,
  fapiErrors,
  onlyByAlgo,
  onlyLimitMatches,
} from "../error-map.ts";
import { type MarketInView, sentPriceOf } from "./price-decimals.ts";
import { type BookInView, isMatched, matchedPrice } from "./price-match.ts";

const typesByName = {
  LIMIT: OrderType.limit,
  MARKET: OrderType.market,
  STOP: OrderType.stop,
  STOP_MARKET: OrderType.stopMarket,
  TAKE_PROFIT: OrderType.takeProfit,
  TAKE_PROFIT_MARKET: OrderType.takeProfitMarket,
  TRAILING_STOP_MARKET: OrderType.trailingStopMarket,
} as const;

/** Decimals of a callback rate in percent (0.1 to 20). Binance accepts only one decimal. */
const callbackDecimals = 2;

/** Returns whether the client set no price: the parameter is omitted or zero. */
function isNone(text: string | undefined): boolean {
  return text === undefined || /^0+(\.0*)?$/.test(text);
}

/** Refuses conditional orders where Binance accepts them only on another route. Spec CMP-21. */
export function checkOffered(
  { view }: Pick<HttpCall, "view">,
  { isStrict }: Pick<RouteContext, "isStrict">,
  { type }: PlaceOrder,
): void {
  if (isStrict && view === "compat" && isConditional(type)) refused(onlyByAlgo);
}

/** Refuses an order that lacks a parameter its type needs. */
function checkNeeded(params: FapiOrderParameters, type: OrderType): void {
  if (params.quantity === undefined && params.closePosition !== true) {
    refused(missingParameter("quantity"));
  }
  if (type === OrderType.limit && params.timeInForce === undefined) {
    refused(missingParameter("timeInForce"));
  }
  if (
    tradedType(type) === OrderType.limit &&
    params.price === undefined &&
    !isMatched(params.priceMatch)
  ) {
    refused(missingParameter("price"));
  }
  if (type === OrderType.trailingStopMarket) {
    if (isNone(params.callbackRate)) refused(missingParameter("callbackRate"));
    return;
  }
  if (isConditional(type) && isNone(params.stopPrice)) refused(missingParameter("stopPrice"));
  const needsTime = params.timeInForce === "GTD" && (params.goodTillDate ?? 0) === 0;
  if (needsTime) refused(missingParameter("goodTillDate"));
}

/** Refuses parameters that conflict with the type. */
function checkUnneeded(params: FapiOrderParameters, type: OrderType): void {
  const isTrailing = type === OrderType.trailingStopMarket;
  const isAtMarket = tradedType(type) === OrderType.market;
  const hasTime = params.timeInForce !== undefined;
  const isPlainTime = isConditional(type) && params.timeInForce === "GTC";
  const isOfPosition = params.timeInForce === "GTE_GTC";
  const isRightTime = isOfPosition ? params.closePosition === true : !isAtMarket || isPlainTime;
  const belongs: readonly (readonly [name: string, isThere: boolean, isRight: boolean])[] = [
    ["price", params.price !== undefined, !isAtMarket && !isMatched(params.priceMatch)],
    ["timeInForce", hasTime, isRightTime],
    ["stopPrice", !isNone(params.stopPrice), isConditional(type) && !isTrailing],
    ["callbackRate", !isNone(params.callbackRate), isTrailing],
    ["activationPrice", !isNone(params.activationPrice), isTrailing],
    ["goodTillDate", (params.goodTillDate ?? 0) !== 0, params.timeInForce === "GTD"],
    ["closePosition", params.closePosition === true, closesAll(type)],
    ["quantity", params.quantity !== undefined, params.closePosition !== true],
    ["reduceOnly", params.reduceOnly === true, params.closePosition !== true],
  ];
  const stray = belongs.find(([, isThere, isRight]) => isThere && !isRight);
  if (stray !== undefined) refused(unneededParameter(stray[0]));
}

function closesAll(type: OrderType): boolean {
  return type === OrderType.stopMarket || type === OrderType.takeProfitMarket;
}

/** Refuses parameters that select modes this venue does not support, and invalid client ids. */
function checkMode(params: FapiOrderParameters): void {
  if (params.positionSide === "LONG" || params.positionSide === "SHORT") refused(badPositionSide);
  if (params.priceProtect === true) refused(illegalParameter("priceProtect"));
  if (isMatched(params.priceMatch) && params.type !== "LIMIT") refused(onlyLimitMatches);
  const { newClientOrderId: clientId } = params;
  if (clientId !== undefined && !isClientId(clientId)) refused(badClientId);
}

/** Of an order at the market it says only whether the order belongs to its position. */
function timeInForceOf({ timeInForce = "GTC" }: FapiOrderParameters, type: OrderType): TimeInForce {
  if (timeInForce === "GTE_GTC") return TimeInForce.gte;
  return tradedType(type) === OrderType.market ? TimeInForce.ioc : timesInForce[timeInForce].code;
}

/** Ticks of an order's limit price, sent or matched. */
function limitPriceOf(params: FapiOrderParameters, at: BookInView): number {
  const { priceMatch, side } = params;
  if (!isMatched(priceMatch)) return ticksOf(params, "price", at);
  return matchedPrice(priceMatch, sidesByName[side], at);
}

/** Ticks of a price; an invalid one is refused with the nearest valid price. */
function ticksOf(
  params: FapiOrderParameters,
  name: "price" | "stopPrice" | "activationPrice",
  at: MarketInView,
): number {
  const text = params[name] ?? "0";
  const price = sentPriceOf(text, at);
  if (price >= 0) return price;
  return refused(hinted(fapiErrors[reasonOfFigure(price)], priceHint(name, text, at.market)));
}

/** Basis points of a callback rate in percent. */
function trailingBpsOf(text: string): number {
  const bps = parseScaled(text, callbackDecimals);
  if (bps === DecimalFault.tooPrecise) refused(precisionExceeded);
  if (bps >= trailingBpsMin && bps <= trailingBpsMax) return bps;
  return refused(fapiErrors[RejectReason.trailingOutOfRange]);
}

/** Sets the trigger of a conditional order. */
function takeTrigger(order: PlaceOrder, params: FapiOrderParameters, at: MarketInView): void {
  const isTrailing = order.type === OrderType.trailingStopMarket;
  if (isTrailing) {
    order.trailingBps = trailingBpsOf(params.callbackRate ?? "");
    order.activationPrice = ticksOf(params, "activationPrice", at);
  } else order.triggerPrice = ticksOf(params, "stopPrice", at);
  if (params.workingType === "MARK_PRICE") order.workingPrice = WorkingPrice.mark;
  order.closesPosition = params.closePosition === true;
}

/**
 * The command for an order. The view in `at` decides how many decimals a price may have; its book gives a matched price.
 */
export function orderOf(params: FapiOrderParameters, at: BookInView, account: number): PlaceOrder {
  const { market } = at;
  const type = typesByName[params.type];
  checkNeeded(params, type);
  checkUnneeded(params, type);
  checkMode(params);
  const price = limitPriceOf(params, at);
  const qty = qtyOf(params.quantity ?? "0", market);
  if (qty < 0) {
    const hint = qtyHint("quantity", params.quantity ?? "", market);
    refused(hinted(fapiErrors[reasonOfFigure(qty)], hint));
  }
  const order = plainOrder(account, market.id);
  order.side = sidesByName[params.side];
  order.type = type;
  order.timeInForce = timeInForceOf(params, type);
  order.price = price;
  order.qty = qty;
  order.isReduceOnly = params.reduceOnly === true;
  order.stpMode = stpModesByName[params.selfTradePreventionMode ?? "NONE"];
  order.goodTillUs = (params.goodTillDate ?? 0) * 1000;
  order.clientId = params.newClientOrderId ?? "";
  if (isConditional(type)) takeTrigger(order, params, at);
  return order;
}

/** Adds a hint to a refusal of an order, if the view shows hints. The hint is a value that would have been accepted. */
export const explained = explainerOf(fapiErrors);
