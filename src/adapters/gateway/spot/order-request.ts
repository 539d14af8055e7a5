// POST order of the spot surface as a command: which parameters its type needs, which do not belong
// beside it, and its figures in ticks, lots and minor units. Orders, order/test and the new half of
// cancelReplace are all read here, so they are refused alike (binance-compat 4.3).

import type { SpotOrderParameters } from "../../../../schemas/http/spot.ts";
import type { Market } from "../../../core/markets.ts";
import { parseAmount } from "../../../core/money/decimal.ts";
import {
  isConditional,
  noOptions,
  OrderType,
  TimeInForce,
  tradedType,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { type OrderAsk, orderAsk } from "../orders/order-ask.ts";
import { priceOf, qtyOf, reasonOfFigure } from "../orders/order-flow.ts";
import { sidesByWord, stpModesByWord, timesInForceByWord } from "../orders/order-words.ts";
import {
  badStrategyType,
  hinted,
  illegalParameter,
  missingParameter,
  precisionExceeded,
  type SurfaceError,
  unneededParameter,
} from "../requests/surface-error.ts";
import { spotErrors } from "./error-map.ts";
import { priceHint, qtyHint } from "./filter-hints.ts";

const typesByWord = {
  LIMIT: OrderType.limit,
  MARKET: OrderType.market,
  LIMIT_MAKER: OrderType.limitMaker,
  STOP_LOSS: OrderType.stopMarket,
  STOP_LOSS_LIMIT: OrderType.stop,
  TAKE_PROFIT: OrderType.takeProfitMarket,
  TAKE_PROFIT_LIMIT: OrderType.takeProfit,
} as const;

/** More places than this are beyond any asset (exchangeInfo: precision 8). */
const tooManyPlaces = /\.\d{8}\d*[1-9]/;
const zero = /^0+(\.0*)?$/;

/** Smaller numbers are kept by Binance for itself. */
const strategyTypeMin = 1_000_000;

/** The first parameter that the type needs and does not have. */
function missingFault(asked: SpotOrderParameters, type: OrderType): SurfaceError | undefined {
  const traded = tradedType(type);
  const isByAmount = type === OrderType.market && asked.quoteOrderQty !== undefined;
  if (asked.quantity === undefined && !isByAmount) return missingParameter("quantity");
  if (traded !== OrderType.market && asked.price === undefined) return missingParameter("price");
  if (traded === OrderType.limit && asked.timeInForce === undefined) {
    return missingParameter("timeInForce");
  }
  const needsStop = isConditional(type) && asked.stopPrice === undefined;
  return needsStop ? missingParameter("stopPrice") : undefined;
}

/** The first parameter that does not belong beside the type. */
function unneededFault(asked: SpotOrderParameters, type: OrderType): SurfaceError | undefined {
  const traded = tradedType(type);
  const { timeInForce, stopPrice, quoteOrderQty } = asked;
  if (asked.price !== undefined && traded === OrderType.market) return unneededParameter("price");
  const isGtcMaker = traded === OrderType.limitMaker && timeInForce === "GTC";
  if (timeInForce !== undefined && traded !== OrderType.limit && !isGtcMaker) {
    return unneededParameter("timeInForce");
  }
  // Clients send a zero for a price they do not mean.
  const hasStop = stopPrice !== undefined && !zero.test(stopPrice);
  if (hasStop && !isConditional(type)) return unneededParameter("stopPrice");
  if (quoteOrderQty === undefined) return undefined;
  const isAlone = type === OrderType.market && asked.quantity === undefined;
  return isAlone ? undefined : unneededParameter("quoteOrderQty");
}

function timeInForceOf(asked: SpotOrderParameters, type: OrderType): TimeInForce {
  const traded = tradedType(type);
  if (traded === OrderType.market) return TimeInForce.ioc;
  return traded === OrderType.limitMaker
    ? TimeInForce.gtx
    : timesInForceByWord[asked.timeInForce ?? "GTC"];
}

/** Ticks, or what is wrong with the price. */
function ticksOf(text: string, name: "price" | "stopPrice", market: Market): number | SurfaceError {
  if (tooManyPlaces.test(text)) return precisionExceeded;
  const price = priceOf(text, market);
  if (price >= 0 && !(price === 0 && name === "stopPrice")) return price;
  const reason = price === 0 ? RejectReason.priceNotPositive : reasonOfFigure(price);
  return hinted(spotErrors[reason], priceHint(name, text, market));
}

/** Lots, or what is wrong with the quantity. */
export function lotsOf(text: string, name: string, market: Market): number | SurfaceError {
  if (tooManyPlaces.test(text)) return precisionExceeded;
  const qty = qtyOf(text, market);
  return qty >= 0 ? qty : hinted(spotErrors[reasonOfFigure(qty)], qtyHint(name, text, market));
}

/** Minor units of the quote to spend or to raise, or what is wrong with the amount. */
function amountOf(text: string, market: Market): bigint | SurfaceError {
  const amount = parseAmount(text, market.quote.decimals);
  if (amount !== null && amount > 0n) return amount;
  if (amount === 0n) return spotErrors[RejectReason.notionalTooSmall];
  const isLong = parseAmount(text.replace(/\..*/, ""), market.quote.decimals) === null;
  return isLong ? illegalParameter("quoteOrderQty") : precisionExceeded;
}

/** The order as clearing takes it, or the first thing wrong with it. */
export function orderAskOf(
  asked: SpotOrderParameters,
  market: Market,
  account: number,
): OrderAsk | SurfaceError {
  const type = typesByWord[asked.type];
  const fault = missingFault(asked, type) ?? unneededFault(asked, type);
  if (fault !== undefined) return fault;
  if ((asked.strategyType ?? strategyTypeMin) < strategyTypeMin) return badStrategyType;
  const price = asked.price === undefined ? 0 : ticksOf(asked.price, "price", market);
  if (typeof price !== "number") return price;
  const qty = asked.quantity === undefined ? 0 : lotsOf(asked.quantity, "quantity", market);
  if (typeof qty !== "number") return qty;
  const { stopPrice, quoteOrderQty } = asked;
  const triggerPrice = isConditional(type) ? ticksOf(stopPrice ?? "0", "stopPrice", market) : 0;
  if (typeof triggerPrice !== "number") return triggerPrice;
  const quoteQty = quoteOrderQty === undefined ? 0n : amountOf(quoteOrderQty, market);
  if (typeof quoteQty !== "bigint") return quoteQty;
  const terms = {
    account,
    market: market.id,
    side: sidesByWord[asked.side],
    type,
    timeInForce: timeInForceOf(asked, type),
    price,
    qty,
    clientId: asked.newClientOrderId ?? "",
    attached: null,
  };
  const stpMode = stpModesByWord[asked.selfTradePreventionMode ?? "NONE"];
  return orderAsk(terms, { ...noOptions, stpMode, triggerPrice, quoteQty });
}
