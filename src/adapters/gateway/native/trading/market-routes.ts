// Public market routes under /v1: listing, candles, ticker, order book, recent trades, funding, and the icons in the
// listing. An icon is a coloured disc with the coin's first letters. It is generated from the coin's code, so that
// markets which the operator adds later also have icons.

import { createHash } from "node:crypto";
import {
  candlesQuery,
  orderbookQuery,
  recentTradesQuery,
} from "../../../../../schemas/http/native.ts";
import { isPerpetual, type Market } from "../../../../core/markets.ts";
import { klineInterval } from "../../market-data/kline-interval.ts";
import { NewestCandles } from "../../market-data/kline-reader.ts";
import { MarketStatistics } from "../../market-data/market-statistics.ts";
import { openRoute, routeGroup } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { refused } from "../../requests/surface-error.ts";
import { nativeFaults } from "../error-map.ts";
import {
  candleRecord,
  fundingRecord,
  iconPath,
  levelsOf,
  marketRecord,
  tickerRecord,
  tradeRecord,
} from "./market-text.ts";

/** An icon as served. */
interface Icon {
  readonly svg: string;
  /** The ETag, including its quotation marks. */
  readonly etag: string;
}

const hues: Readonly<Record<string, number>> = { BTC: 36, ETH: 228, CC: 168 };

function hueOf(code: string): number {
  const known = hues[code];
  if (known !== undefined) return known;
  return (createHash("sha256").update(code).digest()[0] ?? 0) * (360 / 256);
}

/** The icon of a coin whose code is upper-case letters and digits. */
function iconOf(code: string): Icon {
  const letters = code.slice(0, 3);
  const size = letters.length > 2 ? 19 : 24;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="${code}">` +
    `<circle cx="32" cy="32" r="32" fill="hsl(${Math.round(hueOf(code))} 62% 42%)"/>` +
    `<circle cx="32" cy="32" r="26" fill="none" stroke="#fff" stroke-opacity=".35" stroke-width="2"/>` +
    `<text x="32" y="33" fill="#fff" font-family="sans-serif" font-weight="700" font-size="${size}"` +
    ` text-anchor="middle" dominant-baseline="middle">${letters}</text></svg>\n`;
  const digest = createHash("sha256").update(svg).digest("base64url").slice(0, 22);
  return { svg, etag: `"${digest}"` };
}

/** Number of funding settlements shown: 33 days at one settlement every eight hours. */
const fundingsShown = 100;

interface MarketParts extends RouteContext {
  readonly statistics: MarketStatistics;
  readonly candles: NewestCandles;
  readonly listing: string;
  /** Icons by the path at which they are served. */
  readonly icons: ReadonlyMap<string, Icon>;
}

/** The perpetual market with that name. */
function perpetualNamed({ table }: MarketParts, symbol: string): Market {
  const market = table.find(symbol);
  return market !== undefined && isPerpetual(market) ? market : refused(nativeFaults.unknownSymbol);
}

/** The public routes about markets. */
export const marketRoutes = routeGroup((context): MarketParts => {
  const { model, history, table } = context;
  const perpetuals = table.markets.filter(isPerpetual);
  return {
    ...context,
    statistics: new MarketStatistics(model, history),
    candles: new NewestCandles(model, history),
    listing: JSON.stringify(perpetuals.map(marketRecord)),
    icons: new Map(perpetuals.map(({ baseCode }) => [iconPath(baseCode), iconOf(baseCode)])),
  };
})([
  openRoute("GET /v1/markets", {
    summary: "The perpetual markets.",
    answer: ({ listing }) => listing,
  }),
  openRoute("GET /v1/icons/{file}", {
    summary: "The icon of a coin, as SVG.",
    faults: { 404: "Icon not found." },
    exampleName: "btc.svg",
    form: "svg",
    handle: ({ icons }, call) => {
      const icon = icons.get(call.path) ?? refused(nativeFaults.notFound);
      call.image(icon.svg, icon.etag);
    },
  }),
  openRoute("GET /v1/markets/{symbol}/candles", {
    summary: "The newest candles with trades.",
    reads: candlesQuery,
    example: "?period=15m&limit=10",
    weight: 5,
    answer: async (parts, _, { symbol, period, interval: named, limit }) => {
      const market = perpetualNamed(parts, symbol);
      const interval = klineInterval(period ?? named ?? "") ?? refused(nativeFaults.periodMissing);
      const rows = await parts.candles.read(market, interval, limit);
      return JSON.stringify(rows.map((row) => candleRecord(market, row)));
    },
  }),
  openRoute("GET /v1/markets/{symbol}/ticker", {
    summary: "Prices and the last 24 hours.",
    form: "rows",
    answer: async (parts, _, { symbol }) => {
      const { model, marketClock } = parts;
      const market = perpetualNamed(parts, symbol);
      const nowMs = marketClock.nowMs();
      const statistics = await parts.statistics.lastDay(market, nowMs);
      return JSON.stringify(tickerRecord(model, market, { statistics, nowMs }));
    },
  }),
  openRoute("GET /v1/markets/{symbol}/orderbook", {
    summary: "The order book, best first.",
    reads: orderbookQuery,
    example: "?depth=5",
    weight: 5,
    answer: (parts, _, { symbol, depth }) => {
      const { model } = parts;
      const market = perpetualNamed(parts, symbol);
      const { depthSeq: seq } = model.view(market);
      return JSON.stringify({ symbol: market.symbol, seq, ...levelsOf(model, market, depth) });
    },
  }),
  openRoute("GET /v1/markets/{symbol}/recent-trades", {
    summary: "Trades, newest first.",
    reads: recentTradesQuery,
    example: "?limit=10",
    weight: 5,
    answer: (parts, _, { symbol, limit }) => {
      const market = perpetualNamed(parts, symbol);
      const newest = parts.model.view(market).tape.latest(limit).reverse();
      return JSON.stringify({ trades: newest.map((trade) => tradeRecord(market, trade)) });
    },
  }),
  openRoute("GET /v1/markets/{symbol}/funding-rate", {
    summary: "Current and settled funding rates.",
    answer: async (parts, _, { symbol }) => {
      const { model, history, marketClock } = parts;
      const market = perpetualNamed(parts, symbol);
      const nowMs = marketClock.nowMs();
      const all = { startUs: null, endUs: null, limit: fundingsShown };
      const rows = await history.fundings({ markets: [market.id], ...all });
      return JSON.stringify(fundingRecord(model, market, { settled: rows.reverse(), nowMs }));
    },
  }),
]);
