// Times and time buckets: milliseconds in the API, microseconds in events. This file converts and buckets
// times but never reads a clock.

declare const brand: unique symbol;

/** Integer milliseconds since 1970-01-01 UTC. */
export type UnixMs = number & { readonly [brand]: "UnixMs" };

/** `value` as a time; fractions are rounded down, toward the past. */
export function asUnixMs(value: number): UnixMs {
  return Math.floor(value) as UnixMs;
}

/** Milliseconds of an event's microseconds, rounded down. */
export function unixMsOfUs(us: number): UnixMs {
  return Math.floor(us / 1000) as UnixMs;
}

/** Candle intervals that are stored; candles of other intervals are computed from them. */
export const candleIntervals = [
  { name: "1m", ms: 60_000 },
  { name: "1h", ms: 3_600_000 },
  { name: "1d", ms: 86_400_000 },
] as const;

/** Start of the bucket of `intervalMs` that holds `at`, aligned to UTC. */
export function bucketStart(at: number, intervalMs: number): UnixMs {
  return (Math.floor(at / intervalMs) * intervalMs) as UnixMs;
}
