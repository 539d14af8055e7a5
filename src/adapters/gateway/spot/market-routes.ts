// Public spot routes about the venue and its books: ping, time, exchangeInfo, depth, average price,
// last prices, best prices. Everything comes from memory; nothing is asked of clearing or SQL.

import { oneSymbol } from "../../../../schemas/http/common.ts";
import { spotDepth, spotSymbols } from "../../../../schemas/http/spot.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { averageMinutes, averagePriceText } from "../market-data/average-price.ts";
import { DepthTexts } from "../market-data/depth-texts.ts";
import { passesStatus } from "../market-data/market-status.ts";
import { answerPrices, lastPriceOf } from "../market-data/stand-in-price.ts";
import { msOf, priceText, shownIn } from "../orders/order-words.ts";
import { marketOf, parameterReader } from "../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../requests/route.ts";
import { publicRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { type AskedMarkets, askedMarkets } from "./asked-markets.ts";
import { exchangeInfoRoute } from "./exchange-info-route.ts";
import { bookTickerText } from "./market-texts.ts";
import { listText } from "./render.ts";

const kind = MarketKind.spot;
const readDepth = parameterReader(spotDepth);
const readSymbol = parameterReader(oneSymbol);
const readSymbols = parameterReader(spotSymbols);

class SpotMarketRoutes {
  readonly #context: RouteContext;
  readonly #depthTexts = new DepthTexts();

  constructor(context: RouteContext) {
    this.#context = context;
  }

  depth(call: HttpCall, parameters: RequestParameters): void {
    const asked = readDepth(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (asked === null || market === null) return;
    const { symbolStatus } = asked;
    if (!passesStatus(call, this.#context, { market, symbolStatus })) return;
    call.json(this.#depthTexts.whole(this.#context.model.view(market), asked.limit, call.view));
  }

  average(call: HttpCall, parameters: RequestParameters): void {
    const asked = readSymbol(call, parameters);
    const market = asked && this.#market(call, asked.symbol);
    if (market === null) return;
    const { model, clock } = this.#context;
    const view = model.view(market);
    const price = lastPriceOf(model, market, call);
    const mean = averagePriceText(view, { last: price, nowMs: clock.nowMs() });
    const closeMs = msOf(view.tape.newest()?.tsUs ?? 0);
    const text = `{"mins":${averageMinutes},"price":"${mean}","closeTime":${closeMs}}`;
    answerPrices(call, [{ text, hasPrice: price > 0 }], { isOne: true, isAll: false });
  }

  prices(call: HttpCall, parameters: RequestParameters): void {
    const found = this.#asked(call, parameters);
    if (found === null) return;
    const rows = found.markets.map((market) => {
      const last = lastPriceOf(this.#context.model, market, call);
      const price = priceText(shownIn(call.view, market), last);
      return { text: `{"symbol":"${market.symbol}","price":"${price}"}`, hasPrice: last > 0 };
    });
    answerPrices(call, rows, found);
  }

  touches(call: HttpCall, parameters: RequestParameters): void {
    const found = this.#asked(call, parameters);
    if (found === null) return;
    const { model } = this.#context;
    const rows = found.markets.map((market) =>
      bookTickerText({ market: shownIn(call.view, market), depth: model.view(market).depth }),
    );
    call.json(found.isOne ? (rows[0] ?? "{}") : listText(rows));
  }

  #asked(call: HttpCall, parameters: RequestParameters): AskedMarkets | null {
    const asked = readSymbols(call, parameters);
    return asked && askedMarkets(call, this.#context, asked);
  }

  #market(call: HttpCall, symbol: string): Market | null {
    return marketOf(call, this.#context.table, { symbol, kind });
  }
}

/** The public routes of the spot surface that memory answers. */
export function spotMarketRoutes(context: RouteContext): PublicRoute[] {
  const routes = new SpotMarketRoutes(context);
  const { clock } = context;
  return [
    publicRoute("GET /api/v3/ping", (call) => call.json("{}")),
    publicRoute("GET /api/v3/time", (call) => call.json(`{"serverTime":${clock.nowMs()}}`)),
    exchangeInfoRoute(context),
    publicRoute("GET /api/v3/depth", (call, parameters) => routes.depth(call, parameters)),
    publicRoute("GET /api/v3/avgPrice", (call, parameters) => routes.average(call, parameters)),
    publicRoute("GET /api/v3/ticker/price", (call, parameters) => routes.prices(call, parameters)),
    publicRoute("GET /api/v3/ticker/bookTicker", (call, parameters) =>
      routes.touches(call, parameters),
    ),
  ];
}
