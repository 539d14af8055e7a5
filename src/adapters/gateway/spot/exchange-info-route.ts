// GET /api/v3/exchangeInfo: what can be traded here, in which steps, with which orders, within which
// limits. Only what is enforced is listed.

import { spotExchangeInfo, spotOrder } from "../../../../schemas/http/spot.ts";
import {
  conditionalPerMarketPerAccountMax,
  limitBandFactor,
  ordersPerMarketPerAccountMax,
} from "../../../core/limits.ts";
import { type MarketStatus, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { limitsOf } from "../../../services/access/rate-limiter.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { spotStatusWords, statusOf } from "../market-data/market-status.ts";
import { priceText, qtyText, quoteText, type ShownMarket, shownIn } from "../orders/order-words.ts";
import { rateLimitsText } from "../requests/rate-limits-text.ts";
import { parameterReader } from "../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../requests/route.ts";
import { badCombination, illegalParameter, refuse } from "../requests/surface-error.ts";
import { publicRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { askedMarkets } from "./asked-markets.ts";
import { listText } from "./render.ts";

const readExchangeInfo = parameterReader(spotExchangeInfo);

function filtersText(market: ShownMarket): string {
  const price = (ticks: number) => priceText(market, ticks);
  const qty = (lots: number) => qtyText(market, lots);
  const { priceTicksMax, qtyLotsMax, minNotional } = market;
  const most = orderValue(market, asPriceTicks(priceTicksMax), asQtyLots(qtyLotsMax));
  return listText([
    `{"filterType":"PRICE_FILTER","minPrice":"${price(1)}","maxPrice":"${price(priceTicksMax)}","tickSize":"${price(1)}"}`,
    `{"filterType":"LOT_SIZE","minQty":"${qty(1)}","maxQty":"${qty(qtyLotsMax)}","stepSize":"${qty(1)}"}`,
    `{"filterType":"NOTIONAL","minNotional":"${quoteText(market, minNotional)}","applyMinToMarket":true` +
      `,"maxNotional":"${quoteText(market, most)}","applyMaxToMarket":false,"avgPriceMins":0}`,
    `{"filterType":"PERCENT_PRICE","multiplierUp":"${limitBandFactor}","multiplierDown":"${1 / limitBandFactor}","avgPriceMins":0}`,
    `{"filterType":"MAX_NUM_ORDERS","maxNumOrders":${ordersPerMarketPerAccountMax}}`,
    `{"filterType":"MAX_NUM_ALGO_ORDERS","maxNumAlgoOrders":${conditionalPerMarketPerAccountMax}}`,
  ]);
}

/** Everything the schema of an order takes. */
const orderTypes = JSON.stringify(spotOrder.shape.type.options);
const preventionModes = JSON.stringify(spotOrder.shape.selfTradePreventionMode.unwrap().options);

/** One symbol of exchangeInfo; `orderTypes` lists what this venue takes. */
function symbolText(
  market: ShownMarket,
  status: MarketStatus,
  showsPermissionSets: boolean,
): string {
  return (
    `{"symbol":"${market.symbol}","status":"${spotStatusWords[status]}","baseAsset":"${market.baseCode}"` +
    `,"baseAssetPrecision":8,"quoteAsset":"${market.quoteCode}","quotePrecision":8,"quoteAssetPrecision":8` +
    `,"baseCommissionPrecision":8,"quoteCommissionPrecision":8` +
    `,"orderTypes":${orderTypes},"icebergAllowed":false,"ocoAllowed":false` +
    `,"otoAllowed":false,"opoAllowed":false,"quoteOrderQtyMarketAllowed":true,"allowTrailingStop":false` +
    `,"cancelReplaceAllowed":true,"amendAllowed":true,"pegInstructionsAllowed":false` +
    `,"isSpotTradingAllowed":true,"isMarginTradingAllowed":false,"filters":${filtersText(market)}` +
    `,"permissions":[]${showsPermissionSets ? ',"permissionSets":[["SPOT"]]' : ""}` +
    `,"defaultSelfTradePreventionMode":"NONE","allowedSelfTradePreventionModes":${preventionModes}}`
  );
}

/** Markets here have one permission: who asks for others only, asks for nothing here. */
function areSpotPermissions(text: string): boolean | undefined {
  if (/^[A-Z0-9_]+$/.test(text)) return text === "SPOT";
  const names = /^\[("[A-Z0-9_]+"(,"[A-Z0-9_]+")*)\]$/.exec(text);
  return names === null ? undefined : text.includes('"SPOT"');
}

function answerExchangeInfo(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
): void {
  const asked = readExchangeInfo(call, parameters);
  if (asked === null) return;
  const isSelection = asked.permissions !== undefined || asked.symbolStatus !== undefined;
  if (isSelection && (asked.symbol !== undefined || asked.symbols !== undefined)) {
    refuse(call, badCombination);
    return;
  }
  const isSpot = areSpotPermissions(asked.permissions ?? "SPOT");
  if (isSpot === undefined) {
    refuse(call, illegalParameter("permissions"));
    return;
  }
  const found = askedMarkets(call, context, asked, () => true);
  if (found === null) return;
  const symbols = found.markets
    .filter(() => isSpot)
    .map((market) =>
      symbolText(shownIn(call.view, market), statusOf(context, market), asked.showPermissionSets),
    );
  const limits = rateLimitsText(limitsOf(context.tierOf(call)));
  call.json(
    `{"timezone":"UTC","serverTime":${context.clock.nowMs()},"rateLimits":${limits}` +
      `,"exchangeFilters":[],"symbols":${listText(symbols)}}`,
  );
}

export function exchangeInfoRoute(context: RouteContext): PublicRoute {
  return publicRoute("GET /api/v3/exchangeInfo", (call, parameters) =>
    answerExchangeInfo(context, call, parameters),
  );
}
