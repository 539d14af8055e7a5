// Public trade routes of the spot surface: trades, aggregates, klines and tickers. Tickers cover the last 24 hours, the
// trading day of a time zone, or a window of chosen length, which begins on a whole minute. Recent data comes from
// memory, older data from SQL.

import type * as z from "zod";
import {
  spotAggTrades,
  spotDayTicker,
  spotHistoricalTrades,
  spotKlines,
  spotTrades,
  spotTradingDay,
  spotWindowTicker,
} from "../../../../schemas/http/spot.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { bucketStart } from "../../../core/unix-ms.ts";
import type { TapeTrade } from "../../../engine/market-data/trade-tape.ts";
import { bySymbols } from "../../../services/access/request-weight.ts";
import { AggregateReader } from "../market-data/aggregate-trades.ts";
import { klineInterval, klineText } from "../market-data/kline-interval.ts";
import { KlineReader } from "../market-data/kline-reader.ts";
import { MarketStatistics, type WindowStatistics } from "../market-data/market-statistics.ts";
import { pricesText, shownStatistics } from "../market-data/stand-in-price.ts";
import { type TickerWindow, windowFigures } from "../market-data/window-text.ts";
import { shownIn } from "../orders/order-format.ts";
import { boundsOf, marketOf } from "../requests/read-request.ts";
import { openRoute, routeGroup } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import {
  badCombination,
  badInterval,
  illegalParameter,
  missingParameter,
  refused,
} from "../requests/surface-error.ts";
import type { HttpCall } from "../server/http-call.ts";
import { type MarketSelection, selectMarkets } from "./market-selection.ts";
import {
  aggregateText,
  dayText,
  miniText,
  type ShownView,
  tradeText,
  windowText,
} from "./market-texts.ts";
import { listText } from "./render.ts";

const kind = MarketKind.spot;
const minuteMs = 60_000;
const dayMs = 86_400_000;

interface TradeParts extends RouteContext {
  readonly aggregates: AggregateReader;
  readonly klines: KlineReader;
  readonly statistics: MarketStatistics;
}

type TradeHandler = (
  parts: TradeParts,
  call: HttpCall,
  params: z.output<typeof spotTrades>,
) => string;
type KlineHandler = (
  parts: TradeParts,
  call: HttpCall,
  params: z.output<typeof spotKlines>,
) => Promise<string>;

function tradesText(trades: readonly TapeTrade[], { view }: HttpCall, market: Market): string {
  const shown = shownIn(view, market);
  return listText(trades.map((trade) => tradeText(trade, shown)));
}

const newestTrades: TradeHandler = ({ table, model }, call, { symbol, limit }) => {
  const market = marketOf(table, kind, symbol);
  return tradesText(model.view(market).tape.latest(limit), call, market);
};

const klines: KlineHandler = async (parts, { view }, params) => {
  const market = marketOf(parts.table, kind, params.symbol);
  const interval = klineInterval(params.interval);
  if (interval === undefined) refused(view === "root" ? illegalParameter("interval") : badInterval);
  const query = {
    market,
    interval,
    offsetMs: params.timeZone,
    startMs: params.startTime ?? null,
    endMs: params.endTime ?? null,
    limit: params.limit,
    nowMs: parts.marketClock.nowMs(),
  };
  const shown = shownIn(view, market);
  const rows = await parts.klines.read(query);
  return listText(rows.map(({ candle, closeTimeMs }) => klineText(candle, shown, closeTimeMs)));
};

type RowText = (view: ShownView, window: TickerWindow) => string;
type Windows = ReadonlyArray<WindowStatistics | Promise<WindowStatistics>>;

function isHeld(windows: Windows): windows is readonly WindowStatistics[] {
  return windows.every((window) => !(window instanceof Promise));
}

/** The rows of windows; returned without a promise if memory holds all of them. */
function windowsText(
  parts: TradeParts,
  call: HttpCall,
  found: MarketSelection,
  { windows, text }: { windows: Windows; text: RowText },
): string | Promise<string> {
  if (!isHeld(windows))
    return Promise.all(windows).then((read) =>
      windowsText(parts, call, found, { windows: read, text }),
    );
  const { model, marketClock } = parts;
  const nowMs = marketClock.nowMs();
  const rows = windows.map((read, at) => {
    const market = found.markets[at] as Market;
    const statistics = shownStatistics(model, market, { statistics: read, call });
    const hasPrice = windowFigures(statistics).close > 0;
    const shown = { market: shownIn(call.view, market), depth: model.view(market).depth };
    return { text: text(shown, { statistics, nowMs }), hasPrice };
  });
  return pricesText(call, rows, found);
}

/** Tickers of the named markets, from a start time that is computed from the current time. */
function since(
  parts: TradeParts,
  call: HttpCall,
  params: Parameters<typeof selectMarkets>[1] & { readonly type: "FULL" | "MINI" },
  startOf: (nowMs: number) => number,
): string | Promise<string> {
  if (params.symbol === undefined && params.symbols === undefined)
    refused(missingParameter("symbol"));
  const found = selectMarkets(parts, params);
  const startMs = startOf(parts.marketClock.nowMs());
  const windows = found.markets.map((market) => parts.statistics.since(market, startMs));
  return windowsText(parts, call, found, {
    windows,
    text: params.type === "MINI" ? miniText : windowText,
  });
}

/** The public routes of the spot surface about trades. */
export const spotTradeRoutes = routeGroup(
  (context): TradeParts => ({
    ...context,
    aggregates: new AggregateReader(context.model, context.history),
    klines: new KlineReader(context.model, context.history),
    statistics: new MarketStatistics(context.model, context.history),
  }),
)([
  openRoute("GET /api/v3/trades", {
    summary: "The newest trades of a market.",
    reads: spotTrades,
    session: "trades.recent",
    example: "symbol=CC-USDC&limit=10",
    answer: newestTrades,
  }),
  // go-binance uses no other path than this one, which Binance has retired.
  openRoute("GET /api/v1/trades", {
    summary: "The newest trades of a market, at the path go-binance uses.",
    reads: spotTrades,
    example: "symbol=CC-USDC&limit=10",
    onlyIn: "compat",
    isRetired: true,
    answer: newestTrades,
  }),
  openRoute("GET /api/v3/historicalTrades", {
    summary: "Trades of a market from an id on.",
    weight: 5,
    reads: spotHistoricalTrades,
    session: "trades.historical",
    example: "symbol=CC-USDC&limit=10",
    answer: async (parts, call, params) => {
      if (params.fromId === undefined) return newestTrades(parts, call, params);
      const market = marketOf(parts.table, kind, params.symbol);
      const range = { beforeTradeId: null, startUs: null, endUs: null };
      const { fromId: fromTradeId, limit } = params;
      const query = { market: market.id, fromTradeId, ...range, limit };
      return tradesText(await parts.history.trades(query), call, market);
    },
  }),
  openRoute("GET /api/v3/aggTrades", {
    summary: "Aggregate trades of a market: trades of one order at one price count as one.",
    reads: spotAggTrades,
    session: "trades.aggregate",
    example: "symbol=CC-USDC&limit=10",
    answer: async ({ table, aggregates }, { view }, params) => {
      const market = marketOf(table, kind, params.symbol);
      const { fromId, startTime, endTime, limit } = params;
      const hasTimes = startTime !== undefined || endTime !== undefined;
      const isReversed = (startTime ?? 0) > (endTime ?? Number.POSITIVE_INFINITY);
      if ((fromId !== undefined && hasTimes) || isReversed) refused(badCombination);
      const query = { fromId: fromId ?? null, ...boundsOf(params), limit };
      const shown = shownIn(view, market);
      const rows = await aggregates.read(market, query);
      return listText(rows.map((row) => aggregateText(row, shown)));
    },
  }),
  openRoute("GET /api/v3/klines", {
    summary: "Klines of a market.",
    reads: spotKlines,
    session: "klines",
    example: "symbol=CC-USDC&interval=1m&limit=10",
    answer: klines,
  }),
  openRoute("GET /api/v3/uiKlines", {
    summary: "Klines of a market.",
    reads: spotKlines,
    session: "uiKlines",
    example: "symbol=CC-USDC&interval=1m&limit=10",
    answer: klines,
  }),
  openRoute("GET /api/v3/ticker/24hr", {
    summary: "Statistics of the last 24 hours.",
    weight: bySymbols,
    reads: spotDayTicker,
    session: "ticker.24hr",
    example: "symbol=CC-USDC",
    form: "rows",
    answer: (parts, call, params) => {
      const found = selectMarkets(parts, params);
      const nowMs = parts.marketClock.nowMs();
      const windows = found.markets.map((market) => parts.statistics.lastDay(market, nowMs));
      return windowsText(parts, call, found, {
        windows,
        text: params.type === "MINI" ? miniText : dayText,
      });
    },
  }),
  openRoute("GET /api/v3/ticker/tradingDay", {
    summary: "Statistics of the trading day.",
    weight: bySymbols,
    reads: spotTradingDay,
    session: "ticker.tradingDay",
    example: "symbol=CC-USDC",
    form: "rows",
    answer: (parts, call, params) => {
      const { timeZone } = params;
      return since(parts, call, params, (nowMs) => bucketStart(nowMs + timeZone, dayMs) - timeZone);
    },
  }),
  openRoute("GET /api/v3/ticker", {
    summary: "Statistics of a rolling window.",
    weight: bySymbols,
    reads: spotWindowTicker,
    session: "ticker",
    example: "symbol=CC-USDC",
    form: "rows",
    answer: (parts, call, params) =>
      since(parts, call, params, (nowMs) => bucketStart(nowMs - params.windowSize, minuteMs)),
  }),
]);
