// Loads the history of one market's candles from the routes.

import { request } from "../member/venue-api.ts";
import { type Candle, dayStart, type Period, type Sums, sumsBefore } from "./candle.ts";
import { type Market, surfaceOf } from "./market.ts";

const candlesShown = 500;

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

async function newestCandles(market: Market, period: Period, limit: number): Promise<Candle[]> {
  const query = `symbol=${market.listed}&interval=${period}&limit=${limit}`;
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

/** What was traded before candles that may begin in the middle of a day. */
async function readBefore(market: Market, candles: readonly Candle[]): Promise<Sums | null> {
  const first = candles[0];
  // With fewer there are none before them, and a whole day begins with its own first candle.
  if (first === undefined || candles.length < candlesShown) return nothing;
  if (first.openMs === dayStart(first.openMs)) return nothing;
  const [today] = await newestCandles(market, "1d", 1);
  const isSameDay = today?.openMs === dayStart(first.openMs);
  return isSameDay && today !== undefined ? sumsBefore(candles, today) : null;
}

/** Loads the newest candles, and what they do not show of their first day. */
export async function loadCandles(market: Market, period: Period): Promise<CandleHistory> {
  const candles = await newestCandles(market, period, candlesShown);
  return { candles, before: await readBefore(market, candles) };
}
