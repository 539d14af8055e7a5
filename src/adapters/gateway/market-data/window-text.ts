// The statistics of a window as JSON text: the fields that the 24 h tickers of both surfaces share with the window
// tickers of spot, the mean price of a window, and spot's average price.

import type { Market } from "../../../core/markets.ts";
import { formatScaled, isExact, meanTicks } from "../../../core/money/amounts.ts";
import { bucketStart } from "../../../core/unix-ms.ts";
import { allJoined } from "../../../engine/market-data/candles.ts";
import { priceText, qtyText, quoteText, type ShownMarket } from "../orders/order-format.ts";
import type { MarketView } from "../read-model.ts";
import type { WindowStatistics } from "./market-statistics.ts";

/** Mean price with eight decimals: value divided by lots, or `price` ticks if there is no volume. */
export function meanPriceText(
  market: Market,
  { quote, volume, price }: { quote: bigint; volume: number; price: number },
): string {
  if (volume > 0) return meanText(market, quote, volume);
  return formatScaled(BigInt(price) * 10n ** BigInt(meanPlaces - market.tickDecimals), meanPlaces);
}

/** A change in percent with three decimals, rounded; a half away from zero. */
export function percentText(change: number, open: number): string {
  if (open === 0) return formatScaled(0, 3);
  const [by, from] = [BigInt(change) * 200_000n, BigInt(open)];
  return formatScaled((by + (change < 0 ? -from : from)) / (2n * from), 3);
}

/** The statistics of a window and the times at which it begins and ends. */
export interface TickerWindow {
  readonly statistics: WindowStatistics;
  readonly nowMs: number;
}

/** The figures of a window. If it has no trade, all its prices are the last price before the window. */
export function windowFigures({ traded, priceBefore }: WindowStatistics) {
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
  const { open, close, volume, quote } = windowFigures(statistics);
  const change = close - open;
  return (
    `"priceChange":"${priceText(market, change)}"` +
    `,"priceChangePercent":"${percentText(change, open)}"` +
    `,"weightedAvgPrice":"${meanPriceText(market, { quote, volume, price: close })}"`
  );
}

/** Decimals of a mean price, which can be finer than a tick. */
export const meanPlaces = 8;
/**
 * Number of decimals finer than the tick in a mean price, if the market's values are rounded to minor units. All
 * further decimals of the mean are zeros.
 */
const roundedPlaces = 2;

/**
 * Mean price of `value` ≥ 0 quote minor units for `lots` > 0, with eight decimals. In a market with exact values,
 * the mean is rounded toward zero. In other markets it is rounded to the nearest hundredth of a tick, so that the mean
 * of trades at a single price is exactly that price from about a thousand lots on. Spec FAP-49.
 */
export function meanText(
  { tickDecimals, tickLot }: Pick<Market, "tickDecimals" | "tickLot">,
  value: bigint,
  lots: number,
): string {
  const places = meanPlaces - tickDecimals;
  const kept = isExact(tickLot) ? places : Math.min(roundedPlaces, places);
  const mean = meanTicks(value, lots, tickLot, 10n ** BigInt(kept));
  return formatScaled(mean * 10n ** BigInt(places - kept), meanPlaces);
}

/** Number of minutes that the average price covers, including the current one. */
export const averageMinutes = 5;
const minuteMs = 60_000;

/** The average price as text; the last price `last`, in ticks, replaces it if the window has no trade. */
export function averagePriceText(
  { market, candles }: Pick<MarketView, "candles"> & { readonly market: Market },
  { last, nowMs }: { last: number; nowMs: number },
): string {
  const fromMs = bucketStart(nowMs, minuteMs) - (averageMinutes - 1) * minuteMs;
  const { quote = 0n, volume = 0 } = allJoined(candles[0]?.since(fromMs - 1) ?? []) ?? {};
  return meanPriceText(market, { quote, volume, price: last });
}
