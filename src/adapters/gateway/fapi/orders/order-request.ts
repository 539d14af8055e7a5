// POST order of the perpetual surface as a command: which parameters its type needs, which do not
// belong beside it, and its figures in ticks, lots and basis points. One order, a batch's element,
// order/test and the algo routes are all read here, so they are refused alike (binance-compat 5.3).

import type { FapiOrderParameters } from "../../../../../schemas/http/fapi.ts";
import type { PlaceOrder } from "../../../../core/generated/commands.ts";
import type { Market } from "../../../../core/markets.ts";
import { DecimalFault, parseScaled } from "../../../../core/money/decimal.ts";
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
import { qtyOf, reasonOfFigure, sidesByWord, stpModesByWord } from "../../orders/order-words.ts";
import type { RouteContext } from "../../requests/route.ts";
import {
  hinted,
  illegalParameter,
  missingParameter,
  precisionExceeded,
  type SurfaceError,
  unneededParameter,
} from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { explainerOf, priceHint, qtyHint } from "../../spot/filter-hints.ts";
import { badClientId, badPositionSide, fapiErrors, onlyByAlgo } from "../error-map.ts";
import { type AskedMarket, sentPriceOf } from "./price-places.ts";

const typesByWord = {
  LIMIT: OrderType.limit,
  MARKET: OrderType.market,
  STOP: OrderType.stop,
  STOP_MARKET: OrderType.stopMarket,
  TAKE_PROFIT: OrderType.takeProfit,
  TAKE_PROFIT_MARKET: OrderType.takeProfitMarket,
  TRAILING_STOP_MARKET: OrderType.trailingStopMarket,
} as const;

/** Percent with one place more than Binance's step: 0.1 to 10. */
const callbackDecimals = 2;
const callbackBounds = { min: 10, max: 1000 } as const;

/** Clients send a zero for a price they do not mean. */
function isNone(text: string | undefined): boolean {
  return text === undefined || /^0+(\.0*)?$/.test(text);
}

/** The order, or Binance's refusal of it on this route: conditional ones have another one there. Spec CMP-21. */
export function offeredAt(
  { view }: Pick<HttpCall, "view">,
  { isStrict }: Pick<RouteContext, "isStrict">,
  order: PlaceOrder | SurfaceError,
): PlaceOrder | SurfaceError {
  if ("code" in order || !isStrict || view !== "compat") return order;
  return isConditional(order.type) ? onlyByAlgo : order;
}

/** The first parameter that the type needs and does not have. */
function missingFault(asked: FapiOrderParameters, type: OrderType): SurfaceError | undefined {
  if (asked.quantity === undefined && asked.closePosition !== true) {
    return missingParameter("quantity");
  }
  if (type === OrderType.limit && asked.timeInForce === undefined) {
    return missingParameter("timeInForce");
  }
  if (tradedType(type) === OrderType.limit && asked.price === undefined) {
    return missingParameter("price");
  }
  if (type === OrderType.trailingStopMarket) {
    return isNone(asked.callbackRate) ? missingParameter("callbackRate") : undefined;
  }
  if (isConditional(type) && isNone(asked.stopPrice)) return missingParameter("stopPrice");
  const needsTime = asked.timeInForce === "GTD" && (asked.goodTillDate ?? 0) === 0;
  return needsTime ? missingParameter("goodTillDate") : undefined;
}

/** The first parameter that does not belong beside the type. */
function unneededFault(asked: FapiOrderParameters, type: OrderType): SurfaceError | undefined {
  const isTrailing = type === OrderType.trailingStopMarket;
  const isAtMarket = tradedType(type) === OrderType.market;
  const hasTime = asked.timeInForce !== undefined;
  const isPlainTime = isConditional(type) && asked.timeInForce === "GTC";
  const belongs: readonly (readonly [name: string, isThere: boolean, isRight: boolean])[] = [
    ["price", asked.price !== undefined, !isAtMarket],
    ["timeInForce", hasTime, !isAtMarket || isPlainTime],
    ["stopPrice", !isNone(asked.stopPrice), isConditional(type) && !isTrailing],
    ["callbackRate", !isNone(asked.callbackRate), isTrailing],
    ["activationPrice", !isNone(asked.activationPrice), isTrailing],
    ["goodTillDate", (asked.goodTillDate ?? 0) !== 0, asked.timeInForce === "GTD"],
    ["closePosition", asked.closePosition === true, closesAll(type)],
    ["quantity", asked.quantity !== undefined, asked.closePosition !== true],
    ["reduceOnly", asked.reduceOnly === true, asked.closePosition !== true],
  ];
  const stray = belongs.find(([, isThere, isRight]) => isThere && !isRight);
  return stray && unneededParameter(stray[0]);
}

function closesAll(type: OrderType): boolean {
  return type === OrderType.stopMarket || type === OrderType.takeProfitMarket;
}

/** What belongs to a mode this venue has not, or is badly named. */
function unofferedFault(asked: FapiOrderParameters): SurfaceError | undefined {
  if (asked.positionSide === "LONG" || asked.positionSide === "SHORT") return badPositionSide;
  if (asked.priceProtect === true) return illegalParameter("priceProtect");
  const { newClientOrderId: clientId } = asked;
  return clientId === undefined || isClientId(clientId) ? undefined : badClientId;
}

/** The refusal behind a negative price, with the nearest that would do. */
function priceFault(
  price: number,
  name: "price" | "stopPrice" | "activationPrice",
  asked: FapiOrderParameters,
  market: Market,
): SurfaceError {
  return hinted(fapiErrors[reasonOfFigure(price)], priceHint(name, asked[name] ?? "", market));
}

/** Basis points of a callback rate in percent, or what is wrong with it. */
function trailingBpsOf(text: string): number | SurfaceError {
  const bps = parseScaled(text, callbackDecimals);
  if (bps === DecimalFault.tooPrecise) return precisionExceeded;
  return bps < callbackBounds.min || bps > callbackBounds.max
    ? fapiErrors[RejectReason.trailingOutOfRange]
    : bps;
}

/** Writes down what a conditional order waits for, or answers what is wrong with that. */
function takeTrigger(
  order: PlaceOrder,
  asked: FapiOrderParameters,
  at: AskedMarket,
): SurfaceError | undefined {
  const { market } = at;
  const isTrailing = order.type === OrderType.trailingStopMarket;
  const trailingBps = isTrailing ? trailingBpsOf(asked.callbackRate ?? "") : 0;
  if (typeof trailingBps !== "number") return trailingBps;
  order.trailingBps = trailingBps;
  order.triggerPrice = isTrailing ? 0 : sentPriceOf(asked.stopPrice ?? "0", at);
  if (order.triggerPrice < 0) return priceFault(order.triggerPrice, "stopPrice", asked, market);
  order.activationPrice = isTrailing ? sentPriceOf(asked.activationPrice ?? "0", at) : 0;
  if (order.activationPrice < 0) {
    return priceFault(order.activationPrice, "activationPrice", asked, market);
  }
  if (asked.workingType === "MARK_PRICE") order.workingPrice = WorkingPrice.mark;
  order.closesPosition = asked.closePosition === true;
  return undefined;
}

/** The order as clearing takes it from a caller of the view, or the first thing wrong with it. */
export function orderOf(
  asked: FapiOrderParameters,
  at: AskedMarket,
  account: number,
): PlaceOrder | SurfaceError {
  const { market } = at;
  const type = typesByWord[asked.type];
  const fault = missingFault(asked, type) ?? unneededFault(asked, type) ?? unofferedFault(asked);
  if (fault !== undefined) return fault;
  const price = sentPriceOf(asked.price ?? "0", at);
  if (price < 0) return priceFault(price, "price", asked, market);
  const qty = qtyOf(asked.quantity ?? "0", market);
  if (qty < 0) {
    const hint = qtyHint("quantity", asked.quantity ?? "", market);
    return hinted(fapiErrors[reasonOfFigure(qty)], hint);
  }
  const isAtMarket = tradedType(type) === OrderType.market;
  const order = plainOrder(account, market.id);
  order.side = sidesByWord[asked.side];
  order.type = type;
  order.timeInForce = isAtMarket ? TimeInForce.ioc : timesInForce[asked.timeInForce ?? "GTC"].code;
  order.price = price;
  order.qty = qty;
  order.isReduceOnly = asked.reduceOnly === true;
  order.stpMode = stpModesByWord[asked.selfTradePreventionMode ?? "NONE"];
  order.goodTillUs = (asked.goodTillDate ?? 0) * 1000;
  order.clientId = asked.newClientOrderId ?? "";
  return (isConditional(type) ? takeTrigger(order, asked, at) : undefined) ?? order;
}

/** A refusal of `order` with what would have passed (decided.md 7), where the view shows it. */
export const explained = explainerOf(fapiErrors);
