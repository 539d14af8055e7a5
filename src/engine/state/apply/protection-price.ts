// Where a sweep at the market stops: the best price ± the market-order band. A spot order at the market
// that waits holds its funds at the same distance from its trigger.

import { marketBandBps } from "../../../core/limits.ts";
import type { Market } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";

/** Best price × (1 ± band), toward the order's disadvantage, rounded inside the band; 0 for none. */
export function protectionPrice(market: Market, side: Side, best: number): number {
  if (best === 0) return 0;
  if (side === Side.buy) {
    const price = Math.floor((best * (10_000 + marketBandBps)) / 10_000);
    return Math.min(Math.max(price, best), market.priceTicksMax);
  }
  return Math.min(Math.max(Math.ceil((best * (10_000 - marketBandBps)) / 10_000), 1), best);
}
