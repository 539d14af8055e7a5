// GET /fapi/v1/klines. The root view has the intervals 1m, 1h and 1d only, omits buckets without a trade, and ignores
// startTime and endTime. The compat view has every interval of Binance, observes both times and includes buckets
// without a trade, because its clients page through the klines. Invalid queries get a plain-text error in both views.

import {
  fapiContinuousKlines,
  fapiIndexKlines,
  fapiKlines,
} from "../../../../../schemas/http/fapi.ts";
import { assert } from "../../../../core/assert.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { PriceSeries } from "../../../../core/price-series.ts";
import { candleIntervals } from "../../../../core/unix-ms.ts";
import type { Candle } from "../../../../engine/market-data/candles.ts";
import type { HistoryStore } from "../../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../../services/access/signed-request.ts";
import { klineInterval, klineText } from "../../market-data/kline-interval.ts";
import { KlineReader } from "../../market-data/kline-reader.ts";
import type { MarketView } from "../../read-model.ts";
import { marketOf } from "../../requests/read-request.ts";
import { openRoute, routeGroup } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { badInterval, illegalParameter, refused } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";

/**
 * Shortest interval for klines of computed prices. Marks are sampled every few seconds, so a bucket shorter than a
 * minute would be meaningless.
 */
const shortestPriceMs = 60_000;
/** A premium is a fraction of the index with eight decimals. */
const premiumPlaces = 8;

interface KlineParts extends RouteContext {
  readonly trades: KlineReader;
  readonly marks: KlineReader;
  readonly indexes: KlineReader;
  readonly premiums: KlineReader;
}

/** Parameters of a call, which names its market by symbol or by pair. */
interface KlineParams {
  readonly symbol?: string;
  readonly pair?: string;
  readonly interval: string;
  readonly limit: number;
}

function namedMarket({ table }: KlineParts, { symbol, pair = "" }: KlineParams): Market {
  const kind = MarketKind.perpetual;
  return symbol === undefined ? marketOf(table, kind, pair, "pair") : marketOf(table, kind, symbol);
}

function textOf(rows: readonly string[]): string {
  return `[${rows.join(",")}]`;
}

/** Klines of trades. */
async function traded(
  parts: KlineParts,
  call: HttpCall,
  params: KlineParams,
  _: null,
  parameters: RequestParameters,
): Promise<string> {
  const { interval, limit } = params;
  const isRoot = call.view === "root";
  const isOffered = isRoot
    ? candleIntervals.some(({ name }) => name === interval)
    : klineInterval(interval) !== undefined;
  if (!isOffered) refused(isRoot ? illegalParameter("interval") : badInterval);
  const market = namedMarket(parts, params);
  if (!isRoot) return paged(parts, params, parameters, parts.trades);
  const rows = await newestTraded(parts, market, interval, limit);
  const { intervalMs } = rows;
  return textOf(
    rows.candles
      .slice(-limit)
      .map((row) => klineText(row, market, row.openTimeMs + intervalMs - 1)),
  );
}

/** Klines of a computed price: one minute or longer, without volumes. */
function ofPrice(series: "marks" | "indexes" | "premiums") {
  return (
    parts: KlineParts,
    _: HttpCall,
    params: KlineParams,
    __: null,
    parameters: RequestParameters,
  ): Promise<string> => {
    const known = klineInterval(params.interval);
    if (known === undefined || known.ms < shortestPriceMs) refused(badInterval);
    return paged(parts, params, parameters, parts[series]);
  };
}

/** Candles of the last `limit` intervals, without those in which nothing traded. */
async function newestTraded(
  { model, marketClock, history }: KlineParts,
  market: Market,
  interval: string,
  limit: number,
): Promise<{ readonly candles: readonly Candle[]; readonly intervalMs: number }> {
  const index = candleIntervals.findIndex(({ name }) => name === interval);
  const { tape, candles } = model.view(market);
  const kept = candles[index];
  assert(kept !== undefined, "the interval must be one of the stored intervals");
  const { intervalMs } = kept;
  const afterMs = marketClock.nowMs() - limit * intervalMs;
  const inside = kept.since(afterMs);
  // The window may begin inside a bucket. That bucket is included if it contains a trade after the beginning of the
  // window.
  const cut = kept.before(afterMs + 1);
  const endMs = (cut?.openTimeMs ?? 0) + intervalMs;
  if (cut === undefined || endMs <= afterMs || inside.length >= limit)
    return { candles: inside, intervalMs };
  const isIn = await hasTraded({ tape, history }, market, afterMs * 1000 + 1, endMs * 1000);
  return { candles: isIn ? [cut, ...inside] : inside, intervalMs };
}

/**
 * Returns whether the market traded from `startUs` (inclusive) to `endUs` (exclusive). Searches the recent trades in
 * memory, or SQL if they do not reach back far enough.
 */
async function hasTraded(
  { tape, history }: { readonly tape: MarketView["tape"]; readonly history: HistoryStore },
  market: Market,
  startUs: number,
  endUs: number,
): Promise<boolean> {
  if ((tape.newest()?.tsUs ?? 0) < startUs) return false;
  const first = tape.since(startUs);
  if (first !== undefined) return first.tsUs < endUs;
  const ids = { market: market.id, fromTradeId: null, beforeTradeId: null };
  return (await history.trades({ ...ids, startUs, endUs, limit: 1 })).length > 0;
}

/** Klines of a window that is given by start and end times, as on Binance. */
async function paged(
  parts: KlineParts,
  params: KlineParams,
  parameters: RequestParameters,
  reader: KlineReader,
): Promise<string> {
  const market = namedMarket(parts, params);
  const interval = klineInterval(params.interval);
  if (interval === undefined) refused(badInterval);
  const rows = await reader.read({
    market,
    interval,
    offsetMs: 0,
    startMs: timeOf(parameters, "startTime"),
    endMs: timeOf(parameters, "endTime"),
    limit: params.limit,
    nowMs: parts.marketClock.nowMs(),
  });
  const isPremium = reader === parts.premiums;
  const shown = isPremium ? { ...market, tickDecimals: premiumPlaces } : market;
  return textOf(rows.map(({ candle, closeTimeMs }) => klineText(candle, shown, closeTimeMs)));
}

/**
 * A time in milliseconds. An unreadable time counts as missing: the routes do not parse these parameters, because the
 * root view ignores them.
 */
function timeOf(parameters: RequestParameters, name: string): number | null {
  const ms = Number(parameters.get(name) ?? Number.NaN);
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : null;
}

/** The klines of the perpetual surface. */
export const fapiKlineRoutes = routeGroup((context): KlineParts => {
  const { model, history } = context;
  return {
    ...context,
    trades: new KlineReader(model, history),
    marks: new KlineReader(model, history, PriceSeries.mark),
    indexes: new KlineReader(model, history, PriceSeries.index),
    premiums: new KlineReader(model, history, PriceSeries.premium),
  };
})([
  openRoute("GET /fapi/v1/klines", {
    summary: "Klines of the latest intervals that have trades.",
    weight: 5,
    reads: fapiKlines,
    example: "symbol=BTCUSDT&interval=1h&limit=10",
    hasTextFaults: true,
    answer: traded,
  }),
  openRoute("GET /fapi/v1/continuousKlines", {
    summary: "Klines of a contract.",
    weight: 5,
    reads: fapiContinuousKlines,
    example: "pair=BTCUSDT&contractType=PERPETUAL&interval=1h&limit=10",
    hasTextFaults: true,
    answer: traded,
  }),
  openRoute("GET /fapi/v1/markPriceKlines", {
    summary: "Klines of the mark price.",
    weight: 5,
    reads: fapiKlines,
    example: "symbol=BTCUSDT&interval=1h&limit=10",
    onlyIn: "compat",
    hasTextFaults: true,
    answer: ofPrice("marks"),
  }),
  openRoute("GET /fapi/v1/indexPriceKlines", {
    summary: "Klines of the index price.",
    weight: 5,
    reads: fapiIndexKlines,
    example: "pair=BTCUSDT&interval=1h&limit=10",
    onlyIn: "compat",
    hasTextFaults: true,
    answer: ofPrice("indexes"),
  }),
  openRoute("GET /fapi/v1/premiumIndexKlines", {
    summary: "Klines of the premium index, from which the funding rate is computed.",
    weight: 5,
    reads: fapiKlines,
    example: "symbol=BTCUSDT&interval=1h&limit=10",
    onlyIn: "compat",
    hasTextFaults: true,
    answer: ofPrice("premiums"),
  }),
]);
