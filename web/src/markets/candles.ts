// Loads the history of one market's candles from the routes: the newest first, and older ones in pages.

import { request } from "../member/venue-api.ts";
import { type Candle, dayStart, type Period, type Sums, sumsBefore } from "./candle.ts";
import { type Market, surfaceOf } from "./market.ts";

const candlesShown = 500;
/** The most that a chart holds: what it computes of all of them takes time. */
export const candlesMax = 10_000;

type Row = readonly [
  openMs: number,
  open: string,
  high: string,
  low: string,
  close: string,
  volume: string,
  closeMs: number,
  quoteVolume: string,
];

function candleOf([openMs, open, high, low, close, volume, , quoteVolume]: Row): Candle {
  return {
    openMs,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
    quoteVolume: Number(quoteVolume),
  };
}

async function readCandles(
  market: Market,
  period: Period,
  limit: number,
  endMs: number | null = null,
): Promise<Candle[]> {
  const end = endMs === null ? "" : `&endTime=${endMs}`;
  const query = `symbol=${market.listed}&interval=${period}&limit=${limit}${end}`;
  const rows = await request<Row[]>("GET", `${surfaceOf(market)}/klines?${query}`);
  return rows.map(candleOf);
}

export interface CandleHistory {
  /** In ascending order. */
  readonly candles: Candle[];
  /** What was traded on the UTC day of the first candle before it; null if unknown. */
  readonly before: Sums | null;
}

const nothing: Sums = { volume: 0, quoteVolume: 0 };

/** Whether there may be candles before the newest ones, in ascending order. */
export function mayHaveOlder(newest: readonly Candle[]): boolean {
  return newest.length >= candlesShown;
}

/** What was traded before candles that may begin in the middle of a day. */
async function readBefore(market: Market, candles: readonly Candle[]): Promise<Sums | null> {
  const first = candles[0];
  // With fewer there are none before them, and a whole day begins with its own first candle.
  if (first === undefined || !mayHaveOlder(candles)) return nothing;
  if (first.openMs === dayStart(first.openMs)) return nothing;
  const [today] = await readCandles(market, "1d", 1);
  const isSameDay = today?.openMs === dayStart(first.openMs);
  return isSameDay && today !== undefined ? sumsBefore(candles, today) : null;
}

/** Loads the newest candles, and what they do not show of their first day. */
export async function loadCandles(market: Market, period: Period): Promise<CandleHistory> {
  const candles = await readCandles(market, period, candlesShown);
  return { candles, before: await readBefore(market, candles) };
}

/**
 * Loads the candles before one that opened at `beforeMs`; none if there are none. What was traded on their first day before
 * them is unknown, unless they begin with a day.
 */
export async function loadOlder(
  market: Market,
  period: Period,
  beforeMs: number,
): Promise<CandleHistory> {
  const read = await readCandles(market, period, candlesShown, beforeMs - 1);
  const candles = read.filter(({ openMs }) => openMs < beforeMs);
  const [first] = candles;
  const isWhole = first === undefined || first.openMs === dayStart(first.openMs);
  return { candles, before: isWhole || !mayHaveOlder(candles) ? nothing : null };
}
