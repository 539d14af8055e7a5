// The figures of the rate limiter (specification: Limits). A tier hangs on a key and only the
// operator changes it.

import { RateTier } from "../../core/accounts.ts";

export interface RateLimits {
  readonly weightPerMinute: number;
  readonly ordersPer10s: number;
  readonly ordersPerMinute: number;
}

const tiers: Readonly<Record<RateTier, RateLimits>> = {
  [RateTier.standard]: { weightPerMinute: 1200, ordersPer10s: 50, ordersPerMinute: 200 },
  [RateTier.extMm]: { weightPerMinute: 2400, ordersPer10s: 100, ordersPerMinute: 600 },
  [RateTier.house]: { weightPerMinute: 6000, ordersPer10s: 200, ordersPerMinute: 1200 },
};

/** What a key of `tier` may use. */
export function limitsOf(tier: RateTier): RateLimits {
  return tiers[tier];
}

/** Weight of unsigned requests from one address. */
export const publicWeightPerMinute = 6000;

/** Signed requests from one address, counted before they are believed. */
export const signedRequestsPerMinute = 24_000;
