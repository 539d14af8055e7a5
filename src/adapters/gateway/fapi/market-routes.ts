// Public perpetual routes: ping, time, exchangeInfo (the specification's shape, nothing more),
// klines, depth, last prices, open interest. Everything comes from the read model.

import { maybeSymbol, oneSymbol } from "../../../../schemas/http/common.ts";
import { fapiDepth } from "../../../../schemas/http/fapi.ts";
import { formatScaled } from "../../../core/decimal.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { fapiDepthWeight, tickerPriceWeight } from "../../../services/access/endpoint-weights.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { DepthTexts } from "../depth-texts.ts";
import { msOf } from "../order-words.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { PublicRoute, RouteContext } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import { klinesRoute } from "./klines-route.ts";
import { symbolText } from "./market-text.ts";
import { publicRoute } from "./weighted-routes.ts";

const kind = MarketKind.perpetual;
const readDepth = parameterReader(fapiDepth);
const readMaybeSymbol = parameterReader(maybeSymbol);
const readSymbol = parameterReader(oneSymbol);

/** The numbers of levels Binance offers; others are rounded up to the next. */
const depthLimits: readonly number[] = [5, 10, 20, 50, 100, 500, 1000];

function offeredLimit(limit: number): number {
  return depthLimits.find((offered) => limit <= offered) ?? 1000;
}

function limitOf(parameters: RequestParameters): number {
  const limit = Number(parameters.get("limit") ?? 500);
  return Number.isNaN(limit) ? 500 : offeredLimit(limit);
}

function lastPriceText({ model, clock }: RouteContext, market: Market): string {
  const last = model.state.lastPrice[market.id] ?? 0;
  const traded = model.view(market).tape.newest();
  const timeMs = traded === undefined ? clock.nowMs() : msOf(traded.tsUs);
  const price = formatScaled(last, market.tickDecimals);
  return `{"symbol":"${market.alias}","price":"${price}","time":${timeMs}}`;
}

class FapiMarketRoutes {
  readonly #context: RouteContext;
  readonly #depthTexts = new DepthTexts();
  readonly #markets: readonly Market[];
  /** The listing never changes while the venue runs: status is always TRADING (specification). */
  readonly #symbols: string;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#markets = context.table.markets.filter((market) => market.kind === kind);
    this.#symbols = this.#markets.map(symbolText).join(",");
  }

  exchangeInfo(call: HttpCall): void {
    const nowMs = this.#context.clock.nowMs();
    call.json(`{"timezone":"UTC","serverTime":${nowMs},"symbols":[${this.#symbols}]}`);
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

  lastPrice(call: HttpCall, parameters: RequestParameters): void {
    const asked = readMaybeSymbol(call, parameters);
    if (asked === null) return;
    if (asked.symbol === undefined) {
      const rows = this.#markets.map((market) => lastPriceText(this.#context, market));
      call.json(`[${rows.join(",")}]`);
      return;
    }
    const market = this.#market(call, asked.symbol);
    if (market !== null) call.json(lastPriceText(this.#context, market));
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
  return [
    publicRoute("GET /fapi/v1/ping", (call) => call.json("{}")),
    publicRoute("GET /fapi/v1/time", (call) =>
      call.json(`{"serverTime":${context.clock.nowMs()}}`),
    ),
    publicRoute("GET /fapi/v1/exchangeInfo", (call) => routes.exchangeInfo(call)),
    klinesRoute(context),
    {
      method: "GET",
      path: "/fapi/v1/depth",
      security: "none",
      weight: (parameters) => fapiDepthWeight(limitOf(parameters)),
      answer: (call, parameters) => routes.depth(call, parameters),
    },
    {
      method: "GET",
      path: "/fapi/v1/ticker/price",
      security: "none",
      weight: (parameters) => tickerPriceWeight(parameters.get("symbol") !== undefined),
      answer: (call, parameters) => routes.lastPrice(call, parameters),
    },
    publicRoute("GET /fapi/v1/openInterest", (call, parameters) =>
      routes.openInterest(call, parameters),
    ),
  ];
}
