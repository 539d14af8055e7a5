// Orders of the perpetual surface as JSON text, concatenated because that is faster than stringifying objects. Field
// names and types are Binance's; the symbol is the market's alias, such as BTCUSDT. Every inserted text was made or
// checked by the venue.

import type { Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import {
  isConditional,
  OrderType,
  Side,
  StpMode,
  tradedType,
  WorkingPrice,
} from "../../../../core/orders.ts";
import type { FillRecord, OrderRecord } from "../../../../ports/journal/history-store.ts";
import { meanText } from "../../market-data/window-text.ts";
import {
  msOf,
  sideNames,
  statusName,
  stpModeNames,
  timeInForceName,
} from "../../orders/order-format.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";
import { collateralName } from "../collateral-name.ts";

/**
 * Average or entry price of `lots`, which together have `value` in minor units of the quote asset; zero without lots.
 * The signs of both arguments are ignored.
 */
export function meanPriceText(value: bigint, lots: number, market: Market): string {
  if (lots === 0) return formatScaled(0, market.tickDecimals);
  return meanText(market, value < 0n ? -value : value, Math.abs(lots));
}

/** Type names of the perpetual surface. */
export const typeNames: Readonly<Record<OrderType, string>> = {
  [OrderType.limit]: "LIMIT",
  [OrderType.market]: "MARKET",
  [OrderType.limitMaker]: "LIMIT",
  [OrderType.stop]: "STOP",
  [OrderType.stopMarket]: "STOP_MARKET",
  [OrderType.takeProfit]: "TAKE_PROFIT",
  [OrderType.takeProfitMarket]: "TAKE_PROFIT_MARKET",
  [OrderType.trailingStopMarket]: "TRAILING_STOP_MARKET",
};

/**
 * An order's trigger fields. A take profit and a stop loss attached to an entry order do not count as its triggers:
 * each of them appears as a separate order.
 */
export function triggerTexts(order: OrderRecord, market: Market) {
  if (!isConditional(order.type) || order.triggerPrice === 0) {
    return { stopPrice: "0", workingType: workingTypeOf(order) };
  }
  const stopPrice = formatScaled(order.triggerPrice, market.tickDecimals);
  return { stopPrice, workingType: workingTypeOf(order) };
}

function workingTypeOf({ type, workingPrice }: OrderRecord): string {
  const isOnMark = isConditional(type) && workingPrice === WorkingPrice.mark;
  return isOnMark ? "MARK_PRICE" : "CONTRACT_PRICE";
}

/** The optional fields of an order; most orders have none. */
function optionFields(order: OrderRecord, market: Market): string {
  const { type, isReduceOnly, stpMode, goodTillUs } = order;
  if (!isConditional(type) && !isReduceOnly && stpMode === StpMode.skip && goodTillUs === 0) {
    return (
      ',"reduceOnly":false,"closePosition":false,"positionSide":"BOTH","stopPrice":"0"' +
      ',"workingType":"CONTRACT_PRICE","priceProtect":false,"priceMatch":"NONE"' +
      ',"selfTradePreventionMode":"NONE","goodTillDate":0'
    );
  }
  const price = (ticks: number) => (ticks === 0 ? "0" : formatScaled(ticks, market.tickDecimals));
  const { stopPrice, workingType } = triggerTexts(order, market);
  const trailing =
    type === OrderType.trailingStopMarket
      ? `,"activatePrice":"${price(order.activationPrice)}","priceRate":"${formatScaled(order.trailingBps, 2)}"`
      : "";
  return (
    `,"reduceOnly":${isReduceOnly || order.closesPosition},"closePosition":${order.closesPosition}` +
    `,"positionSide":"BOTH","stopPrice":"${stopPrice}"` +
    `,"workingType":"${workingType}","priceProtect":false` +
    `,"priceMatch":"NONE","selfTradePreventionMode":"${stpModeNames[stpMode]}"` +
    `,"goodTillDate":${msOf(goodTillUs)}${trailing}`
  );
}

/**
 * An order as returned by POST, GET, PUT and DELETE order, openOrder and the lists. A triggered order is shown with
 * the type it trades as.
 */
export function orderText(order: OrderRecord, market: Market): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const traded = tradedType(order.type);
  const type = typeNames[order.triggeredUs > 0 ? traded : order.type];
  const executed = formatScaled(order.filledQty, lotDecimals);
  return (
    `{"orderId":${order.orderId},"symbol":"${market.alias}","status":"${statusName(order)}"` +
    `,"clientOrderId":"${order.clientId}"` +
    `,"price":"${formatScaled(traded === OrderType.market ? 0 : order.price, tickDecimals)}"` +
    `,"avgPrice":"${meanPriceText(order.filledQuote, order.filledQty, market)}"` +
    `,"origQty":"${formatScaled(order.qty, lotDecimals)}","executedQty":"${executed}","cumQty":"${executed}"` +
    `,"cumQuote":"${formatScaled(order.filledQuote, quote.decimals)}"` +
    `,"timeInForce":"${timeInForceName(order)}","type":"${type}","origType":"${typeNames[order.type]}"` +
    `,"side":"${sideNames[order.side]}"${optionFields(order, market)}` +
    `,"time":${msOf(order.acceptedUs)},"updateTime":${msOf(order.updatedUs)}}`
  );
}

/** The order as accepted, for newOrderRespType=ACK. */
export function ackText(order: OrderRecord, market: Market): string {
  const accepted = {
    filledQty: 0,
    filledQuote: 0n,
    status: 0,
    updatedUs: order.acceptedUs,
  } as const;
  return orderText({ ...order, ...accepted }, market);
}

/** One row of userTrades. Fees and profit are in the collateral asset. */
export function fillText(fill: FillRecord, market: Market, view: SurfaceView): string {
  const { tickDecimals, lotDecimals, quote, alias } = market;
  const amount = (units: bigint) => formatScaled(units, quote.decimals);
  return (
    `{"symbol":"${alias}","id":${fill.tradeId},"orderId":${fill.orderId}` +
    `,"side":"${sideNames[fill.side]}","price":"${formatScaled(fill.price, tickDecimals)}"` +
    `,"qty":"${formatScaled(fill.qty, lotDecimals)}","quoteQty":"${amount(fill.quote)}"` +
    `,"realizedPnl":"${amount(fill.pnl)}","commission":"${amount(fill.fee)}"` +
    `,"commissionAsset":"${collateralName(market, view)}","buyer":${fill.side === Side.buy}` +
    `,"maker":${fill.isMaker},"positionSide":"BOTH","time":${msOf(fill.tsUs)}}`
  );
}
