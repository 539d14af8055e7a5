// Two orders of one account that met and did not trade with each other.

import type { StpMode } from "./orders.ts";

export interface PreventedMatch {
  market: number;
  /** The incoming order, whose mode decided. */
  takerOrderId: number;
  makerOrderId: number;
  stpMode: StpMode;
  /** Ticks: the resting order's, at which they would have traded. */
  price: number;
  /** Lots that each of them lost by it; 0 for one that stays as it was, and for an order by amount. */
  takerQty: number;
  makerQty: number;
}
