// What the public market routes of the native surface take: queries, which are texts.

import * as z from "zod";

/** The lengths of candles that are offered. */
export const candlePeriods = [
  "1m",
  "3m",
  "5m",
  "15m",
  "30m",
  "1h",
  "2h",
  "4h",
  "6h",
  "12h",
  "1d",
  "3d",
  "1w",
] as const;

const period = z.enum(candlePeriods).optional();

/** A number of rows, clamped into 1 … `most`. */
function clampedLimit(standard: number, most: number) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform((text) => Math.min(Math.max(Number(text), 1), most))
    .default(standard);
}

export const candlesQuery = z.object({
  period,
  interval: period,
  limit: clampedLimit(500, 2000),
});

export const orderbookQuery = z.object({ depth: clampedLimit(100, 1000) });

export const recentTradesQuery = z.object({ limit: clampedLimit(100, 1000) });
