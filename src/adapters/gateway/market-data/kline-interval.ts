// The kline intervals that Binance offers. For each of them, this file computes where its buckets start, in UTC or in a
// time zone, and selects the stored buckets from which its klines are built. Weeks begin on Monday, months on their
// first day. This file also renders one kline as text.

import type { Candle } from "../../../engine/market-data/candles.ts";
import { priceText, qtyText, quoteText, type ShownMarket } from "../orders/order-format.ts";

const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
/** Time of the first Monday after 1 January 1970, which was a Thursday. */
const mondayMs = 4 * dayMs;

/** A kline interval. All its buckets have the same length, except that months vary. */
export interface KlineInterval {
  readonly name: string;
  /** Length of a bucket; for months, the length of the longest month. */
  readonly ms: number;
  readonly isMonth: boolean;
  /** Start of the first bucket that begins on or after 1 January 1970, in milliseconds since that day. */
  readonly anchorMs: number;
}

function every(name: string, ms: number, anchorMs = 0): KlineInterval {
  return { name, ms, anchorMs, isMonth: false };
}

const intervals: readonly KlineInterval[] = [
  every("1s", secondMs),
  ...[1, 3, 5, 15, 30].map((count) => every(`${count}m`, count * minuteMs)),
  ...[1, 2, 4, 6, 8, 12].map((count) => every(`${count}h`, count * hourMs)),
  every("1d", dayMs),
  every("3d", 3 * dayMs),
  every("1w", 7 * dayMs, mondayMs),
  { name: "1M", ms: 31 * dayMs, anchorMs: 0, isMonth: true },
];

const byName: ReadonlyMap<string, KlineInterval> = new Map(
  intervals.map((interval) => [interval.name, interval]),
);

/** The interval with this name; undefined if there is none. */
export function klineInterval(name: string): KlineInterval | undefined {
  return byName.get(name);
}

function monthStart(atMs: number, monthsOn: number): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsOn);
}

/** Start of the bucket that contains `atMs`, in a zone `offsetMs` ahead of UTC. */
export function klineStart(interval: KlineInterval, atMs: number, offsetMs: number): number {
  const localMs = atMs + offsetMs;
  if (interval.isMonth) return monthStart(localMs, 0) - offsetMs;
  const { ms, anchorMs } = interval;
  return Math.floor((localMs - anchorMs) / ms) * ms + anchorMs - offsetMs;
}

/**
 * Start of the bucket that is `count` buckets after the one that starts at `startMs`, or before it if `count` is
 * negative.
 */
export function klineStartAfter(
  interval: KlineInterval,
  { startMs, count, offsetMs }: { startMs: number; count: number; offsetMs: number },
): number {
  return interval.isMonth
    ? monthStart(startMs + offsetMs, count) - offsetMs
    : startMs + count * interval.ms;
}

/**
 * The longest stored interval of which every bucket lies inside a single requested bucket; 0 if the klines must be
 * built from trades.
 */
export function storedIntervalOf({ ms }: KlineInterval, offsetMs: number): number {
  for (const storedMs of [dayMs, hourMs, minuteMs]) {
    if (ms >= storedMs && offsetMs % storedMs === 0) return storedMs;
  }
  return 0;
}

/** One row of klines; `closeTimeMs` is the last millisecond of the row's bucket. */
export function klineText(candle: Candle, market: ShownMarket, closeTimeMs: number): string {
  const price = (ticks: number) => `"${priceText(market, ticks)}"`;
  const volume = (lots: number) => `"${qtyText(market, lots)}"`;
  const value = (units: bigint) => `"${quoteText(market, units)}"`;
  return (
    `[${candle.openTimeMs},${price(candle.open)},${price(candle.high)},${price(candle.low)}` +
    `,${price(candle.close)},${volume(candle.volume)},${closeTimeMs}` +
    `,${value(candle.quote)},${candle.count},${volume(candle.takerBuyVolume)}` +
    `,${value(candle.takerBuyQuote)},"0"]`
  );
}
