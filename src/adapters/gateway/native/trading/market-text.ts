// Markets and their data in the native format (docs/spec/native.md): decimal strings, ISO times, null for an unknown
// figure. All inserted strings come from the venue, so none needs escaping.

import { PublicIdKind, publicId } from "../../../../core/ids/public-id.ts";
import type { Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/amounts.ts";
import { Side } from "../../../../core/orders.ts";
import type { Candle } from "../../../../engine/market-data/candles.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { FundingRecord } from "../../../../ports/journal/history-store.ts";
import {
  comingRateText,
  fundingHours,
  nextFundingMs,
  rateText,
} from "../../fapi/markets/funding-terms.ts";
import type { WindowStatistics } from "../../market-data/market-statistics.ts";
import { percentText, windowFigures } from "../../market-data/window-text.ts";
import { msOf, sideNames } from "../../orders/order-format.ts";
import type { ReadModel } from "../../read-model.ts";
import { isoOfMs, isoOfUs } from "../native-context.ts";

function price(market: Market, ticks: number): string {
  return formatScaled(ticks, market.tickDecimals);
}

function qty(market: Market, lots: number): string {
  return formatScaled(lots, market.lotDecimals);
}

/** The price as text, or null if it is zero, which means that there is no price. */
function priceOrNull(market: Market, ticks: number): string | null {
  return ticks === 0 ? null : price(market, ticks);
}

/** Path at which the icon of a coin is served. */
export function iconPath(code: string): string {
  return `/v1/icons/${code.toLowerCase()}.svg`;
}

/** The native market record: exactly seven fields. */
export function marketRecord(market: Market) {
  return {
    symbol: market.symbol,
    base: market.baseCode,
    quote: market.quoteCode,
    icon_url: iconPath(market.baseCode),
    max_leverage: market.leverageMax,
    tick_size: price(market, 1),
    min_qty: qty(market, 1),
  };
}

/** A native candle object. */
export function candleRecord(market: Market, candle: Candle) {
  return {
    bucket_ms: candle.openTimeMs,
    open: price(market, candle.open),
    high: price(market, candle.high),
    low: price(market, candle.low),
    close: price(market, candle.close),
    volume: qty(market, candle.volume),
  };
}

/**
 * The ticker of a market. `change_24h` is in percent; `funding_rate` is the rate that a settlement now would charge.
 */
export function tickerRecord(
  model: ReadModel,
  market: Market,
  { statistics, nowMs }: { statistics: WindowStatistics; nowMs: number },
) {
  const { open, high, low, close, volume, quote } = windowFigures(statistics);
  return {
    symbol: market.symbol,
    last_price: priceOrNull(market, close),
    mark_price: priceOrNull(market, model.mark(market)),
    index_price: priceOrNull(market, model.index(market)),
    high_24h: priceOrNull(market, high),
    low_24h: priceOrNull(market, low),
    volume_24h: qty(market, volume),
    quote_volume_24h: formatScaled(quote, market.quote.decimals),
    change_24h: percentText(close - open, open),
    open_interest: qty(market, model.state.positions.openInterest(market.id)),
    funding_rate: comingRateText(model, market),
    next_funding_at: isoOfMs(nextFundingMs(model, nowMs)),
  };
}

export function tradeRecord(market: Market, trade: TapeTrade) {
  return {
    id: publicId(PublicIdKind.trade, trade.tradeId, msOf(trade.tsUs)),
    price: price(market, trade.price),
    qty: qty(market, trade.qty),
    side: sideNames[trade.takerSide],
    time: isoOfUs(trade.tsUs),
  };
}

/** The levels of both sides of the book, best first. */
export function levelsOf(model: ReadModel, market: Market, depth: number) {
  const levels = (side: Side) => {
    const rows: [string, string][] = [];
    model.view(market).depth.visit(side, depth, (ticks, lots) => {
      rows.push([price(market, ticks), qty(market, lots)]);
    });
    return rows;
  };
  return { bids: levels(Side.buy), asks: levels(Side.sell) };
}

/**
 * Past and current funding. The settlements in `settled` are newest first; `rate` is the last rate charged, null before
 * the first settlement.
 */
export function fundingRecord(
  model: ReadModel,
  market: Market,
  { settled, nowMs }: { settled: readonly FundingRecord[]; nowMs: number },
) {
  const [last] = settled;
  return {
    symbol: market.symbol,
    rate: last === undefined ? null : rateText(last.rate),
    predicted_rate: comingRateText(model, market),
    interval_hours: fundingHours(model),
    next_funding_at: isoOfMs(nextFundingMs(model, nowMs)),
    history: settled.map(({ rate, mark, tsUs }) => ({
      rate: rateText(rate),
      mark_price: priceOrNull(market, mark),
      time: isoOfUs(tsUs),
    })),
  };
}
