// The changes of candles by one batch's trades: one row per market, interval and opening time. The trades of a batch
// nearly always fall into one candle of each interval, so only the current row is remembered, without a map.

import { Side } from "../../core/orders.ts";
import { candleIdsMax } from "../../core/price-series.ts";
import { bucketStart, candleIntervals, unixMsOfUs } from "../../core/unix-ms.ts";
import type { CandleColumns } from "../../ports/journal/event-store.ts";

/** The fields of a trade that candles use. */
export interface CandleTrade {
  /** A market id plus the code of a price series (PriceSeries), which is 0 for trades. */
  readonly market: number;
  readonly tsUs: number;
  readonly price: number;
  readonly qty: number;
  readonly takerSide: Side;
}

export class CandleDeltas {
  /** The current row by market and interval; −1 if there is none in this batch. */
  readonly #row: Int32Array;

  constructor() {
    this.#row = new Int32Array(candleIdsMax * candleIntervals.length).fill(-1);
  }

  /** Starts a new batch: rows of the last one are not continued. */
  reset(): void {
    this.#row.fill(-1);
  }

  /** Adds one trade worth `quote` minor units to every interval's candle. */
  add(columns: CandleColumns, trade: CandleTrade, quote: bigint): void {
    const atMs = unixMsOfUs(trade.tsUs);
    for (const [place, interval] of candleIntervals.entries()) {
      const openTimeMs = bucketStart(atMs, interval.ms);
      const index = trade.market * candleIntervals.length + place;
      let row = this.#row[index] ?? -1;
      if (row < 0 || columns.openTimeMs[row] !== openTimeMs) {
        row = openRow(columns, trade, interval.ms, openTimeMs);
        this.#row[index] = row;
      }
      addToRow(columns, row, trade, quote);
    }
  }
}

/** Adds a row whose four prices are the trade's price and whose sums are still 0; returns its index. */
function openRow(
  columns: CandleColumns,
  trade: CandleTrade,
  intervalMs: number,
  openTimeMs: number,
): number {
  columns.market.push(trade.market);
  columns.intervalMs.push(intervalMs);
  columns.open.push(trade.price);
  columns.high.push(trade.price);
  columns.low.push(trade.price);
  columns.close.push(trade.price);
  columns.volume.push(0);
  columns.quote.push(0n);
  columns.count.push(0);
  columns.takerBuyVolume.push(0);
  columns.takerBuyQuote.push(0n);
  return columns.openTimeMs.push(openTimeMs) - 1;
}

function addToRow(columns: CandleColumns, row: number, trade: CandleTrade, quote: bigint): void {
  columns.high[row] = Math.max(columns.high[row] ?? 0, trade.price);
  columns.low[row] = Math.min(columns.low[row] ?? 0, trade.price);
  columns.close[row] = trade.price;
  columns.volume[row] = (columns.volume[row] ?? 0) + trade.qty;
  columns.quote[row] = (columns.quote[row] ?? 0n) + quote;
  columns.count[row] = (columns.count[row] ?? 0) + 1;
  if (trade.takerSide !== Side.buy) return;
  columns.takerBuyVolume[row] = (columns.takerBuyVolume[row] ?? 0) + trade.qty;
  columns.takerBuyQuote[row] = (columns.takerBuyQuote[row] ?? 0n) + quote;
}
