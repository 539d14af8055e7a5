// Conditional orders in the format of Binance's algo service (compat only). They are the same orders that the other
// routes show, with other field names. A conditional order keeps its id when it triggers.

import type { Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { OrderStatus, OrderType, tradedType, WorkingPrice } from "../../../../core/orders.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { msOf, sideNames, stpModeNames, timeInForceName } from "../../orders/order-format.ts";
import { meanPriceText, typeNames } from "./order-text.ts";

/** Binance's name for the order's state. A triggered order that has ended in any way is called finished. */
export function algoStatus({ status, triggeredUs }: OrderRecord): string {
  if (status === OrderStatus.open) return triggeredUs > 0 ? "TRIGGERED" : "NEW";
  if (triggeredUs > 0 || status === OrderStatus.filled) return "FINISHED";
  return status === OrderStatus.cancelled ? "CANCELED" : "EXPIRED";
}

/** One conditional order. */
export function algoText(order: OrderRecord, market: Market): string {
  const { type, triggeredUs } = order;
  const price = (ticks: number) => formatScaled(ticks, market.tickDecimals);
  const isAtMarket = tradedType(type) === OrderType.market;
  const isOnMark = order.workingPrice === WorkingPrice.mark;
  const trailing =
    type === OrderType.trailingStopMarket
      ? `,"activatePrice":"${price(order.activationPrice)}","callbackRate":"${formatScaled(order.trailingBps, 2)}"`
      : "";
  return (
    `{"algoId":${order.orderId},"clientAlgoId":"${order.clientId}","algoType":"CONDITIONAL"` +
    `,"orderType":"${typeNames[type]}","symbol":"${market.alias}","side":"${sideNames[order.side]}"` +
    `,"positionSide":"BOTH","timeInForce":"${timeInForceName(order)}"` +
    `,"quantity":"${formatScaled(order.qty, market.lotDecimals)}","algoStatus":"${algoStatus(order)}"` +
    `,"actualOrderId":"${triggeredUs > 0 ? order.orderId : ""}"` +
    `,"actualPrice":"${meanPriceText(order.filledQuote, order.filledQty, market)}"` +
    `,"triggerPrice":"${price(order.triggerPrice)}","price":"${price(isAtMarket ? 0 : order.price)}"` +
    `,"icebergQuantity":null,"selfTradePreventionMode":"${stpModeNames[order.stpMode]}"` +
    `,"workingType":"${isOnMark ? "MARK_PRICE" : "CONTRACT_PRICE"}","priceMatch":"NONE"` +
    `,"closePosition":${order.closesPosition},"priceProtect":false` +
    `,"reduceOnly":${order.isReduceOnly || order.closesPosition}${trailing}` +
    `,"createTime":${msOf(order.acceptedUs)},"updateTime":${msOf(order.updatedUs)}` +
    `,"triggerTime":${msOf(triggeredUs)},"goodTillDate":${msOf(order.goodTillUs)}}`
  );
}
