// GET /futures/data/*: samples of perpetual markets at the boundaries of a period, and taker volumes between two
// boundaries. The time of a row is its end boundary. These routes exist only in the compat view.

import { fapiBasis, fapiMarketData } from "../../../../../schemas/http/fapi.ts";
import { type Division, isTellable, type MarketSample } from "../../../../core/market-samples.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import type { CandleRecord } from "../../../../ports/journal/history-store.ts";
import { klineInterval } from "../../market-data/kline-interval.ts";
import { marketOf } from "../../requests/read-request.ts";
import { openRoute, routeGroup } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { badCombination, badPeriod, refused } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";

const periods: ReadonlySet<string> = new Set([
  ...["5m", "15m", "30m", "1h", "2h", "4h", "6h", "12h", "1d"],
]);
/** Length of the stored candles from which taker volumes of every period are summed. */
const minuteMs = 60_000;
const ratioPlaces = 4;

interface SpanParams {
  readonly symbol?: string;
  readonly pair?: string;
  readonly period: string;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly limit: number;
}

/** The checked parameters of a call. */
interface Checked {
  readonly market: Market;
  readonly periodMs: number;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly limit: number;
}

type RowTexts = (sample: MarketSample, market: Market) => readonly string[];

/** `part` divided by `whole`, with four decimals, rounded to the nearest. */
function ratioText(part: bigint, whole: bigint): string {
  const scale = 10n ** BigInt(ratioPlaces);
  const size = part < 0n ? -part : part;
  const rounded = (2n * size * scale + whole) / (2n * whole);
  return formatScaled(part < 0n ? -rounded : rounded, ratioPlaces);
}

/**
 * The value is computed in bigint, because the value of all open interest may exceed the int64 limit of an order's
 * value.
 */
function openInterestText({ atMs, openLots, mark }: MarketSample, market: Market): string[] {
  const { units, parts } = market.tickLot;
  const value = (openLots * BigInt(mark) * BigInt(units)) / BigInt(parts);
  return [
    `{"symbol":"${market.alias}","sumOpenInterest":"${formatScaled(openLots, market.lotDecimals)}"` +
      `,"sumOpenInterestValue":"${formatScaled(value, market.quote.decimals)}","timestamp":${atMs}}`,
  ];
}

/** The ratio of one side to the other; empty where it would reveal a single account's position. */
function divisionText(
  { alias }: Market,
  atMs: number,
  division: Division,
  [long, short]: readonly [bigint, bigint],
): string[] {
  if (!isTellable(division)) return [];
  const all = long + short;
  return [
    `{"symbol":"${alias}","longAccount":"${ratioText(long, all)}"` +
      `,"longShortRatio":"${ratioText(long, short)}","shortAccount":"${ratioText(short, all)}"` +
      `,"timestamp":${atMs}}`,
  ];
}

function byAccounts(market: Market, atMs: number, division: Division): string[] {
  const { longAccounts, shortAccounts } = division;
  return divisionText(market, atMs, division, [BigInt(longAccounts), BigInt(shortAccounts)]);
}

function byLots(market: Market, atMs: number, division: Division): string[] {
  return divisionText(market, atMs, division, [division.longLots, division.shortLots]);
}

/** The difference between mark and index; empty if either was unknown. */
function basisText({ atMs, mark, index }: MarketSample, market: Market): string[] {
  if (mark === 0 || index === 0) return [];
  const price = (ticks: number) => formatScaled(ticks, market.tickDecimals);
  const rate = ratioText(BigInt(mark - index), BigInt(index));
  return [
    `{"indexPrice":"${price(index)}","contractType":"PERPETUAL","basisRate":"${rate}"` +
      `,"futuresPrice":"${price(mark)}","annualizedBasisRate":"","basis":"${price(mark - index)}"` +
      `,"pair":"${market.alias}","timestamp":${atMs}}`,
  ];
}

/** The ratio of taker buys to taker sells; empty if there were no sells. */
function takerText(candle: CandleRecord, atMs: number, { lotDecimals }: Market): string[] {
  const { takerBuyVolume: bought, volume } = candle;
  const sold = volume - bought;
  if (sold === 0) return [];
  return [
    `{"buySellRatio":"${ratioText(BigInt(bought), BigInt(sold))}"` +
      `,"buyVol":"${formatScaled(bought, lotDecimals)}","sellVol":"${formatScaled(sold, lotDecimals)}"` +
      `,"timestamp":${atMs}}`,
  ];
}

function checked({ table }: RouteContext, params: SpanParams): Checked {
  const { symbol, pair = "", period, startTime, endTime, limit } = params;
  const kind = MarketKind.perpetual;
  const market =
    symbol === undefined ? marketOf(table, kind, pair, "pair") : marketOf(table, kind, symbol);
  const periodMs = periods.has(period) ? klineInterval(period)?.ms : undefined;
  if (periodMs === undefined) refused(badPeriod);
  if ((startTime ?? 0) > (endTime ?? Number.POSITIVE_INFINITY)) refused(badCombination);
  return { market, periodMs, startMs: startTime ?? null, endMs: endTime ?? null, limit };
}

/** Rows built from samples, oldest first. */
async function sampleRows(
  { samples }: RouteContext,
  { market, ...query }: Checked,
  textsOf: RowTexts,
): Promise<string> {
  const found = await samples.samples({ market: market.id, ...query });
  return `[${found.flatMap((sample) => textsOf(sample, market)).join(",")}]`;
}

function ofSamples(textsOf: RowTexts) {
  return (context: RouteContext, _: HttpCall, params: SpanParams) =>
    sampleRows(context, checked(context, params), textsOf);
}

/** The first period boundary at or after a time. */
function turnFrom(ms: number, periodMs: number): number {
  return Math.ceil(ms / periodMs) * periodMs;
}

/** The routes of market data over time. */
export const fapiDataRoutes = routeGroup((context) => context)([
  openRoute("GET /futures/data/openInterestHist", {
    summary: "Open interest history by period.",
    reads: fapiMarketData,
    example: "symbol=BTCUSDT&period=5m&limit=10",
    onlyIn: "compat",
    answer: ofSamples(openInterestText),
  }),
  openRoute("GET /futures/data/topLongShortAccountRatio", {
    summary:
      "Ratio of long to short accounts among the fifth of all position holders that has the most equity.",
    reads: fapiMarketData,
    example: "symbol=BTCUSDT&period=5m&limit=10",
    onlyIn: "compat",
    answer: ofSamples(({ atMs, top }, market) => byAccounts(market, atMs, top)),
  }),
  openRoute("GET /futures/data/topLongShortPositionRatio", {
    summary:
      "Ratio of long to short quantity held by the fifth of all position holders that has the most equity.",
    reads: fapiMarketData,
    example: "symbol=BTCUSDT&period=5m&limit=10",
    onlyIn: "compat",
    answer: ofSamples(({ atMs, top }, market) => byLots(market, atMs, top)),
  }),
  openRoute("GET /futures/data/globalLongShortAccountRatio", {
    summary: "Ratio of long to short accounts among all position holders.",
    reads: fapiMarketData,
    example: "symbol=BTCUSDT&period=5m&limit=10",
    onlyIn: "compat",
    answer: ofSamples(({ atMs, all }, market) => byAccounts(market, atMs, all)),
  }),
  openRoute("GET /futures/data/takerlongshortRatio", {
    summary: "Taker buy/sell volume by period.",
    reads: fapiMarketData,
    example: "symbol=BTCUSDT&period=5m&limit=10",
    onlyIn: "compat",
    answer: async (context, _, params) => {
      const { market, periodMs, startMs, endMs, limit } = checked(context, params);
      const { history, marketClock } = context;
      const turn = (ms: number) => Math.floor(ms / periodMs) * periodMs;
      const newestMs = turn(Math.min(endMs ?? marketClock.nowMs(), marketClock.nowMs()));
      const oldestMs =
        startMs === null ? newestMs - (limit - 1) * periodMs : turnFrom(startMs, periodMs);
      const candles = await history.foldedCandles({
        market: market.id,
        intervalMs: minuteMs,
        fromMs: Math.max(oldestMs - periodMs, 0),
        toMs: Math.min(newestMs, oldestMs + (limit - 1) * periodMs),
        widthMs: periodMs,
        anchorMs: 0,
      });
      const texts = candles.flatMap((candle) =>
        takerText(candle, candle.openTimeMs + periodMs, market),
      );
      return `[${texts.join(",")}]`;
    },
  }),
  openRoute("GET /futures/data/basis", {
    summary: "Basis history: mark price against index price by period.",
    reads: fapiBasis,
    example: "pair=BTCUSDT&contractType=PERPETUAL&period=5m&limit=10",
    onlyIn: "compat",
    answer: async (context, _, params) => {
      const span = checked(context, params);
      // All other contract types have an expiry, and this venue has no such contracts.
      return params.contractType === "PERPETUAL" ? sampleRows(context, span, basisText) : "[]";
    },
  }),
]);
