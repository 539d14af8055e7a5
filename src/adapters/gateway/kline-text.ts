// A kline row as JSON text: the same twelve elements on both surfaces (specification: Kline row).

import { formatScaled } from "../../core/decimal.ts";
import type { Market } from "../../core/markets.ts";
import type { Candle } from "../../engine/market-data/candles.ts";

/** One row; `closeTimeMs` is the last millisecond of the bucket. */
export function klineText(candle: Candle, market: Market, closeTimeMs: number): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const price = (ticks: number) => `"${formatScaled(ticks, tickDecimals)}"`;
  const volume = (lots: number) => `"${formatScaled(lots, lotDecimals)}"`;
  const value = (units: bigint) => `"${formatScaled(units, quote.decimals)}"`;
  return (
    `[${candle.openTimeMs},${price(candle.open)},${price(candle.high)},${price(candle.low)}` +
    `,${price(candle.close)},${volume(candle.volume)},${closeTimeMs}` +
    `,${value(candle.quote)},${candle.count},${volume(candle.takerBuyVolume)}` +
    `,${value(candle.takerBuyQuote)},"0"]`
  );
}
