// Trigger prices of conditional orders: direction, activation, trailing distance, and the price that a trigger watches.
// These functions only compute.

import { numberAt } from "../../../core/assert.ts";
import { OrderType, Side, WorkingPrice } from "../../../core/orders.ts";

/** Whether the order triggers when the price rises: true for buy stops and sell take profits. */
export function isRising(type: OrderType, side: Side): boolean {
  const isTaking = type === OrderType.takeProfit || type === OrderType.takeProfitMarket;
  return (side === Side.buy) !== isTaking;
}

/** Whether `price` has reached `trigger`. */
export function isReached(price: number, trigger: number, rising: boolean): boolean {
  return rising ? price >= trigger : price <= trigger;
}

/**
 * Whether a trailing order of `side` becomes active at `price`: a sell at or above its activation price, a buy at or
 * below it, and an order without one at any price.
 */
export function isActivated(price: number, activationPrice: number, side: Side): boolean {
  return activationPrice === 0 || isReached(price, activationPrice, side === Side.sell);
}

/** Whether `price` improves on `best` for a trailing order of `side`. */
export function isBetterToFollow(price: number, best: number, side: Side): boolean {
  return side === Side.sell ? price > best : price < best;
}

/**
 * Trigger in ticks of a trailing order whose best price is `best`, rounded away from `best`, so that the order never
 * triggers before the full distance.
 */
export function trailingTrigger(best: number, trailingBps: number, side: Side): number {
  return side === Side.sell
    ? Math.floor((best * (10_000 - trailingBps)) / 10_000)
    : Math.ceil((best * (10_000 + trailingBps)) / 10_000);
}

/** The price a trigger watches, in ticks, as last journaled; 0 if none yet. */
export function watchedPrice(
  { mark, lastPrice }: { mark: Float64Array; lastPrice: Float64Array },
  market: number,
  working: WorkingPrice,
): number {
  return numberAt(working === WorkingPrice.mark ? mark : lastPrice, market);
}
