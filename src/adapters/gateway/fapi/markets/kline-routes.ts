// GET /fapi/v1/klines (specification: klines). At the root 1m, 1h and 1d, buckets without a trade
// do not exist, startTime and endTime are ignored. On compat every interval Binance has, with times
// and flat buckets, as its clients page through them. Faults of the query are plain text in both.

import type * as z from "zod";
import {
  fapiContinuousKlines,
  fapiIndexKlines,
  fapiKlines,
} from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { PriceSeries } from "../../../../core/price-series.ts";
import { candleIntervals } from "../../../../core/unix-ms.ts";
import type { Candle } from "../../../../engine/market-data/candles.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { klineInterval } from "../../market-data/kline-interval.ts";
import { KlineReader } from "../../market-data/kline-reader.ts";
import { klineText } from "../../market-data/kline-text.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, textsOf } from "../../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../../requests/route.ts";
import { badInterval, illegalParameter, refuse } from "../../requests/surface-error.ts";
import { publicRoute } from "../../requests/weighted-routes.ts";
import { contentTypes, type HttpCall } from "../../server/http-call.ts";

/** Marks are sampled at seconds: a bucket shorter than a minute says nothing. */
const shortestPriceMs = 60_000;
/** A premium is in 10^-8 of the index. */
const premiumPlaces = 8;

/** What a call asks for, once its market is known. */
interface AskedKlines {
  readonly market: Market;
  readonly interval: string;
  readonly limit: number;
}

interface AskedWindow {
  readonly interval: string;
  readonly limit: number;
  /** Of the parameter that names the market, where it is no symbol. */
  readonly name?: "pair";
}

class FapiKlineRoutes {
  readonly #context: RouteContext;
  readonly #reader: KlineReader;
  readonly #marks: KlineReader;
  readonly #indexes: KlineReader;
  readonly #premiums: KlineReader;

  constructor(context: RouteContext) {
    this.#context = context;
    const { model, history } = context;
    this.#reader = new KlineReader(model, history);
    this.#marks = new KlineReader(model, history, PriceSeries.mark);
    this.#indexes = new KlineReader(model, history, PriceSeries.index);
    this.#premiums = new KlineReader(model, history, PriceSeries.premium);
  }

  klines(call: HttpCall, parameters: RequestParameters): void {
    const asked = read(call, parameters, fapiKlines);
    if (asked !== null) this.#answer(call, parameters, asked.symbol, asked);
  }

  continuous(call: HttpCall, parameters: RequestParameters): void {
    const asked = read(call, parameters, fapiContinuousKlines);
    if (asked !== null) this.#answer(call, parameters, asked.pair, { ...asked, name: "pair" });
  }

  marks(call: HttpCall, parameters: RequestParameters): void {
    const asked = read(call, parameters, fapiKlines);
    if (asked !== null) this.#prices(call, parameters, asked.symbol, { ...asked, of: this.#marks });
  }

  indexes(call: HttpCall, parameters: RequestParameters): void {
    const asked = read(call, parameters, fapiIndexKlines);
    if (asked !== null)
      this.#prices(call, parameters, asked.pair, { ...asked, name: "pair", of: this.#indexes });
  }

  premiums(call: HttpCall, parameters: RequestParameters): void {
    const asked = read(call, parameters, fapiKlines);
    if (asked === null) return;
    this.#prices(call, parameters, asked.symbol, { ...asked, of: this.#premiums });
  }

  /** Klines of a price that is computed, not traded: of a minute and longer, without volumes. */
  #prices(
    call: HttpCall,
    parameters: RequestParameters,
    symbol: string,
    { interval, limit, name, of }: AskedWindow & { readonly of: KlineReader },
  ): void {
    const known = klineInterval(interval);
    if (known === undefined || known.ms < shortestPriceMs) {
      refuse(call, badInterval);
      return;
    }
    const { table } = this.#context;
    const market = marketOf(call, table, {
      symbol,
      kind: MarketKind.perpetual,
      ...(name && { name }),
    });
    if (market !== null) this.#paged(call, parameters, { market, interval, limit }, of);
  }

  #answer(
    call: HttpCall,
    parameters: RequestParameters,
    symbol: string,
    { interval, limit, name }: AskedWindow,
  ): void {
    const isOffered =
      call.view === "root"
        ? candleIntervals.some(({ name }) => name === interval)
        : klineInterval(interval) !== undefined;
    if (!isOffered) {
      refuse(call, call.view === "root" ? illegalParameter("interval") : badInterval);
      return;
    }
    const { table } = this.#context;
    const market = marketOf(call, table, {
      symbol,
      kind: MarketKind.perpetual,
      ...(name && { name }),
    });
    if (market === null) return;
    if (call.view === "root") this.#traded(call, { market, interval, limit });
    else this.#paged(call, parameters, { market, interval, limit });
  }

  /** The intervals that hold a trade of the last `limit` intervals, the newest `limit` of them. */
  #traded(call: HttpCall, { market, interval, limit }: AskedKlines): void {
    const { model, clock } = this.#context;
    const place = candleIntervals.findIndex(({ name }) => name === interval);
    const candles = model.view(market).candles[place];
    if (candles === undefined) return;
    const { intervalMs } = candles;
    const answer = (rows: readonly Candle[]) => {
      const text = (row: Candle) => klineText(row, market, row.openTimeMs + intervalMs - 1);
      call.json(`[${rows.slice(-limit).map(text).join(",")}]`);
    };
    const afterMs = clock.nowMs() - limit * intervalMs;
    const inside = candles.since(afterMs);
    // The window begins inside a bucket, which counts if what was traded behind that moment is in it.
    const cut = candles.before(afterMs + 1);
    const endMs = (cut?.openTimeMs ?? 0) + intervalMs;
    if (cut === undefined || endMs <= afterMs || inside.length >= limit) {
      answer(inside);
      return;
    }
    const hasTraded = this.#hasTraded(market, afterMs * 1000 + 1, endMs * 1000);
    const withCut = (isIn: boolean) => answer(isIn ? [cut, ...inside] : inside);
    if (typeof hasTraded === "boolean") withCut(hasTraded);
    else answerLater(this.#context, call, hasTraded, withCut);
  }

  /** Whether the market traded from `startUs` on and before `endUs`: the tape knows, or else SQL. */
  #hasTraded(market: Market, startUs: number, endUs: number): boolean | Promise<boolean> {
    const { model, history } = this.#context;
    const { tape } = model.view(market);
    if ((tape.newest()?.tsUs ?? 0) < startUs) return false;
    const first = tape.since(startUs);
    if (first !== undefined) return first.tsUs < endUs;
    const ids = { market: market.id, fromTradeId: null, beforeTradeId: null };
    return history.trades({ ...ids, startUs, endUs, limit: 1 }).then(({ length }) => length > 0);
  }

  /** A window by times, as Binance has it. */
  #paged(
    call: HttpCall,
    parameters: RequestParameters,
    { market, interval, limit }: AskedKlines,
    reader = this.#reader,
  ): void {
    const known = klineInterval(interval);
    if (known === undefined) return;
    const query = {
      market,
      interval: known,
      offsetMs: 0,
      startMs: timeOf(parameters, "startTime"),
      endMs: timeOf(parameters, "endTime"),
      limit,
      nowMs: this.#context.clock.nowMs(),
    };
    answerLater(this.#context, call, reader.read(query), (rows) => {
      const isPremium = reader === this.#premiums;
      const shown = isPremium ? { ...market, tickDecimals: premiumPlaces } : market;
      const texts = rows.map(({ candle, closeTimeMs }) => klineText(candle, shown, closeTimeMs));
      call.json(`[${texts.join(",")}]`);
    });
  }
}

/** The parameters of a call, or null after it was told in plain text what is wrong with them. */
function read<S extends z.ZodObject>(
  call: HttpCall,
  parameters: RequestParameters,
  schema: S,
): z.output<S> | null {
  const texts = textsOf(Object.keys(schema.shape), parameters);
  const asked = schema.safeParse(texts);
  if (asked.success) return asked.data;
  const name = String(asked.error.issues[0]?.path[0] ?? "");
  const fault = name in texts ? `${name}: invalid value` : `missing field \`${name}\``;
  call.answer(400, contentTypes.text, `Failed to deserialize query string: ${fault}`);
  return null;
}

/** A time in milliseconds; one that cannot be read is none, because the root accepts and ignores it. */
function timeOf(parameters: RequestParameters, name: string): number | null {
  const ms = Number(parameters.get(name) ?? Number.NaN);
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : null;
}

/** The klines of the perpetual surface. */
export function fapiKlineRoutes(context: RouteContext): PublicRoute[] {
  const routes = new FapiKlineRoutes(context);
  const klines = publicRoute("GET /fapi/v1/klines", (call, parameters) =>
    routes.klines(call, parameters),
  );
  const continuous = publicRoute("GET /fapi/v1/continuousKlines", (call, parameters) =>
    routes.continuous(call, parameters),
  );
  const marks = publicRoute("GET /fapi/v1/markPriceKlines", (call, parameters) =>
    routes.marks(call, parameters),
  );
  const indexes = publicRoute("GET /fapi/v1/indexPriceKlines", (call, parameters) =>
    routes.indexes(call, parameters),
  );
  const premiums = publicRoute("GET /fapi/v1/premiumIndexKlines", (call, parameters) =>
    routes.premiums(call, parameters),
  );
  return [
    { ...klines, hasTextFaults: true },
    { ...continuous, hasTextFaults: true },
    { ...marks, hasTextFaults: true, onlyIn: "compat" },
    { ...indexes, hasTextFaults: true, onlyIn: "compat" },
    { ...premiums, hasTextFaults: true, onlyIn: "compat" },
  ];
}
