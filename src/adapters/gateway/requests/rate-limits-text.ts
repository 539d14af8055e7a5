// The rate limits of a key, as both Binance-style surfaces list them.

import { type RateLimits, signedRequestsPerMinute } from "../../../services/access/rate-limiter.ts";

const rawRequests = `{"rateLimitType":"RAW_REQUESTS","interval":"MINUTE","intervalNum":1,"limit":${signedRequestsPerMinute}}`;

/**
 * The rate limits of a key's tier, as exchangeInfo lists them. `hasRaw` adds the limit on signed requests of an address,
 * which counts those that cost no weight too.
 */
export function rateLimitsText(limits: RateLimits, hasRaw = false): string {
  const rows = [
    `{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":${limits.weightPerMinute}}`,
    `{"rateLimitType":"ORDERS","interval":"SECOND","intervalNum":10,"limit":${limits.ordersPer10s}}`,
    `{"rateLimitType":"ORDERS","interval":"MINUTE","intervalNum":1,"limit":${limits.ordersPerMinute}}`,
    ...(hasRaw ? [rawRequests] : []),
  ];
  return `[${rows.join(",")}]`;
}
