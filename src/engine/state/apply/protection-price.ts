// The protection price of market orders: the best price ± the market-order band. A waiting spot market order
// holds funds at the same distance from its trigger.

import { marketBandBps } from "../../../core/limits.ts";
import type { Market } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";

/** Best price × (1 ± band) to the order's disadvantage, rounded toward the best price; 0 without a best price. */
export function protectionPrice(market: Market, side: Side, best: number): number {
  if (best === 0) return 0;
  if (side === Side.buy) {
    const price = Math.floor((best * (10_000 + marketBandBps)) / 10_000);
    return Math.min(Math.max(price, best), market.priceTicksMax);
  }
  return Math.min(Math.max(Math.ceil((best * (10_000 - marketBandBps)) / 10_000), 1), best);
}
