// What anybody may read of the perpetual markets under /v1: the listing, candles, ticker, order book,
// recent trades, funding, and the icons that the listing names.

import {
  candlesQuery,
  orderbookQuery,
  recentTradesQuery,
} from "../../../../../schemas/http/native-markets.ts";
import { isPerpetual, type Market } from "../../../../core/markets.ts";
import { klineInterval } from "../../market-data/kline-interval.ts";
import { MarketStatistics } from "../../market-data/market-statistics.ts";
import { NewestCandles } from "../../market-data/newest-candles.ts";
import { refuse } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import { answerWith, type NativeContext } from "../native-context.ts";
import { type NativeAsk, type NativeRoute, openRoute } from "../native-route.ts";
import { queryReader } from "../read-body.ts";
import { type Icon, iconOf, iconPath } from "./market-icon.ts";
import {
  candleRecord,
  fundingRecord,
  levelsOf,
  marketRecord,
  tickerRecord,
  tradeRecord,
} from "./market-text.ts";

/** Settlements shown: 33 days of them at one in eight hours. */
const fundingsShown = 100;

const readCandles = queryReader(candlesQuery);
const readOrderbook = queryReader(orderbookQuery);
const readTrades = queryReader(recentTradesQuery);

class MarketRoutes {
  readonly #context: NativeContext;
  readonly #statistics: MarketStatistics;
  readonly #candles: NewestCandles;
  readonly #listing: string;
  /** By path. */
  readonly #icons: ReadonlyMap<string, Icon>;

  constructor(context: NativeContext) {
    this.#context = context;
    const { model, history, table } = context;
    this.#statistics = new MarketStatistics(model, history);
    this.#candles = new NewestCandles(model, history);
    const perpetuals = table.markets.filter(isPerpetual);
    this.#listing = JSON.stringify(perpetuals.map(marketRecord));
    this.#icons = new Map(
      perpetuals.map(({ baseCode }) => [iconPath(baseCode), iconOf(baseCode)] as const),
    );
  }

  listing(call: HttpCall): void {
    call.json(this.#listing);
  }

  icon(call: HttpCall): void {
    const icon = this.#icons.get(call.path);
    if (icon === undefined) refuse(call, nativeFaults.notFound);
    else call.image(icon.svg, icon.etag);
  }

  candles(call: HttpCall, { path, parameters }: NativeAsk): void {
    const asked = readCandles(call, parameters);
    const market = asked && this.#market(call, path["symbol"]);
    if (asked === null || market === null) return;
    const interval = klineInterval(asked.period ?? asked.interval ?? "");
    if (interval === undefined) {
      refuse(call, nativeFaults.periodMissing);
      return;
    }
    const read = this.#candles.read(market, interval, asked.limit);
    const text = read.then((rows) => JSON.stringify(rows.map((row) => candleRecord(market, row))));
    answerWith(this.#context, call, text);
  }

  ticker(call: HttpCall, { path }: NativeAsk): void {
    const market = this.#market(call, path["symbol"]);
    if (market === null) return;
    const { model, clock } = this.#context;
    const nowMs = clock.nowMs();
    const read = Promise.resolve(this.#statistics.lastDay(market, nowMs));
    const text = read.then((statistics) =>
      JSON.stringify(tickerRecord(model, market, { statistics, nowMs })),
    );
    answerWith(this.#context, call, text);
  }

  orderbook(call: HttpCall, { path, parameters }: NativeAsk): void {
    const asked = readOrderbook(call, parameters);
    const market = asked && this.#market(call, path["symbol"]);
    if (asked === null || market === null) return;
    const { model } = this.#context;
    const { depthSeq: seq } = model.view(market);
    const levels = levelsOf(model, market, asked.depth);
    call.json(JSON.stringify({ symbol: market.symbol, seq, ...levels }));
  }

  recentTrades(call: HttpCall, { path, parameters }: NativeAsk): void {
    const asked = readTrades(call, parameters);
    const market = asked && this.#market(call, path["symbol"]);
    if (asked === null || market === null) return;
    const newest = this.#context.model.view(market).tape.latest(asked.limit).reverse();
    call.json(JSON.stringify({ trades: newest.map((trade) => tradeRecord(market, trade)) }));
  }

  fundingRate(call: HttpCall, { path }: NativeAsk): void {
    const market = this.#market(call, path["symbol"]);
    if (market === null) return;
    const { model, history, clock } = this.#context;
    const nowMs = clock.nowMs();
    const all = { startUs: null, endUs: null, limit: fundingsShown };
    const text = history
      .fundings({ markets: [market.id], ...all })
      .then((rows) =>
        JSON.stringify(fundingRecord(model, market, { settled: rows.reverse(), nowMs })),
      );
    answerWith(this.#context, call, text);
  }

  /** The perpetual market of that name; null after it has refused the call. */
  #market(call: HttpCall, symbol = ""): Market | null {
    const market = this.#context.table.find(symbol);
    if (market !== undefined && isPerpetual(market)) return market;
    refuse(call, nativeFaults.unknownSymbol);
    return null;
  }
}

/** The public routes about markets. */
export function marketRoutes(context: NativeContext): NativeRoute[] {
  const routes = new MarketRoutes(context);
  const of = "GET /v1/markets/{symbol}" as const;
  const reads = { weight: 5 };
  return [
    openRoute("GET /v1/markets", (call) => routes.listing(call)),
    openRoute("GET /v1/icons/{file}", (call) => routes.icon(call)),
    openRoute(`${of}/candles`, (call, asked) => routes.candles(call, asked), reads),
    openRoute(`${of}/ticker`, (call, asked) => routes.ticker(call, asked)),
    openRoute(`${of}/orderbook`, (call, asked) => routes.orderbook(call, asked), reads),
    openRoute(`${of}/recent-trades`, (call, asked) => routes.recentTrades(call, asked), reads),
    openRoute(`${of}/funding-rate`, (call, asked) => routes.fundingRate(call, asked)),
  ];
}
