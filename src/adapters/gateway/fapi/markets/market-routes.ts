// Public perpetual routes: ping, time, exchangeInfo, klines, depth, trades, open interest. What is
// recent comes from the read model, older trades from SQL.

import { oneSymbol } from "../../../../../schemas/http/common.ts";
import { fapiDepth, fapiHistoricalTrades, fapiTrades } from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { DepthTexts } from "../../market-data/depth-texts.ts";
import { msOf } from "../../orders/order-words.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../../requests/route.ts";
import { publicRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { ExchangeInfo } from "./exchange-info.ts";
import { tradeText } from "./market-text.ts";

const kind = MarketKind.perpetual;
const readDepth = parameterReader(fapiDepth);
const readTrades = parameterReader(fapiTrades);
const readHistoricalTrades = parameterReader(fapiHistoricalTrades);
const readSymbol = parameterReader(oneSymbol);

/** The numbers of levels Binance offers; others are rounded up to the next. */
const depthLimits: readonly number[] = [5, 10, 20, 50, 100, 500, 1000];

function offeredLimit(limit: number): number {
  return depthLimits.find((offered) => limit <= offered) ?? 1000;
}

function answerTrades(call: HttpCall, trades: readonly TapeTrade[], market: Market): void {
  call.json(`[${trades.map((trade) => tradeText(trade, market)).join(",")}]`);
}

class FapiMarketRoutes {
  readonly #context: RouteContext;
  readonly #depthTexts = new DepthTexts();

  constructor(context: RouteContext) {
    this.#context = context;
  }

  depth(call: HttpCall, parameters: RequestParameters): void {
    const asked = readDepth(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const view = this.#context.model.view(market);
    const levels = this.#depthTexts.levels(view, offeredLimit(asked.limit));
    const nowMs = this.#context.clock.nowMs();
    call.json(`{"lastUpdateId":${view.depthSeq},"E":${nowMs},"T":${msOf(view.depthUs)},${levels}}`);
  }

  trades(call: HttpCall, parameters: RequestParameters): void {
    const asked = readTrades(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    answerTrades(call, this.#context.model.view(market).tape.latest(asked.limit), market);
  }

  historicalTrades(call: HttpCall, parameters: RequestParameters): void {
    const asked = readHistoricalTrades(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const query = {
      market: market.id,
      fromTradeId: asked.fromId ?? null,
      beforeTradeId: null,
      startUs: null,
      endUs: null,
      limit: asked.limit,
    };
    answerLater(this.#context, call, this.#context.history.trades(query), (trades) =>
      answerTrades(call, trades, market),
    );
  }

  openInterest(call: HttpCall, parameters: RequestParameters): void {
    const asked = readSymbol(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (market === null) return;
    const { model, clock } = this.#context;
    const lots = model.state.positions.openInterest(market.id);
    const openInterest = formatScaled(lots, market.lotDecimals);
    call.json(
      `{"symbol":"${market.alias}","openInterest":"${openInterest}","time":${clock.nowMs()}}`,
    );
  }

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind });
  }
}

/** The public routes of the perpetual surface. */
export function fapiMarketRoutes(context: RouteContext): PublicRoute[] {
  const routes = new FapiMarketRoutes(context);
  const info = new ExchangeInfo(context);
  return [
    publicRoute("GET /fapi/v1/ping", (call) => call.json("{}")),
    publicRoute("GET /fapi/v1/time", (call) =>
      call.json(`{"serverTime":${context.clock.nowMs()}}`),
    ),
    publicRoute("GET /fapi/v1/exchangeInfo", (call) => info.answer(call)),
    publicRoute("GET /fapi/v1/depth", (call, parameters) => routes.depth(call, parameters)),
    publicRoute("GET /fapi/v1/trades", (call, parameters) => routes.trades(call, parameters)),
    publicRoute("GET /fapi/v1/historicalTrades", (call, parameters) =>
      routes.historicalTrades(call, parameters),
    ),
    publicRoute("GET /fapi/v1/openInterest", (call, parameters) =>
      routes.openInterest(call, parameters),
    ),
  ];
}
