// GET /fapi/v1/exchangeInfo in both views. The root view has exactly the three top-level and seven symbol fields of
// docs/spec. The compat view has Binance's full record, with the market's status and the figures that clearing enforces
// for new orders.

import {
  clearanceFeeBps,
  conditionalPerMarketPerAccountMax,
  limitBandFactor,
  marketBandBps,
  ordersPerMarketPerAccountMax,
} from "../../../../core/limits.ts";
import { type Market, MarketKind, MarketStatus } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { timeInForceNames } from "../../../../core/orders.ts";
import { marginFloorBps } from "../../../../engine/risk/margin.ts";
import { limitsOf } from "../../../../services/access/rate-limiter.ts";
import { statusOf } from "../../market-data/market-status.ts";
import { rateLimitsText } from "../../requests/rate-limits-text.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { collateralName } from "../collateral-name.ts";
import { type MarketInView, priceDecimals } from "../orders/price-decimals.ts";

const timesInForceText = JSON.stringify(timeInForceNames("futures"));

/** Date on which the perpetual surface went live. */
const onboardMs = Date.UTC(2026, 4, 25);
/** Binance's date for a contract without expiry. */
const deliveryMs = 4_133_404_800_000;

/** Binance's name for each market status. */
const statusNames: Readonly<Record<MarketStatus, string>> = {
  [MarketStatus.trading]: "TRADING",
  [MarketStatus.halted]: "PENDING_TRADING",
  [MarketStatus.delisted]: "CLOSE",
};

/** One symbol in the root view: exactly seven fields, of which `status` never changes. */
function rootSymbolText(market: Market): string {
  const fields = commonFields({ market, view: "root" }, MarketStatus.trading);
  return `{"symbol":"${market.alias}","pair":"${market.symbol}",${fields}}`;
}

function commonFields(at: MarketInView, status: MarketStatus): string {
  const { market } = at;
  return (
    `"status":"${statusNames[status]}","baseAsset":"${market.baseCode}","quoteAsset":"${market.quoteCode}"` +
    `,"pricePrecision":${priceDecimals(at)},"quantityPrecision":${market.lotDecimals}`
  );
}

/**
 * One symbol in the compat view: `pair` is the symbol, and the margin asset is the quote asset. `openingMarginPercent`,
 * the venue's own field, is there while opening an order needs a margin of so much whatever the leverage (RSK-62).
 */
function fullSymbolText(market: Market, status: MarketStatus, floorBps: number): string {
  const [first] = market.marginTiers;
  const maintenance = formatScaled(first?.maintenancePpm ?? 0, 4);
  const required = formatScaled(Math.ceil(1_000_000 / market.leverageMax), 4);
  return (
    `{"symbol":"${market.alias}","pair":"${market.alias}",${commonFields({ market, view: "compat" }, status)}` +
    `,"contractType":"PERPETUAL","marginAsset":"${collateralName(market, "compat")}"` +
    `,"deliveryDate":${deliveryMs},"onboardDate":${onboardMs}` +
    `,"baseAssetPrecision":8,"quotePrecision":8,"maintMarginPercent":"${maintenance}"` +
    `,"requiredMarginPercent":"${required}"${floorBps === 0 ? "" : `,"openingMarginPercent":"${formatScaled(floorBps, 2)}"`}` +
    `,"underlyingType":"COIN","underlyingSubType":[]` +
    `,"settlePlan":0,"triggerProtect":"0.05","liquidationFee":"${formatScaled(clearanceFeeBps, 4)}"` +
    `,"marketTakeBound":"${formatScaled(marketBandBps, 4)}"` +
    `,"orderTypes":["LIMIT","MARKET","STOP","STOP_MARKET","TAKE_PROFIT","TAKE_PROFIT_MARKET","TRAILING_STOP_MARKET"]` +
    `,"timeInForce":${timesInForceText}` +
    `,"filters":[${filterTexts(market).join(",")}]}`
  );
}

function filterTexts(market: Market): string[] {
  const price = (ticks: number) => `"${formatScaled(ticks, market.tickDecimals)}"`;
  const qty = (lots: number) => `"${formatScaled(lots, market.lotDecimals)}"`;
  const sizes = `"minQty":${qty(1)},"maxQty":${qty(market.qtyLotsMax)},"stepSize":${qty(1)}`;
  const up = formatScaled(limitBandFactor * 10_000, 4);
  const down = formatScaled(10_000 / limitBandFactor, 4);
  return [
    `{"filterType":"PRICE_FILTER","minPrice":${price(1)},"maxPrice":${price(market.priceTicksMax)},"tickSize":${price(1)}}`,
    `{"filterType":"LOT_SIZE",${sizes}}`,
    `{"filterType":"MARKET_LOT_SIZE",${sizes}}`,
    `{"filterType":"MAX_NUM_ORDERS","limit":${ordersPerMarketPerAccountMax}}`,
    `{"filterType":"MAX_NUM_ALGO_ORDERS","limit":${conditionalPerMarketPerAccountMax}}`,
    `{"filterType":"MIN_NOTIONAL","notional":"${formatScaled(market.minNotional, market.quote.decimals)}"}`,
    `{"filterType":"PERCENT_PRICE","multiplierUp":"${up}","multiplierDown":"${down}","multiplierDecimal":"4"}`,
  ];
}

export class ExchangeInfo {
  readonly #context: RouteContext;
  readonly #rootSymbols: string;
  readonly #perpetuals: readonly Market[];
  readonly #assets: string;

  constructor(context: RouteContext) {
    const { markets } = context.table;
    const perpetuals = markets.filter(({ kind }) => kind === MarketKind.perpetual);
    const names = new Set(perpetuals.map((market) => collateralName(market, "compat")));
    this.#context = context;
    this.#rootSymbols = perpetuals.map(rootSymbolText).join(",");
    this.#perpetuals = perpetuals;
    this.#assets = [...names]
      .map((name) => `{"asset":"${name}","marginAvailable":true,"autoAssetExchange":"0"}`)
      .join(",");
  }

  /** The answer to a call; parameters are ignored. */
  text(call: HttpCall): string {
    const head = `{"timezone":"UTC","serverTime":${this.#context.clock.nowMs()}`;
    if (call.view === "root") return `${head},"symbols":[${this.#rootSymbols}]}`;
    const { state } = this.#context.model;
    const symbols = this.#perpetuals.map((market) =>
      fullSymbolText(market, statusOf(this.#context, market), marginFloorBps(state, market)),
    );
    const limits = rateLimitsText(limitsOf(this.#context.tierOf(call)));
    return (
      `${head},"futuresType":"U_MARGINED","rateLimits":${limits},"exchangeFilters":[]` +
      `,"assets":[${this.#assets}],"symbols":[${symbols.join(",")}]}`
    );
  }
}
