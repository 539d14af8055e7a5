// The statistics of a window as JSON text: fields that the 24 h tickers of both surfaces and the
// windowed tickers of spot share (binance-compat 4.2, 5.2).

import type { Market } from "../../../core/markets.ts";
import { formatScaled } from "../../../core/money/decimal.ts";
import { priceText, qtyText, quoteText, type ShownMarket } from "../orders/order-words.ts";
import type { WindowStatistics } from "./market-statistics.ts";
import { meanPlaces, meanText } from "./mean-price.ts";

/** Value per lot as a price with eight places; without a volume it is `price` ticks. */
export function meanPriceText(
  market: Market,
  { quote, volume, price }: { quote: bigint; volume: number; price: number },
): string {
  if (volume > 0) return meanText(market, quote, volume);
  return formatScaled(BigInt(price) * 10n ** BigInt(meanPlaces - market.tickDecimals), meanPlaces);
}

/** A change in percent with three places, rounded toward zero. */
export function percentText(change: number, open: number): string {
  return formatScaled(open === 0 ? 0 : (BigInt(change) * 100_000n) / BigInt(open), 3);
}

/** The statistics of a window with the window's own bounds. */
export interface TickerWindow {
  readonly statistics: WindowStatistics;
  readonly nowMs: number;
}

/** Figures that a market without a trade in the window takes from before it: it stood still. */
export function standing({ traded, priceBefore }: WindowStatistics) {
  const still = { open: priceBefore, high: priceBefore, low: priceBefore, close: priceBefore };
  return traded ?? { ...still, volume: 0, quote: 0n, count: 0 };
}

export function boundsText({ statistics, nowMs }: TickerWindow): string {
  const { startMs, firstTradeId, lastTradeId, traded } = statistics;
  const ids = `"firstId":${firstTradeId},"lastId":${lastTradeId},"count":${traded?.count ?? 0}`;
  return `"openTime":${startMs},"closeTime":${nowMs},${ids}`;
}

export function volumesText(
  market: ShownMarket,
  { volume, quote }: { volume: number; quote: bigint },
): string {
  return `"volume":"${qtyText(market, volume)}"` + `,"quoteVolume":"${quoteText(market, quote)}"`;
}

export function changesText(market: ShownMarket, statistics: WindowStatistics): string {
  const { open, close, volume, quote } = standing(statistics);
  const change = close - open;
  return (
    `"priceChange":"${priceText(market, change)}"` +
    `,"priceChangePercent":"${percentText(change, open)}"` +
    `,"weightedAvgPrice":"${meanPriceText(market, { quote, volume, price: close })}"`
  );
}
