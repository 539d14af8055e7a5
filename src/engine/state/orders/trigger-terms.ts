// When a conditional order triggers, in prices: which way its price must go, where a trailing one
// stands, and what a spot order at the market holds while it waits. Pure.

import { numberAt } from "../../../core/assert.ts";
import { OrderType, Side, WorkingPrice } from "../../../core/orders.ts";

/** Which way the price must go: a stop follows the market's move, a take profit waits against it. */
export function isRising(type: OrderType, side: Side): boolean {
  const isTaking = type === OrderType.takeProfit || type === OrderType.takeProfitMarket;
  return (side === Side.buy) !== isTaking;
}

/** Whether `price` has reached `trigger`. */
export function isReached(price: number, trigger: number, rising: boolean): boolean {
  return rising ? price >= trigger : price <= trigger;
}

/** Whether a trailing order of `side` follows `price` from now on: a sell waits for a higher one. */
export function isActivated(price: number, activationPrice: number, side: Side): boolean {
  return activationPrice === 0 || isReached(price, activationPrice, side === Side.sell);
}

/** Whether `price` is better than `best` for a trailing order of `side` to follow. */
export function isBetterToFollow(price: number, best: number, side: Side): boolean {
  return side === Side.sell ? price > best : price < best;
}

/**
 * Ticks at which a trailing order triggers when the best price was `best`, rounded away from it: an
 * order never triggers before the whole distance is gone.
 */
export function trailingTrigger(best: number, trailingBps: number, side: Side): number {
  return side === Side.sell
    ? Math.floor((best * (10_000 - trailingBps)) / 10_000)
    : Math.ceil((best * (10_000 + trailingBps)) / 10_000);
}

/** The price a trigger watches, in ticks, as last journaled; 0 if there is none yet. */
export function watchedPrice(
  { mark, lastPrice }: { mark: Float64Array; lastPrice: Float64Array },
  market: number,
  working: WorkingPrice,
): number {
  return numberAt(working === WorkingPrice.mark ? mark : lastPrice, market);
}
