// GET /futures/data/*: what perpetual markets were like at the turns of a period, from their samples, and what takers
// bought and sold between two turns. A row stands at the turn it ends with.

import { fapiBasis, fapiMarketData } from "../../../../../schemas/http/fapi.ts";
import { type Division, isTellable, type MarketSample } from "../../../../core/market-samples.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { CandleRecord } from "../../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { klineInterval } from "../../market-data/kline-interval.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../../requests/route.ts";
import { badCombination, badPeriod, refuse } from "../../requests/surface-error.ts";
import { publicRoute, type WeightedName } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";

const readData = parameterReader(fapiMarketData);
const readBasis = parameterReader(fapiBasis);

const periods: ReadonlySet<string> = new Set([
  ...["5m", "15m", "30m", "1h", "2h", "4h", "6h", "12h", "1d"],
]);
/** Candles that the shortest period is put together from. */
const minuteMs = 60_000;
const ratioPlaces = 4;

interface AskedSpan {
  readonly period: string;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly limit: number;
}

/** What a call asks for, once it is checked. */
interface Asked {
  readonly market: Market;
  readonly periodMs: number;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly limit: number;
}

/** `part` of `whole` with four decimals, rounded to the nearest. */
function ratioText(part: bigint, whole: bigint): string {
  const scale = 10n ** BigInt(ratioPlaces);
  const size = part < 0n ? -part : part;
  const rounded = (2n * size * scale + whole) / (2n * whole);
  return formatScaled(part < 0n ? -rounded : rounded, ratioPlaces);
}

/** Of all that is open the value may be more than one order's, which an int64 holds. */
function openInterestText({ atMs, openLots, mark }: MarketSample, market: Market): string[] {
  const { units, parts } = market.tickLot;
  const value = (openLots * BigInt(mark) * BigInt(units)) / BigInt(parts);
  return [
    `{"symbol":"${market.alias}","sumOpenInterest":"${formatScaled(openLots, market.lotDecimals)}"` +
      `,"sumOpenInterestValue":"${formatScaled(value, market.quote.decimals)}","timestamp":${atMs}}`,
  ];
}

/** One side against the other; none where that would tell of one account. */
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

/** The mark against the index; none where one of them was not known. */
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

/** What takers bought against what they sold; none where they sold nothing. */
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

class FapiDataRoutes {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  /** Rows made of samples; the older they are, the earlier they stand. */
  samples(
    name: WeightedName,
    textsOf: (sample: MarketSample, market: Market) => readonly string[],
  ): PublicRoute {
    return compatRoute(name, (call, parameters) => {
      const asked = readData(call, parameters);
      const checked = asked && this.#checked(call, { symbol: asked.symbol }, asked);
      if (checked !== null) this.#answer(call, checked, textsOf);
    });
  }

  basis(call: HttpCall, parameters: RequestParameters): void {
    const asked = readBasis(call, parameters);
    const checked = asked && this.#checked(call, { symbol: asked.pair, name: "pair" }, asked);
    if (checked === null) return;
    // There are no contracts with an end.
    if (asked?.contractType === "PERPETUAL") this.#answer(call, checked, basisText);
    else call.json("[]");
  }

  takers(call: HttpCall, parameters: RequestParameters): void {
    const asked = readData(call, parameters);
    const checked = asked && this.#checked(call, { symbol: asked.symbol }, asked);
    if (checked === null) return;
    const { market, periodMs, startMs, endMs, limit } = checked;
    const { history, clock } = this.#context;
    const turn = (ms: number) => Math.floor(ms / periodMs) * periodMs;
    const newestMs = turn(Math.min(endMs ?? clock.nowMs(), clock.nowMs()));
    const oldestMs =
      startMs === null ? newestMs - (limit - 1) * periodMs : turnFrom(startMs, periodMs);
    const lastMs = Math.min(newestMs, oldestMs + (limit - 1) * periodMs);
    const reading = history.foldedCandles({
      market: market.id,
      intervalMs: minuteMs,
      fromMs: Math.max(oldestMs - periodMs, 0),
      toMs: lastMs,
      widthMs: periodMs,
      anchorMs: 0,
    });
    answerLater(this.#context, call, reading, (candles) => {
      const texts = candles.flatMap((candle) =>
        takerText(candle, candle.openTimeMs + periodMs, market),
      );
      call.json(`[${texts.join(",")}]`);
    });
  }

  #answer(
    call: HttpCall,
    { market, ...query }: Asked,
    textsOf: (sample: MarketSample, market: Market) => readonly string[],
  ): void {
    const reading = this.#context.samples.samples({ market: market.id, ...query });
    answerLater(this.#context, call, reading, (samples) => {
      call.json(`[${samples.flatMap((sample) => textsOf(sample, market)).join(",")}]`);
    });
  }

  #checked(
    call: HttpCall,
    named: { readonly symbol: string; readonly name?: "pair" },
    asked: AskedSpan,
  ): Asked | null {
    const market = marketOf(call, this.#context.table, { ...named, kind: MarketKind.perpetual });
    if (market === null) return null;
    const { period, startTime, endTime, limit } = asked;
    const periodMs = periods.has(period) ? klineInterval(period)?.ms : undefined;
    const isReversed = (startTime ?? 0) > (endTime ?? Number.POSITIVE_INFINITY);
    if (periodMs === undefined || isReversed) {
      refuse(call, periodMs === undefined ? badPeriod : badCombination);
      return null;
    }
    return { market, periodMs, startMs: startTime ?? null, endMs: endTime ?? null, limit };
  }
}

/** The first turn at or after a time. */
function turnFrom(ms: number, periodMs: number): number {
  return Math.ceil(ms / periodMs) * periodMs;
}

function compatRoute(name: WeightedName, answer: PublicRoute["answer"]): PublicRoute {
  return { ...publicRoute(name, answer), onlyIn: "compat" };
}

/** The routes of market data over time, on compat alone. */
export function fapiDataRoutes(context: RouteContext): PublicRoute[] {
  const routes = new FapiDataRoutes(context);
  return [
    routes.samples("GET /futures/data/openInterestHist", openInterestText),
    routes.samples("GET /futures/data/topLongShortAccountRatio", ({ atMs, top }, market) =>
      byAccounts(market, atMs, top),
    ),
    routes.samples("GET /futures/data/topLongShortPositionRatio", ({ atMs, top }, market) =>
      byLots(market, atMs, top),
    ),
    routes.samples("GET /futures/data/globalLongShortAccountRatio", ({ atMs, all }, market) =>
      byAccounts(market, atMs, all),
    ),
    compatRoute("GET /futures/data/takerlongshortRatio", (call, parameters) =>
      routes.takers(call, parameters),
    ),
    compatRoute("GET /futures/data/basis", (call, parameters) => routes.basis(call, parameters)),
  ];
}
