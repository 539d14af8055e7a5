// Public market routes of the spot surface: ping, time, exchangeInfo, depth, average price, last prices, best prices.
// Everything comes from memory, without clearing or SQL. exchangeInfo lists exactly the markets, steps, order types and
// limits that are enforced.

import { oneSymbol } from "../../../../schemas/http/common.ts";
import {
  spotDepth,
  spotExchangeInfo,
  spotOrder,
  spotSymbols,
} from "../../../../schemas/http/spot.ts";
import {
  conditionalPerMarketPerAccountMax,
  limitBandFactor,
  ordersPerMarketPerAccountMax,
} from "../../../core/limits.ts";
import { MarketKind, type MarketStatus, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { orderListsPerMarketPerAccountMax } from "../../../core/order-lists.ts";
import { icebergPartsMax } from "../../../core/orders.ts";
import { limitsOf } from "../../../services/access/rate-limiter.ts";
import {
  byLimit,
  bySymbol,
  queuedOrdersSteps,
  spotDepthSteps,
} from "../../../services/access/request-weight.ts";
import { DepthTexts } from "../market-data/depth-texts.ts";
import { spotStatusNames, statusOf } from "../market-data/market-status.ts";
import { queuedOrdersText } from "../market-data/queued-orders.ts";
import { lastPriceOf, pricesText } from "../market-data/stand-in-price.ts";
import { averageMinutes, averagePriceText } from "../market-data/window-text.ts";
import {
  msOf,
  priceText,
  qtyText,
  quoteText,
  type ShownMarket,
  shownIn,
} from "../orders/order-format.ts";
import { rateLimitsText } from "../requests/rate-limits-text.ts";
import { marketOf } from "../requests/read-request.ts";
import { openRoute, routeGroup } from "../requests/route.ts";
import { badCombination, illegalParameter, refused } from "../requests/surface-error.ts";
import { selectMarkets, spotMarketOf } from "./market-selection.ts";
import { bookTickerText } from "./market-texts.ts";
import { listText } from "./render.ts";

function filtersText(market: ShownMarket): string {
  const price = (ticks: number) => priceText(market, ticks);
  const qty = (lots: number) => qtyText(market, lots);
  const { priceTicksMax, qtyLotsMax, minNotional } = market;
  const most = orderValue(market, asPriceTicks(priceTicksMax), asQtyLots(qtyLotsMax));
  return listText([
    `{"filterType":"PRICE_FILTER","minPrice":"${price(1)}","maxPrice":"${price(priceTicksMax)}","tickSize":"${price(1)}"}`,
    `{"filterType":"LOT_SIZE","minQty":"${qty(1)}","maxQty":"${qty(qtyLotsMax)}","stepSize":"${qty(1)}"}`,
    `{"filterType":"ICEBERG_PARTS","limit":${icebergPartsMax}}`,
    `{"filterType":"NOTIONAL","minNotional":"${quoteText(market, minNotional)}","applyMinToMarket":true` +
      `,"maxNotional":"${quoteText(market, most)}","applyMaxToMarket":false,"avgPriceMins":0}`,
    `{"filterType":"PERCENT_PRICE","multiplierUp":"${limitBandFactor}","multiplierDown":"${1 / limitBandFactor}","avgPriceMins":0}`,
    `{"filterType":"MAX_NUM_ORDERS","maxNumOrders":${ordersPerMarketPerAccountMax}}`,
    `{"filterType":"MAX_NUM_ALGO_ORDERS","maxNumAlgoOrders":${conditionalPerMarketPerAccountMax}}`,
    `{"filterType":"MAX_NUM_ORDER_LISTS","maxNumOrderLists":${orderListsPerMarketPerAccountMax}}`,
  ]);
}

/** All order types in the schema of POST order. */
const orderTypes = JSON.stringify(spotOrder.shape.type.options);
const preventionModes = JSON.stringify(spotOrder.shape.selfTradePreventionMode.unwrap().options);

/** One symbol of exchangeInfo. `orderTypes` are the order types that this venue accepts. */
function symbolText(
  market: ShownMarket,
  status: MarketStatus,
  showsPermissionSets: boolean,
): string {
  return (
    `{"symbol":"${market.symbol}","status":"${spotStatusNames[status]}","baseAsset":"${market.baseCode}"` +
    `,"baseAssetPrecision":8,"quoteAsset":"${market.quoteCode}","quotePrecision":8,"quoteAssetPrecision":8` +
    `,"baseCommissionPrecision":8,"quoteCommissionPrecision":8` +
    `,"orderTypes":${orderTypes},"icebergAllowed":true,"ocoAllowed":true` +
    `,"otoAllowed":true,"opoAllowed":true,"quoteOrderQtyMarketAllowed":true,"allowTrailingStop":false` +
    `,"cancelReplaceAllowed":true,"amendAllowed":true,"pegInstructionsAllowed":true` +
    `,"isSpotTradingAllowed":true,"isMarginTradingAllowed":false,"filters":${filtersText(market)}` +
    `,"permissions":[]${showsPermissionSets ? ',"permissionSets":[["SPOT"]]' : ""}` +
    `,"defaultSelfTradePreventionMode":"NONE","allowedSelfTradePreventionModes":${preventionModes}}`
  );
}

/**
 * Returns whether the requested permissions include SPOT, the only permission that markets of this venue have. If they
 * do not, no market matches the request. Returns undefined if the text is invalid.
 */
function areSpotPermissions(text: string): boolean | undefined {
  if (/^[A-Z0-9_]+$/.test(text)) return text === "SPOT";
  const names = /^\[("[A-Z0-9_]+"(,"[A-Z0-9_]+")*)\]$/.exec(text);
  return names === null ? undefined : text.includes('"SPOT"');
}

/** The public spot routes answered from memory. */
export const spotMarketRoutes = routeGroup((context) => ({
  ...context,
  depthTexts: new DepthTexts(),
}))([
  openRoute("GET /api/v3/ping", {
    summary: "Tests connectivity; returns an empty object.",
    session: "ping",
    answer: () => "{}",
  }),
  openRoute("GET /api/v3/time", {
    summary: "The venue's time.",
    session: "time",
    answer: ({ clock }) => `{"serverTime":${clock.nowMs()}}`,
  }),
  openRoute("GET /api/v3/exchangeInfo", {
    summary: "Spot markets, their filters, and rate limits.",
    weight: 10,
    reads: spotExchangeInfo,
    session: "exchangeInfo",
    answer: (context, call, params) => {
      const isSelection = params.permissions !== undefined || params.symbolStatus !== undefined;
      if (isSelection && (params.symbol !== undefined || params.symbols !== undefined))
        refused(badCombination);
      const isSpot = areSpotPermissions(params.permissions ?? "SPOT");
      if (isSpot === undefined) refused(illegalParameter("permissions"));
      const { markets } = selectMarkets(context, params, () => true);
      const symbols = markets
        .filter(() => isSpot)
        .map((market) =>
          symbolText(
            shownIn(call.view, market),
            statusOf(context, market),
            params.showPermissionSets,
          ),
        );
      const limits = rateLimitsText(limitsOf(context.tierOf(call)), call.view === "compat");
      return (
        `{"timezone":"UTC","serverTime":${context.clock.nowMs()},"rateLimits":${limits}` +
        `,"exchangeFilters":[],"symbols":${listText(symbols)}}`
      );
    },
  }),
  openRoute("GET /api/v3/depth", {
    summary: "The best levels of a book.",
    weight: byLimit(spotDepthSteps, 100),
    reads: spotDepth,
    session: "depth",
    example: "symbol=CC-USDC&limit=5",
    answer: (context, { view }, { symbol, symbolStatus, limit }) => {
      const market = spotMarketOf(context, symbol, symbolStatus);
      return context.depthTexts.whole(context.model.view(market), limit, view);
    },
  }),
  openRoute("GET /api/v3/depth/orders", {
    summary: "The best orders of a book, each in its place in the queue.",
    weight: byLimit(queuedOrdersSteps, 100),
    reads: spotDepth,
    onlyIn: "compat",
    session: "depth.orders",
    example: "symbol=CC-USDC&limit=5",
    answer: (context, { view: surface }, { symbol, symbolStatus, limit }) => {
      const market = spotMarketOf(context, symbol, symbolStatus);
      return queuedOrdersText(context.model, context.model.view(market), { limit, surface });
    },
  }),
  openRoute("GET /api/v3/avgPrice", {
    summary: "Average price of the last five minutes.",
    reads: oneSymbol,
    session: "avgPrice",
    example: "symbol=CC-USDC",
    form: { optional: "price" },
    answer: ({ table, model, marketClock }, call, { symbol }) => {
      const market = marketOf(table, MarketKind.spot, symbol);
      const view = model.view(market);
      const price = lastPriceOf(model, market, call);
      const mean = averagePriceText(view, { last: price, nowMs: marketClock.nowMs() });
      const closeMs = msOf(view.tape.newest()?.tsUs ?? 0);
      const text = `{"mins":${averageMinutes},"price":"${mean}","closeTime":${closeMs}}`;
      return pricesText(call, [{ text, hasPrice: price > 0 }], { isOne: true, isAll: false });
    },
  }),
  openRoute("GET /api/v3/ticker/price", {
    summary: "Last prices.",
    weight: bySymbol(1, 2),
    reads: spotSymbols,
    session: "ticker.price",
    form: "rows",
    answer: (context, call, params) => {
      const found = selectMarkets(context, params);
      const rows = found.markets.map((market) => {
        const last = lastPriceOf(context.model, market, call);
        const price = priceText(shownIn(call.view, market), last);
        return { text: `{"symbol":"${market.symbol}","price":"${price}"}`, hasPrice: last > 0 };
      });
      return pricesText(call, rows, found);
    },
  }),
  openRoute("GET /api/v3/ticker/bookTicker", {
    summary: "Best prices.",
    weight: bySymbol(1, 2),
    reads: spotSymbols,
    session: "ticker.book",
    form: "rows",
    answer: (context, { view }, params) => {
      const { markets, isOne } = selectMarkets(context, params);
      const rows = markets.map((market) =>
        bookTickerText({ market: shownIn(view, market), depth: context.model.view(market).depth }),
      );
      return isOne ? (rows[0] ?? "{}") : listText(rows);
    },
  }),
]);
