// Which types, times in force and options go together, and in which markets. Pure; prices and
// quantities are admission's.

import type { PlaceOrder } from "../../../core/generated/commands.ts";
import { goodTillMaxUs, trailingBpsMax, trailingBpsMin } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import {
  isConditional,
  OrderType,
  TimeInForce,
  tradedType,
  WorkingPrice,
} from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";

/** True for an order that asks for nothing special but, perhaps, self-trade prevention. */
export function isPlain(order: PlaceOrder): boolean {
  return (
    order.type < OrderType.stop &&
    order.timeInForce !== TimeInForce.gtd &&
    !order.isReduceOnly &&
    !bringsLeverage(order) &&
    !isSpecial(order)
  );
}

function bringsLeverage({ attached }: PlaceOrder): boolean {
  return attached !== null && attached.leverage !== 0;
}

/** True for an order that is accepted with all its options: `specialAccepted`. */
export function isSpecial(order: PlaceOrder): boolean {
  return (
    // Whether a bigint is any is in its head; to compare it, it is taken apart.
    Boolean(order.quoteQty) ||
    order.goodTillUs !== 0 ||
    order.triggerPrice !== 0 ||
    order.trailingBps !== 0 ||
    order.activationPrice !== 0 ||
    order.closesPosition
  );
}

/** Refuses an order whose parts do not go together at `nowUs`; `none` for the others. */
export function checkShape(market: Market, order: PlaceOrder, nowUs: number): RejectReason {
  const isWhole =
    fitsMarket(market, order) &&
    fitsAmount(order) &&
    fitsTime(order) &&
    fitsTrigger(order) &&
    !(bringsLeverage(order) && isConditional(order.type)) &&
    fitsClosing(order);
  if (!isWhole) return RejectReason.unsupportedCombination;
  if (order.timeInForce === TimeInForce.gtd) {
    const isAhead = order.goodTillUs > nowUs && order.goodTillUs <= nowUs + goodTillMaxUs;
    if (!isAhead) return RejectReason.goodTillOutOfRange;
  }
  if (order.type !== OrderType.trailingStopMarket) return RejectReason.none;
  const isInRange = order.trailingBps >= trailingBpsMin && order.trailingBps <= trailingBpsMax;
  return isInRange ? RejectReason.none : RejectReason.trailingOutOfRange;
}

function fitsMarket(market: Market, order: PlaceOrder): boolean {
  if (market.kind === MarketKind.perpetual) return order.quoteQty === 0n;
  return (
    !order.isReduceOnly &&
    !order.closesPosition &&
    !bringsLeverage(order) &&
    order.type !== OrderType.trailingStopMarket &&
    order.workingPrice === WorkingPrice.last
  );
}

/** An amount of the quote instead of lots is for MARKET alone. */
function fitsAmount(order: PlaceOrder): boolean {
  if (order.quoteQty === 0n) return true;
  return order.type === OrderType.market && order.qty === 0 && order.quoteQty > 0n;
}

function fitsTime(order: PlaceOrder): boolean {
  if (order.timeInForce !== TimeInForce.gtd) return order.goodTillUs === 0;
  return tradedType(order.type) === OrderType.limit;
}

function fitsTrigger(order: PlaceOrder): boolean {
  if (!isConditional(order.type)) return order.trailingBps === 0 && fitsProtection(order);
  if (order.type === OrderType.trailingStopMarket) return order.triggerPrice === 0;
  return order.trailingBps === 0 && order.activationPrice === 0;
}

/** Whether an order brings a take profit or a stop loss. */
export function bringsProtection({ type, triggerPrice, activationPrice }: PlaceOrder): boolean {
  return !isConditional(type) && (triggerPrice !== 0 || activationPrice !== 0);
}

/** Only what may open a position can be protected, on the mark. */
function fitsProtection(order: PlaceOrder): boolean {
  if (!bringsProtection(order)) return true;
  return !order.isReduceOnly && order.workingPrice === WorkingPrice.mark;
}

function fitsClosing(order: PlaceOrder): boolean {
  if (!order.closesPosition) return true;
  const { type, qty } = order;
  return qty === 0 && (type === OrderType.stopMarket || type === OrderType.takeProfitMarket);
}
