// The rate limits of a key, as both Binance-style surfaces list them.

import type { RateLimits } from "../../../services/access/rate-limiter.ts";

/** The rate limits of a key's tier, as exchangeInfo lists them. */
export function rateLimitsText(limits: RateLimits): string {
  const rows = [
    `{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":${limits.weightPerMinute}}`,
    `{"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":${limits.ordersPer10s}}`,
    `{"rateLimitType":"ORDERS","interval":"MINUTE","intervalNum":1,"limit":${limits.ordersPerMinute}}`,
  ];
  return `[${rows.join(",")}]`;
}
