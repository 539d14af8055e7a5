// Public spot routes: ping, time, exchangeInfo, depth, trades, last prices. Everything comes from
// the read model; nothing is asked of clearing or SQL.

import {
  type SpotExchangeInfoParameters,
  spotDepth,
  spotExchangeInfo,
  spotSymbols,
  spotTrades,
} from "../../../../schemas/http/spot.ts";
import { formatScaled } from "../../../core/decimal.ts";
import { type Market, MarketKind, MarketStatus } from "../../../core/markets.ts";
import {
  endpointWeights,
  spotDepthWeight,
  tickerPriceWeight,
} from "../../../services/access/endpoint-weights.ts";
import { limitsOf } from "../../../services/access/rate-tiers.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { DepthTexts } from "../depth-texts.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { PublicRoute, RouteContext } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import { illegalParameter, refuse, type SurfaceError } from "../surface-error.ts";
import { listText, rateLimitsText, symbolText, tradeText } from "./render.ts";

const kind = MarketKind.spot;
const readDepth = parameterReader(spotDepth);
const readTrades = parameterReader(spotTrades);
const readSymbols = parameterReader(spotSymbols);
const readExchangeInfo = parameterReader(spotExchangeInfo);

const bothGiven: SurfaceError = {
  status: 400,
  code: -1128,
  msg: "Combination of optional parameters invalid.",
};
const badList: SurfaceError = {
  status: 400,
  code: -1135,
  msg: "Invalid data sent for parameter 'symbols'.",
};
const repeatedSymbol: SurfaceError = {
  status: 400,
  code: -1151,
  msg: "Symbol is present multiple times in the list.",
};

function spotMarkets(context: RouteContext): Market[] {
  return context.table.markets.filter((market) => market.kind === kind);
}

function isStringList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** The names in a JSON list, or what is wrong with it. */
function namesOf(text: string): string[] | SurfaceError {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return badList;
  }
  if (!isStringList(value) || value.length === 0) return badList;
  return new Set(value).size < value.length ? repeatedSymbol : value;
}

interface AskedMarkets {
  readonly markets: readonly Market[];
  /** One symbol is answered with an object, several with a list. */
  readonly isOne: boolean;
}

/** The markets a call is about: one, a list, or all; null after it has refused the call. */
function askedMarkets(
  call: HttpCall,
  context: RouteContext,
  { symbol, symbols }: { symbol?: string | undefined; symbols?: string | undefined },
): AskedMarkets | null {
  if (symbol !== undefined && symbols !== undefined) {
    refuse(call, bothGiven);
    return null;
  }
  if (symbol !== undefined) {
    const market = marketOf(call, context.table, { symbol, kind });
    return market === null ? null : { markets: [market], isOne: true };
  }
  if (symbols === undefined) return { markets: spotMarkets(context), isOne: false };
  const names = namesOf(symbols);
  if (!Array.isArray(names)) {
    refuse(call, names);
    return null;
  }
  const markets = names.map((name) => context.table.find(name));
  const known = markets.filter((market): market is Market => market?.kind === kind);
  if (known.length === markets.length) return { markets: known, isOne: false };
  refuse(call, illegalParameter("symbols"));
  return null;
}

function statusOf(context: RouteContext, market: Market): MarketStatus {
  return (context.model.state.marketStatus[market.id] ?? MarketStatus.trading) as MarketStatus;
}

const statusNames = { TRADING: MarketStatus.trading, HALT: MarketStatus.halted } as const;

function hasAskedStatus(
  context: RouteContext,
  market: Market,
  asked: SpotExchangeInfoParameters["symbolStatus"],
): boolean {
  if (asked === undefined) return true;
  const wanted = asked === "BREAK" ? MarketStatus.delisted : statusNames[asked];
  return statusOf(context, market) === wanted;
}

function answerExchangeInfo(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
): void {
  const asked = readExchangeInfo(call, parameters);
  const found = asked === null ? null : askedMarkets(call, context, asked);
  if (asked === null || found === null) return;
  const symbols = found.markets
    .filter((market) => hasAskedStatus(context, market, asked.symbolStatus))
    .map((market) => symbolText(market, statusOf(context, market), asked.showPermissionSets));
  const limits = rateLimitsText(limitsOf(context.tierOf(call)));
  call.json(
    `{"timezone":"UTC","serverTime":${context.clock.nowMs()},"rateLimits":${limits}` +
      `,"exchangeFilters":[],"symbols":${listText(symbols)}}`,
  );
}

function lastPriceText(context: RouteContext, market: Market): string {
  const last = context.model.state.lastPrice[market.id] ?? 0;
  return `{"symbol":"${market.symbol}","price":"${formatScaled(last, market.tickDecimals)}"}`;
}

/** Levels asked for, as far as the weight needs to know; bad texts are refused by the route. */
function limitOf(parameters: RequestParameters, standard: number): number {
  const limit = Number(parameters.get("limit") ?? standard);
  return Number.isNaN(limit) ? standard : limit;
}

/** The public routes of the spot surface. */
export function spotMarketRoutes(context: RouteContext): PublicRoute[] {
  const depthTexts = new DepthTexts();
  const open = { method: "GET", security: "none" } as const;
  return [
    {
      ...open,
      path: "/api/v3/ping",
      weight: endpointWeights["GET /api/v3/ping"],
      answer: (call) => call.json("{}"),
    },
    {
      ...open,
      path: "/api/v3/time",
      weight: endpointWeights["GET /api/v3/time"],
      answer: (call) => call.json(`{"serverTime":${context.clock.nowMs()}}`),
    },
    {
      ...open,
      path: "/api/v3/exchangeInfo",
      weight: endpointWeights["GET /api/v3/exchangeInfo"],
      answer: (call, parameters) => answerExchangeInfo(context, call, parameters),
    },
    {
      ...open,
      path: "/api/v3/depth",
      weight: (parameters) => spotDepthWeight(limitOf(parameters, 100)),
      answer: (call, parameters) => {
        const asked = readDepth(call, parameters);
        const market = asked && marketOf(call, context.table, { symbol: asked.symbol, kind });
        if (asked === null || market === null) return;
        const view = context.model.view(market);
        call.json(depthTexts.whole(view, asked.limit));
      },
    },
    {
      ...open,
      path: "/api/v3/trades",
      weight: endpointWeights["GET /api/v3/trades"],
      answer: (call, parameters) => {
        const asked = readTrades(call, parameters);
        const market = asked && marketOf(call, context.table, { symbol: asked.symbol, kind });
        if (asked === null || market === null) return;
        const trades = context.model.view(market).tape.latest(asked.limit);
        call.json(listText(trades.map((trade) => tradeText(trade, market))));
      },
    },
    {
      ...open,
      path: "/api/v3/ticker/price",
      weight: (parameters) => tickerPriceWeight(parameters.get("symbol") !== undefined),
      answer: (call, parameters) => {
        const asked = readSymbols(call, parameters);
        const found = asked && askedMarkets(call, context, asked);
        if (found === null) return;
        const rows = found.markets.map((market) => lastPriceText(context, market));
        call.json(found.isOne ? (rows[0] ?? "{}") : listText(rows));
      },
    },
  ];
}
