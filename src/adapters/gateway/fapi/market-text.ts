// Market data of the perpetual surface as JSON text (binance-compat 5.1, 5.2). Every text that
// enters is one the venue made.

import { formatScaled } from "../../../core/decimal.ts";
import type { Market } from "../../../core/markets.ts";
import type { Candle } from "../../../engine/market-data/candles.ts";

/** One symbol of the root exchangeInfo: exactly the specification's seven fields. */
export function symbolText(market: Market): string {
  return (
    `{"symbol":"${market.alias}","pair":"${market.symbol}","status":"TRADING"` +
    `,"baseAsset":"${market.baseCode}","quoteAsset":"${market.quoteCode}"` +
    `,"pricePrecision":${market.tickDecimals},"quantityPrecision":${market.lotDecimals}}`
  );
}

/** One row of klines: the specification's twelve elements. */
export function klineText(candle: Candle, market: Market, intervalMs: number): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const price = (ticks: number) => `"${formatScaled(ticks, tickDecimals)}"`;
  const volume = (lots: number) => `"${formatScaled(lots, lotDecimals)}"`;
  const value = (units: bigint) => `"${formatScaled(units, quote.decimals)}"`;
  return (
    `[${candle.openTimeMs},${price(candle.open)},${price(candle.high)},${price(candle.low)}` +
    `,${price(candle.close)},${volume(candle.volume)},${candle.openTimeMs + intervalMs - 1}` +
    `,${value(candle.quote)},${candle.count},${volume(candle.takerBuyVolume)}` +
    `,${value(candle.takerBuyQuote)},"0"]`
  );
}
