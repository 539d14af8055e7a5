// The charts of one account as points: the price of each market with the account's fills, its position, its equity, and the
// faults that happened to it, all on the market's time.

import { sideNames } from "../../adapters/gateway/orders/order-format.ts";
import type { Market } from "../../core/markets.ts";
import type { ClientView } from "./client-view.ts";
import type { MarketWatch } from "./market-watch.ts";
import type { AccountCharts, ChartFault, ChartFill, ChartPoint, Rows } from "./report-form.ts";
import type { SeriesPoint } from "./thinned-series.ts";
import type { TrackedFill } from "./tracked-orders.ts";

/** Marks in one chart: more could not be told apart. */
const marksMax = 400;

interface ChartParts {
  readonly watches: readonly MarketWatch[];
  readonly endUs: number;
  /** Of the asset of equity. */
  readonly decimals: number;
}

export function accountCharts(view: ClientView, parts: ChartParts): AccountCharts {
  const { run } = view;
  const markets = new Set([...run.orders.values()].map(({ market }) => market));
  return {
    markets: [...markets].map((market) => marketChart(view, market, parts)),
    equity: pointsOf(run.equity.points, 10 ** parts.decimals),
    faults: faultMarks(view),
  };
}

function marketChart({ run }: ClientView, market: Market, { watches }: ChartParts) {
  const fills = run.fills.filter(({ order }) => order.market === market);
  const scale = 10 ** market.tickDecimals;
  return {
    market: market.symbol,
    // The series has twice the middle of the book, which is a whole number of ticks.
    price: pointsOf(watches[market.id]?.prices.points ?? [], 2 * scale),
    position: pointsOf(run.positions.get(market)?.points ?? [], 10 ** market.lotDecimals),
    fills: evenly(fills, (fill) => chartFill(fill, scale)),
  };
}

function chartFill({ atUs, price, side, isMaker }: TrackedFill, scale: number): ChartFill {
  return {
    at: atUs / 1000,
    price: price / scale,
    side: sideNames[side] as "BUY",
    is_maker: isMaker,
  };
}

function faultMarks({ logs, marketTime }: ClientView): Rows<ChartFault> {
  const placed = logs.flatMap(({ marks }) =>
    marks.flatMap(({ atMs, kind, profile, what }) => {
      const atUs = marketTime.at(atMs);
      return atUs === null ? [] : [{ at: atUs / 1000, kind, profile, what }];
    }),
  );
  const { rows, more } = evenly(placed, (mark) => mark);
  return { rows, more: more + logs.reduce((sum, { marksLeft }) => sum + marksLeft, 0) };
}

/** At most `marksMax` of all, evenly. */
function evenly<From, To>(all: readonly From[], shown: (one: From) => To): Rows<To> {
  const step = Math.max(1, Math.ceil(all.length / marksMax));
  const rows = all.filter((_, at) => at % step === 0).map(shown);
  return { rows, more: all.length - rows.length };
}

function pointsOf(points: readonly SeriesPoint<number | bigint>[], scale: number): ChartPoint[] {
  return points.map(({ atUs, low, high, last }) => {
    return [atUs / 1000, Number(low) / scale, Number(high) / scale, Number(last) / scale];
  });
}
