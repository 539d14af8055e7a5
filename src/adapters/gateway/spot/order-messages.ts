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

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * The message of every form but ACK. It is one object that each call fills again, and it is written out as one literal:
 * an object that is spread from others has its fields in a hash table, and each of them costs many times as much.
 */
const shown: Mutable<NewOrderFullResponse & CancelOrderResponse> = {
  priceExponent: answerExponent,
  qtyExponent: answerExponent,
  orderId: 0,
  orderListId: null,
  transactTime: 0,
  price: 0,
  origQty: 0,
  executedQty: 0,
  cummulativeQuoteQty: 0,
  status: 0,
  timeInForce: 0,
  orderType: 0,
  side: 0,
  stopPrice: null,
  trailingDelta: null,
  trailingTime: null,
  workingTime: null,
  icebergQty: null,
  strategyId: null,
  strategyType: null,
  orderCapacity: codeSets.orderCapacity.codes.PRINCIPAL,
  workingFloor: codeSets.floor.codes.EXCHANGE,
  selfTradePreventionMode: 0,
  tradeGroupId: null,
  preventedQuantity: 0,
  usedSor: false,
  origQuoteOrderQty: 0,
  pegPriceType: null,
  pegOffsetType: null,
  pegOffsetValue: null,
  peggedPrice: null,
  expiryReason: null,
  fills: [],
  preventedMatches: [],
  symbol: "",
  origClientOrderId: "",
  clientOrderId: "",
};

/** Microseconds, exact to the millisecond, as in JSON. */
function usOf(us: number): number {
  return msOf(us) * 1000;
}

/** Fills in the fields that all forms but ACK have. */
function fillIn(order: OrderRecord, market: ShownMarket): void {
  const { tickDecimals, lotDecimals, quote } = market;
  const isAtMarket = tradedType(order.type) === OrderType.market;
  const hasQty = order.quoteQty === 0n;
  shown.orderId = order.orderId;
  shown.orderListId = order.listId === 0 ? null : order.listId;
  shown.price = scaled(isAtMarket ? 0 : order.price, tickDecimals);
  shown.origQty = scaled(hasQty ? order.qty : order.filledQty, lotDecimals);
  shown.executedQty = scaled(order.filledQty, lotDecimals);
  shown.cummulativeQuoteQty = scaled(order.filledQuote, quote.decimals);
  shown.status = statusCodes[statusName(order)] ?? 0;
  shown.timeInForce = timeInForceCodes[timeInForceName(order)] ?? 0;
  shown.orderType = typeCodes[typeNames[order.type]] ?? 0;
  shown.side = codeSets.orderSide.codes[sideNames[order.side] as "BUY" | "SELL"];
  shown.stopPrice = isConditional(order.type) ? scaled(order.triggerPrice, tickDecimals) : null;
  shown.icebergQty = order.icebergQty === 0 ? null : scaled(order.icebergQty, lotDecimals);
  shown.selfTradePreventionMode = stpCodes[stpModeNames[order.stpMode]] ?? 0;
  shown.origQuoteOrderQty = scaled(order.quoteQty, quote.decimals);
  shown.symbol = market.symbol;
  shown.clientOrderId = order.clientId;
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

/** Answer of POST order with newOrderRespType=RESULT; valid until the next message is made. */
export function resultMessage(order: OrderRecord, market: ShownMarket): NewOrderResultResponse {
  fillIn(order, market);
  shown.transactTime = usOf(order.acceptedUs);
  shown.workingTime = workingUs(order);
  shown.expiryReason = expiryCode(order);
  return shown;
}

/** Answer of POST order with newOrderRespType=FULL; valid until the next message is made. */
export function fullMessage(
  order: OrderRecord,
  market: ShownMarket,
  fills: readonly OrderFill[],
): NewOrderFullResponse {
  const { base, quote, tickDecimals, lotDecimals } = market;
  const asset = order.side === Side.buy ? (base ?? quote) : quote;
  resultMessage(order, market);
  shown.fills = fills.map(({ price, qty, fee, tradeId }) => ({
    commissionExponent: answerExponent,
    matchType: codeSets.matchType.codes.AUTO_MATCH,
    price: scaled(price, tickDecimals),
    qty: scaled(qty, lotDecimals),
    commission: scaled(fee, asset.decimals),
    tradeId,
    allocId: null,
    commissionAsset: asset.code,
  }));
  return shown;
}

/** Answer of DELETE order; valid until the next message is made. */
export function cancelMessage(
  order: OrderRecord,
  market: ShownMarket,
  answered: { cancelId?: string | undefined; lastSeq: number },
): CancelOrderResponse {
  fillIn(order, market);
  shown.transactTime = usOf(order.updatedUs);
  shown.origClientOrderId = order.clientId;
  shown.clientOrderId = cancelIdOf(order, answered);
  return shown;
}
