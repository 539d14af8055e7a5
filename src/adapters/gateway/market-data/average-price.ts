// The average price of the last minutes (Binance: five): value by quantity of what traded, or the last price
// where nothing did. avgPrice answers it and its stream tells it.

import type { Market } from "../../../core/markets.ts";
import { bucketStart } from "../../../core/unix-ms.ts";
import { allJoined } from "../../../engine/market-data/candles.ts";
import type { MarketView } from "../read-model.ts";
import { meanPriceText } from "./window-text.ts";

/** Minutes of the window; the one under way is its last. */
export const averageMinutes = 5;
const minuteMs = 60_000;

/** The average as text; `last` are the ticks that stand for a window without a trade. */
export function averagePriceText(
  { market, candles }: Pick<MarketView, "candles"> & { readonly market: Market },
  { last, nowMs }: { last: number; nowMs: number },
): string {
  const fromMs = bucketStart(nowMs, minuteMs) - (averageMinutes - 1) * minuteMs;
  const { quote = 0n, volume = 0 } = allJoined(candles[0]?.since(fromMs - 1) ?? []) ?? {};
  return meanPriceText(market, { quote, volume, price: last });
}
