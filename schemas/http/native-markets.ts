// What the public market routes of the native surface take: queries, which are texts.

import * as z from "zod";
import { rowLimit } from "./common.ts";

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

export const candlesQuery = z.object({
  period,
  interval: period,
  limit: rowLimit(500, 2000),
});

export const orderbookQuery = z.object({ depth: rowLimit(100, 1000) });

export const recentTradesQuery = z.object({ limit: rowLimit(100, 1000) });
