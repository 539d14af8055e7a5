// Loads the history of one market's candles from the routes.

import { request } from "../member/venue-api.ts";
import type { Candle, Period } from "./candle.ts";
import type { Market } from "./market.ts";

interface NativeCandle {
  readonly bucket_ms: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

const candlesShown = 500;

type Row = readonly [number, string, string, string, string, string];

function candleOf([openMs, open, high, low, close, volume]: Row): Candle {
  return {
    openMs,
    open: Number(open),
    high: Number(high),
    low: Number(low),
    close: Number(close),
    volume: Number(volume),
  };
}

/** Loads the newest candles with trades, in ascending order. */
export async function loadCandles(market: Market, period: Period): Promise<Candle[]> {
  const limit = `limit=${candlesShown}`;
  if (market.isPerpetual) {
    const path = `/v1/markets/${market.symbol}/candles?period=${period}&${limit}`;
    const candles = await request<NativeCandle[]>("GET", path);
    return candles.map(({ bucket_ms, open, high, low, close, volume }) =>
      candleOf([bucket_ms, open, high, low, close, volume]),
    );
  }
  const query = `symbol=${market.listed}&interval=${period}&${limit}`;
  const rows = await request<Row[]>("GET", `/compat/api/v3/klines?${query}`);
  return rows.map(candleOf);
}
