// A prevented match: two orders of one account that would have traded with each other without self-trade prevention.

import type { StpMode } from "./orders.ts";

export interface PreventedMatch {
  market: number;
  /** The incoming order, whose self-trade prevention mode decided. */
  takerOrderId: number;
  makerOrderId: number;
  stpMode: StpMode;
  /** The resting order's price in ticks, at which the two orders would have traded. */
  price: number;
  /**
   * `takerQty` and `makerQty` are the lots that each order lost; 0 for an order that stays unchanged, and for a taker
   * order by quote amount.
   */
  takerQty: number;
  makerQty: number;
}
