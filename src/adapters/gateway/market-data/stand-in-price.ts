// What tickers show of a market in which nothing has traded yet. At the root such prices are zeros, as the
// specification's first clients read them. Clients of the compat view take a zero for a price: there the
// mark stands in for the last trade, or the middle of a spot book; where nothing is known, lists of all markets leave
// the market out, and answers that name it leave its prices out. Spec CMP-11.

import { type Market, MarketKind } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";
import type { MarketView, ReadModel } from "../read-model.ts";
import type { HttpCall } from "../server/http-call.ts";
import type { WindowStatistics } from "./market-statistics.ts";

/** Ticks of the middle of the book, rounded down to a whole tick; 0 unless both sides have an order. */
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

/** Ticks that stand in for the last trade's price in this view; 0 where no price is known. */
export function lastPriceOf(
  model: ReadModel,
  market: Market,
  call: Pick<HttpCall, "view">,
): number {
  const last = model.state.lastPrice[market.id] ?? 0;
  if (last > 0 || call.view !== "compat") return last;
  return market.kind === MarketKind.perpetual ? model.mark(market) : middleOf(model.view(market));
}

/** The statistics as this view shows them: a price before the window that is not known is stood in for. */
export function shownStatistics(
  model: ReadModel,
  market: Market,
  { statistics, call }: { statistics: WindowStatistics; call: HttpCall },
): WindowStatistics {
  if (call.view !== "compat" || statistics.priceBefore > 0) return statistics;
  const { traded } = statistics;
  return { ...statistics, priceBefore: traded?.open ?? lastPriceOf(model, market, call) };
}

/** One row of an answer, and whether its market has a price. */
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

/** The row without its prices. */
function withoutPrices(text: string): string {
  const row = JSON.parse(text) as Record<string, unknown>;
  for (const name of priceFields) delete row[name];
  return JSON.stringify(row);
}

/** One row as an object, several as a list; of all markets those with a price on compat. */
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
