// Public perpetual routes about trading: aggregate trades and the last 24 hours. What memory does
// not hold is read from SQL.

import { maybeSymbol } from "../../../../../schemas/http/common.ts";
import { fapiAggregates } from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { AggregateReader } from "../../market-data/aggregate-trades.ts";
import { MarketStatistics } from "../../market-data/market-statistics.ts";
import { isListed } from "../../market-data/market-status.ts";
import { answerPrices, shownStatistics } from "../../market-data/stand-in-price.ts";
import { standing } from "../../market-data/window-text.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../../requests/route.ts";
import { badCombination, refuse } from "../../requests/surface-error.ts";
import { publicRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { aggregateText, dayText } from "./market-text.ts";

const kind = MarketKind.perpetual;
const readAggregates = parameterReader(fapiAggregates);
const readMaybeSymbol = parameterReader(maybeSymbol);

/** The longest span between two times of aggTrades (Binance: less than an hour). */
const spanMaxMs = 3_600_000;

class FapiStatisticsRoutes {
  readonly #context: RouteContext;
  readonly #markets: readonly Market[];
  readonly #aggregates: AggregateReader;
  readonly #statistics: MarketStatistics;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#markets = context.table.markets.filter((market) => market.kind === kind);
    this.#aggregates = new AggregateReader(context.model, context.history);
    this.#statistics = new MarketStatistics(context.model, context.history);
  }

  aggregates(call: HttpCall, parameters: RequestParameters): void {
    const asked = readAggregates(call, parameters);
    const { table } = this.#context;
    const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
    if (asked === null || market === null) return;
    const { fromId, startTime, endTime, limit } = asked;
    const hasTimes = startTime !== undefined || endTime !== undefined;
    const spanMs = (endTime ?? 0) - (startTime ?? 0);
    const isBadSpan = startTime !== undefined && endTime !== undefined && !isSpan(spanMs);
    if ((fromId !== undefined && hasTimes) || isBadSpan) {
      refuse(call, badCombination);
      return;
    }
    const query = {
      fromId: fromId ?? null,
      startUs: startTime === undefined ? null : startTime * 1000,
      endUs: endTime === undefined ? null : (endTime + 1) * 1000,
      limit,
    };
    answerLater(this.#context, call, this.#aggregates.read(market, query), (rows) =>
      call.json(`[${rows.map((row) => aggregateText(row, market)).join(",")}]`),
    );
  }

  day(call: HttpCall, parameters: RequestParameters): void {
    const asked = readMaybeSymbol(call, parameters);
    if (asked === null) return;
    const { clock, model, table } = this.#context;
    const { symbol } = asked;
    const one = symbol === undefined ? null : marketOf(call, table, { symbol, kind });
    if (symbol !== undefined && one === null) return;
    const nowMs = clock.nowMs();
    const listed = () => this.#markets.filter((market) => isListed(this.#context, market));
    const markets = one === null ? listed() : [one];
    const windows = markets.map((market) => this.#statistics.lastDay(market, nowMs));
    answerLater(this.#context, call, Promise.all(windows), (read) => {
      const rows = read.map((found, at) => {
        const market = markets[at] as Market;
        const statistics = shownStatistics(model, market, { statistics: found, call });
        const hasPrice = standing(statistics).close > 0;
        return { text: dayText(market, { statistics, nowMs }), hasPrice };
      });
      answerPrices(call, rows, { isOne: one !== null, isAll: one === null });
    });
  }
}

function isSpan(spanMs: number): boolean {
  return spanMs >= 0 && spanMs < spanMaxMs;
}

/** The public routes about what traded. */
export function fapiStatisticsRoutes(context: RouteContext): PublicRoute[] {
  const routes = new FapiStatisticsRoutes(context);
  return [
    publicRoute("GET /fapi/v1/aggTrades", (call, parameters) =>
      routes.aggregates(call, parameters),
    ),
    publicRoute("GET /fapi/v1/ticker/24hr", (call, parameters) => routes.day(call, parameters)),
  ];
}
