// Ticker prices of a market that has never traded. In the root view they are zeros. Clients of the compat view would
// take a zero for a price, so there the mark of a perpetual or the middle of a spot book replaces the last trade. If
// that price is unknown too, lists of all markets omit the market, and answers to requests that name the market omit
// its prices. Spec CMP-11.

import { type Market, MarketKind } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";
import type { MarketView, ReadModel } from "../read-model.ts";
import type { HttpCall } from "../server/http-call.ts";
import type { WindowStatistics } from "./market-statistics.ts";

/** The middle of the book in ticks, rounded down; 0 unless both sides have an order. */
function middleOf({ depth }: MarketView): number {
  const best = { [Side.buy]: 0, [Side.sell]: 0 };
  for (const side of [Side.buy, Side.sell] as const) {
    depth.visit(side, 1, (price) => {
      best[side] = price;
    });
  }
  const { [Side.buy]: bid, [Side.sell]: ask } = best;
  return bid > 0 && ask > 0 ? Math.floor((bid + ask) / 2) : 0;
}

/** The last price in ticks or, in the compat view, its replacement; 0 if no price is known. */
export function lastPriceOf(
  model: ReadModel,
  market: Market,
  call: Pick<HttpCall, "view">,
): number {
  const last = model.state.lastPrice[market.id] ?? 0;
  if (last > 0 || call.view !== "compat") return last;
  return market.kind === MarketKind.perpetual ? model.mark(market) : middleOf(model.view(market));
}

/**
 * The statistics to show. In the compat view, an unknown price before the window is replaced by the price of the
 * window's first trade or, without a trade, by `lastPriceOf`.
 */
export function shownStatistics(
  model: ReadModel,
  market: Market,
  { statistics, call }: { statistics: WindowStatistics; call: HttpCall },
): WindowStatistics {
  if (call.view !== "compat" || statistics.priceBefore > 0) return statistics;
  const { traded } = statistics;
  return { ...statistics, priceBefore: traded?.open ?? lastPriceOf(model, market, call) };
}

/** One row of an answer, and a flag that says whether its market has a price. */
export interface PriceRow {
  readonly text: string;
  readonly hasPrice: boolean;
}

const priceFields = [
  "price",
  "priceChange",
  "priceChangePercent",
  "weightedAvgPrice",
  "prevClosePrice",
  "lastPrice",
  "openPrice",
  "highPrice",
  "lowPrice",
  "markPrice",
  "indexPrice",
  "estimatedSettlePrice",
] as const;

/** The row with its price fields removed. */
function withoutPrices(text: string): string {
  const row = JSON.parse(text) as Record<string, unknown>;
  for (const name of priceFields) delete row[name];
  return JSON.stringify(row);
}

/**
 * One row as an object, or several as a list. A list of all markets in the compat view contains only the markets with a
 * price.
 */
export function pricesText(
  call: Pick<HttpCall, "view">,
  rows: readonly PriceRow[],
  { isOne, isAll }: { isOne: boolean; isAll: boolean },
): string {
  const isCompat = call.view === "compat";
  const shown = isCompat && isAll ? rows.filter(({ hasPrice }) => hasPrice) : rows;
  const texts = shown.map(({ text, hasPrice }) =>
    isCompat && !hasPrice ? withoutPrices(text) : text,
  );
  return isOne ? (texts[0] ?? "{}") : `[${texts.join(",")}]`;
}
