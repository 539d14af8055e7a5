// Public spot routes about what traded: prints, aggregates, klines. Memory answers what is recent,
// SQL the rest.

import {
  spotAggTrades,
  spotHistoricalTrades,
  spotKlines,
  spotTrades,
} from "../../../../schemas/http/spot.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import type { TapeTrade } from "../../../engine/market-data/trade-tape.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { AggregateReader } from "../market-data/aggregate-trades.ts";
import { klineInterval } from "../market-data/kline-interval.ts";
import { KlineReader } from "../market-data/kline-reader.ts";
import { klineText } from "../market-data/kline-text.ts";
import { shownIn } from "../orders/order-words.ts";
import { answerLater } from "../requests/answer-later.ts";
import { marketOf, parameterReader } from "../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../requests/route.ts";
import {
  badCombination,
  badInterval,
  illegalParameter,
  refuse,
} from "../requests/surface-error.ts";
import { publicRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { aggregateText, tradeText } from "./market-texts.ts";
import { listText } from "./render.ts";

const readTrades = parameterReader(spotTrades);
const readHistorical = parameterReader(spotHistoricalTrades);
const readAggregates = parameterReader(spotAggTrades);
const readKlines = parameterReader(spotKlines);

class SpotTradeRoutes {
  readonly #context: RouteContext;
  readonly #aggregates: AggregateReader;
  readonly #klines: KlineReader;

  constructor(context: RouteContext) {
    const { model, history } = context;
    this.#context = context;
    this.#aggregates = new AggregateReader(model, history);
    this.#klines = new KlineReader(model, history);
  }

  trades(call: HttpCall, parameters: RequestParameters): void {
    const asked = readTrades(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    this.#answerTrades(call, market, this.#context.model.view(market).tape.latest(asked.limit));
  }

  historical(call: HttpCall, parameters: RequestParameters): void {
    const asked = readHistorical(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { model, history } = this.#context;
    const { fromId, limit } = asked;
    if (fromId === undefined) {
      this.#answerTrades(call, market, model.view(market).tape.latest(limit));
      return;
    }
    const range = { beforeTradeId: null, startUs: null, endUs: null };
    const reading = history.trades({ market: market.id, fromTradeId: fromId, ...range, limit });
    answerLater(this.#context, call, reading, (trades) => this.#answerTrades(call, market, trades));
  }

  aggregates(call: HttpCall, parameters: RequestParameters): void {
    const asked = readAggregates(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { fromId, startTime, endTime, limit } = asked;
    const hasTimes = startTime !== undefined || endTime !== undefined;
    const isReversed = (startTime ?? 0) > (endTime ?? Number.POSITIVE_INFINITY);
    if ((fromId !== undefined && hasTimes) || isReversed) {
      refuse(call, badCombination);
      return;
    }
    const query = {
      fromId: fromId ?? null,
      startUs: startTime === undefined ? null : startTime * 1000,
      endUs: endTime === undefined ? null : (endTime + 1) * 1000,
      limit,
    };
    const shown = shownIn(call.view, market);
    answerLater(this.#context, call, this.#aggregates.read(market, query), (rows) =>
      call.json(listText(rows.map((row) => aggregateText(row, shown)))),
    );
  }

  klines(call: HttpCall, parameters: RequestParameters): void {
    const asked = readKlines(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const interval = klineInterval(asked.interval);
    if (interval === undefined) {
      refuse(call, call.view === "root" ? illegalParameter("interval") : badInterval);
      return;
    }
    const query = {
      market,
      interval,
      offsetMs: asked.timeZone,
      startMs: asked.startTime ?? null,
      endMs: asked.endTime ?? null,
      limit: asked.limit,
      nowMs: this.#context.clock.nowMs(),
    };
    const shown = shownIn(call.view, market);
    answerLater(this.#context, call, this.#klines.read(query), (rows) =>
      call.json(
        listText(rows.map(({ candle, closeTimeMs }) => klineText(candle, shown, closeTimeMs))),
      ),
    );
  }

  #answerTrades(call: HttpCall, market: Market, trades: readonly TapeTrade[]): void {
    const shown = shownIn(call.view, market);
    call.json(listText(trades.map((trade) => tradeText(trade, shown))));
  }

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind: MarketKind.spot });
  }
}

/** The public routes of the spot surface about trades. */
export function spotTradeRoutes(context: RouteContext): PublicRoute[] {
  const routes = new SpotTradeRoutes(context);
  const klines: PublicRoute["answer"] = (call, parameters) => routes.klines(call, parameters);
  const trades: PublicRoute["answer"] = (call, parameters) => routes.trades(call, parameters);
  return [
    publicRoute("GET /api/v3/trades", trades),
    // Binance still answers the old path, and go-binance knows no other.
    { ...publicRoute("GET /api/v1/trades", trades), onlyIn: "compat" },
    publicRoute("GET /api/v3/historicalTrades", (call, parameters) =>
      routes.historical(call, parameters),
    ),
    publicRoute("GET /api/v3/aggTrades", (call, parameters) => routes.aggregates(call, parameters)),
    publicRoute("GET /api/v3/klines", klines),
    publicRoute("GET /api/v3/uiKlines", klines),
  ];
}
