// A kline row as JSON text: the same twelve elements on both surfaces (specification: Kline row).

import type { Candle } from "../../../engine/market-data/candles.ts";
import { priceText, qtyText, quoteText, type ShownMarket } from "../orders/order-words.ts";

/** One row; `closeTimeMs` is the last millisecond of the bucket. */
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
