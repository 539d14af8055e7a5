// Converts POST /v1/orders to a command. It checks which fields the order's type and market require or exclude, and
// converts figures to ticks and lots. The first fault is reported; clearing checks everything else.

import type { PlaceOrderBody } from "../../../../../schemas/http/native.ts";
import type { PlaceOrder } from "../../../../core/generated/commands.ts";
import { leverageMax } from "../../../../core/limits.ts";
import { isPerpetual, type Market, type MarketTable } from "../../../../core/markets.ts";
import {
  isClientId,
  type OrderAttachments,
  OrderType,
  TimeInForce,
  type TimeInForceName,
  timeInForceNames,
  timesInForce,
  WorkingPrice,
} from "../../../../core/orders.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { RequestKey } from "../../../../core/request-keys.ts";
import { plainOrder } from "../../orders/command-bridge.ts";
import { priceOf, qtyOf, reasonOfFigure, sidesByName } from "../../orders/order-format.ts";
import type { SurfaceError } from "../../requests/surface-error.ts";
import { nativeErrors, nativeFaults, offStep, priceAbove } from "../error-map.ts";

const nativeTimesInForce: readonly string[] = timeInForceNames("native");

const decimalForm = /^-?\d{1,20}(\.\d{1,20})?$/;
const positiveForm = /^\d*\.?\d*[1-9]/;

function entryOf<Names extends object>(names: Names, name: string): Names[keyof Names] | undefined {
  return Object.hasOwn(names, name) ? names[name as keyof Names] : undefined;
}

/** Ticks of a price, or the fault. */
function ticksOf(text: string, market: Market): number | SurfaceError {
  if (!decimalForm.test(text)) return nativeFaults.priceMalformed;
  if (!positiveForm.test(text)) return nativeErrors[RejectReason.priceNotPositive];
  const ticks = priceOf(text, market);
  if (ticks > 0) return ticks;
  const reason = reasonOfFigure(ticks);
  const { tickDecimals, priceTicksMax } = market;
  if (reason === RejectReason.priceOffTick) return offStep("price", tickDecimals);
  return reason === RejectReason.priceTooHigh
    ? priceAbove(priceTicksMax, tickDecimals)
    : nativeErrors[reason];
}

/** Lots of a quantity, or the fault. */
function lotsOf(text: string, market: Market): number | SurfaceError {
  if (!decimalForm.test(text)) return nativeFaults.qtyMalformed;
  if (!positiveForm.test(text)) return nativeErrors[RejectReason.qtyNotPositive];
  const lots = qtyOf(text, market);
  if (lots > 0) return lots;
  const reason = reasonOfFigure(lots);
  return reason === RejectReason.qtyOffLot
    ? offStep("qty", market.lotDecimals)
    : nativeErrors[reason];
}

/** Returns whether the order is a market order, or the fault if type and price conflict. */
function isMarketOrder({ type, price }: PlaceOrderBody): boolean | SurfaceError {
  const hasPrice = (price ?? null) !== null;
  if ((type ?? null) === null) return !hasPrice;
  if (type === "LIMIT") return hasPrice ? false : nativeFaults.priceMissing;
  if (type === "MARKET") return hasPrice ? nativeFaults.priceUnneeded : true;
  return nativeFaults.badType;
}

/** The time in force, or the fault. */
function timeOf(params: PlaceOrderBody, isMarket: boolean): TimeInForce | SurfaceError {
  const { time_in_force: name, post_only: isPostOnly } = params;
  const isNamed = (name ?? null) !== null;
  if (isNamed && !nativeTimesInForce.includes(name ?? "")) return nativeFaults.badTimeInForce;
  const named = isNamed ? timesInForce[name as TimeInForceName].code : null;
  if (isMarket) {
    const isRight = !isPostOnly && (named === null || named === TimeInForce.ioc);
    return isRight ? TimeInForce.ioc : nativeErrors[RejectReason.unsupportedCombination];
  }
  if (!isPostOnly) return named ?? TimeInForce.gtc;
  const rests = named === null || named === TimeInForce.gtc || named === TimeInForce.gtx;
  return rests ? TimeInForce.gtx : nativeErrors[RejectReason.unsupportedCombination];
}

/** Ticks of a take profit or stop loss price, 0 for none, or the fault. */
function tpSlOf(
  text: string | null | undefined,
  market: Market,
  fault: SurfaceError,
): number | SurfaceError {
  if ((text ?? null) === null) return 0;
  const ticks = ticksOf(text ?? "", market);
  return typeof ticks === "number" ? ticks : fault;
}

/** Sets take profit and stop loss, or returns the fault. */
function takeTpSl(
  order: PlaceOrder,
  params: PlaceOrderBody,
  market: Market,
): SurfaceError | undefined {
  const { take_profit: takeProfit, stop_loss: stopLoss } = params;
  if ((takeProfit ?? null) === null && (stopLoss ?? null) === null) return undefined;
  if (params.reduce_only) return nativeFaults.tpSlOnReduce;
  const activationPrice = tpSlOf(takeProfit, market, nativeFaults.takeProfitMalformed);
  if (typeof activationPrice !== "number") return activationPrice;
  const triggerPrice = tpSlOf(stopLoss, market, nativeFaults.stopLossMalformed);
  if (typeof triggerPrice !== "number") return triggerPrice;
  order.activationPrice = activationPrice;
  order.triggerPrice = triggerPrice;
  order.workingPrice = WorkingPrice.mark;
  return undefined;
}

/** The fault of a spot order that has a field only perpetuals have; undefined if it has none. */
function spotFault(params: PlaceOrderBody): SurfaceError | undefined {
  const hasTpSl = (params.take_profit ?? null) !== null || (params.stop_loss ?? null) !== null;
  if (hasTpSl) return nativeFaults.tpSlOnSpot;
  if ((params.leverage ?? null) !== null) return nativeFaults.leverageOnSpot;
  return params.reduce_only ? nativeFaults.reduceOnSpot : undefined;
}

function leverageFault({ leverage }: PlaceOrderBody): SurfaceError | undefined {
  if ((leverage ?? null) === null) return undefined;
  const isInRange = Number.isInteger(leverage) && Number(leverage) >= 1;
  if (isInRange && Number(leverage) <= leverageMax) return undefined;
  return nativeErrors[RejectReason.leverageOutOfRange];
}

/** Post-only is called LIMIT_MAKER on spot. */
function typeOf(market: Market, isMarket: boolean, time: TimeInForce): OrderType {
  if (isMarket) return OrderType.market;
  return !isPerpetual(market) && time === TimeInForce.gtx ? OrderType.limitMaker : OrderType.limit;
}

/** The order's idempotency key and leverage; null if it has neither. */
function attachmentsOf(params: PlaceOrderBody, key: RequestKey | null): OrderAttachments | null {
  const leverage = params.leverage ?? 0;
  return key === null && leverage === 0 ? null : { key, leverage };
}

/** The account and idempotency key of a request. */
export interface OrderRequester {
  readonly account: number;
  readonly key: RequestKey | null;
}

/** The market with that symbol; undefined if there is none. */
export function marketNamed(table: MarketTable, symbol: string): Market | undefined {
  return table.markets.find((market) => market.symbol === symbol);
}

/** The command for a request, or the request's first fault. */
export function orderOf(
  params: PlaceOrderBody,
  table: MarketTable,
  { account, key }: OrderRequester,
): PlaceOrder | SurfaceError {
  const market = marketNamed(table, params.symbol);
  if (market === undefined) return nativeFaults.unknownSymbol;
  const side = entryOf(sidesByName, params.side);
  if (side === undefined) return nativeFaults.badSide;
  const isMarket = isMarketOrder(params);
  if (typeof isMarket !== "boolean") return isMarket;
  const stray = (isPerpetual(market) ? undefined : spotFault(params)) ?? leverageFault(params);
  if (stray !== undefined) return stray;
  const timeInForce = timeOf(params, isMarket);
  if (typeof timeInForce !== "number") return timeInForce;
  const qty = lotsOf(params.qty, market);
  if (typeof qty !== "number") return qty;
  const price = isMarket ? 0 : ticksOf(params.price ?? "", market);
  if (typeof price !== "number") return price;
  const order = plainOrder(account, market.id);
  const fault = takeTpSl(order, params, market);
  if (fault !== undefined) return fault;
  const name = params.idempotency_key ?? "";
  order.side = side;
  order.type = typeOf(market, isMarket, timeInForce);
  order.timeInForce = timeInForce;
  order.price = price;
  order.qty = qty;
  order.isReduceOnly = params.reduce_only ?? false;
  order.clientId = isClientId(name) ? name : "";
  order.attached = attachmentsOf(params, key);
  return order;
}
