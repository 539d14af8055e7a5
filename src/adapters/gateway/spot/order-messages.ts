// Answers about single orders as SBE messages, made from ticks, lots and minor units without JSON. They have what
// render.ts shows under /compat; a test compares both. Spec SBE-7.

import { codeSets } from "../../../../schemas/sbe/codes.ts";
import { isConditional, OrderType, Side, tradedType } from "../../../core/orders.ts";
import type { OrderRecord } from "../../../ports/journal/history-store.ts";
import {
  expiryReason,
  msOf,
  type ShownMarket,
  sideNames,
  statusName,
  stpModeNames,
  timeInForceName,
} from "../orders/order-format.ts";
import type { OrderFill } from "../read-model.ts";
import { answerExponent, scaled } from "../sbe/decimals.ts";
import type {
  CancelOrderResponse,
  NewOrderAckResponse,
  NewOrderFullResponse,
  NewOrderResultResponse,
} from "../sbe/generated/spot-codec.ts";
import { cancelIdOf, typeNames, workingMs } from "./render.ts";

type Codes = Readonly<Record<string, number>>;
const statusCodes: Codes = codeSets.orderStatus.codes;
const timeInForceCodes: Codes = codeSets.timeInForce.codes;
const typeCodes: Codes = codeSets.orderType.codes;
const stpCodes: Codes = codeSets.selfTradePreventionMode.codes;
const expiryCodes: Codes = codeSets.expiryReason.codes;

const exponents = { priceExponent: answerExponent, qtyExponent: answerExponent } as const;

/** Fields of order forms that no order of this venue uses, or that all have alike. */
const alike = {
  trailingDelta: null,
  trailingTime: null,
  strategyId: null,
  strategyType: null,
  orderCapacity: codeSets.orderCapacity.codes.PRINCIPAL,
  workingFloor: codeSets.floor.codes.EXCHANGE,
  usedSor: false,
  pegPriceType: null,
  pegOffsetType: null,
  pegOffsetValue: null,
  peggedPrice: null,
  preventedQuantity: 0,
} as const;

/** Microseconds, exact to the millisecond, as in JSON. */
function usOf(us: number): number {
  return msOf(us) * 1000;
}

/** Fields that all forms but ACK have. */
function figures(order: OrderRecord, market: ShownMarket) {
  const { tickDecimals, lotDecimals, quote } = market;
  const isAtMarket = tradedType(order.type) === OrderType.market;
  const hasQty = order.quoteQty === 0n;
  return {
    ...exponents,
    orderId: order.orderId,
    orderListId: order.listId === 0 ? null : order.listId,
    price: scaled(isAtMarket ? 0 : order.price, tickDecimals),
    origQty: scaled(hasQty ? order.qty : order.filledQty, lotDecimals),
    executedQty: scaled(order.filledQty, lotDecimals),
    cummulativeQuoteQty: scaled(order.filledQuote, quote.decimals),
    status: statusCodes[statusName(order)] ?? 0,
    timeInForce: timeInForceCodes[timeInForceName(order)] ?? 0,
    orderType: typeCodes[typeNames[order.type]] ?? 0,
    side: codeSets.orderSide.codes[sideNames[order.side] as "BUY" | "SELL"],
    stopPrice: isConditional(order.type) ? scaled(order.triggerPrice, tickDecimals) : null,
    icebergQty: order.icebergQty === 0 ? null : scaled(order.icebergQty, lotDecimals),
    selfTradePreventionMode: stpCodes[stpModeNames[order.stpMode]] ?? 0,
    origQuoteOrderQty: scaled(order.quoteQty, quote.decimals),
    ...alike,
    symbol: market.symbol,
    clientOrderId: order.clientId,
  };
}

function expiryCode(order: OrderRecord): number | null {
  return expiryCodes[expiryReason(order) ?? ""] ?? null;
}

function workingUs(order: OrderRecord): number | null {
  const ms = workingMs(order);
  return ms < 0 ? null : ms * 1000;
}

/** Answer of POST order with newOrderRespType=ACK. */
export function ackMessage(order: OrderRecord, market: ShownMarket): NewOrderAckResponse {
  return {
    orderId: order.orderId,
    orderListId: order.listId === 0 ? null : order.listId,
    transactTime: usOf(order.acceptedUs),
    symbol: market.symbol,
    clientOrderId: order.clientId,
  };
}

/** Answer of POST order with newOrderRespType=RESULT. */
export function resultMessage(order: OrderRecord, market: ShownMarket): NewOrderResultResponse {
  return {
    ...figures(order, market),
    transactTime: usOf(order.acceptedUs),
    workingTime: workingUs(order),
    tradeGroupId: null,
    expiryReason: expiryCode(order),
  };
}

/** Answer of POST order with newOrderRespType=FULL. */
export function fullMessage(
  order: OrderRecord,
  market: ShownMarket,
  fills: readonly OrderFill[],
): NewOrderFullResponse {
  const { base, quote, tickDecimals, lotDecimals } = market;
  const asset = order.side === Side.buy ? (base ?? quote) : quote;
  return {
    ...resultMessage(order, market),
    fills: fills.map(({ price, qty, fee, tradeId }) => ({
      commissionExponent: answerExponent,
      matchType: codeSets.matchType.codes.AUTO_MATCH,
      price: scaled(price, tickDecimals),
      qty: scaled(qty, lotDecimals),
      commission: scaled(fee, asset.decimals),
      tradeId,
      allocId: null,
      commissionAsset: asset.code,
    })),
    preventedMatches: [],
  };
}

/** Answer of DELETE order. */
export function cancelMessage(
  order: OrderRecord,
  market: ShownMarket,
  answered: { cancelId?: string | undefined; lastSeq: number },
): CancelOrderResponse {
  return {
    ...figures(order, market),
    transactTime: usOf(order.updatedUs),
    origClientOrderId: order.clientId,
    clientOrderId: cancelIdOf(order, answered),
  };
}
