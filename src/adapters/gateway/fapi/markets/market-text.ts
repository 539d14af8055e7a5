// Market data of the perpetual surface as JSON text (binance-compat 5.1, 5.2). Every text that
// enters is one the venue made.

import { type Market, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../../core/money/amounts.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import { Side } from "../../../../core/orders.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { AggregateTrade } from "../../market-data/aggregate-trades.ts";
import {
  boundsText,
  changesText,
  standing,
  type TickerWindow,
  volumesText,
} from "../../market-data/window-text.ts";
import { msOf } from "../../orders/order-words.ts";

/** One row of trades and historicalTrades. */
export function tradeText(trade: TapeTrade, market: Market): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const value = orderValue(market, asPriceTicks(trade.price), asQtyLots(trade.qty));
  return (
    `{"id":${trade.tradeId},"price":"${formatScaled(trade.price, tickDecimals)}"` +
    `,"qty":"${formatScaled(trade.qty, lotDecimals)}"` +
    `,"quoteQty":"${formatScaled(value, quote.decimals)}","time":${msOf(trade.tsUs)}` +
    `,"isBuyerMaker":${trade.takerSide === Side.sell}}`
  );
}

/** One row of aggTrades. Without `M`, by which clients know a spot row. */
export function aggregateText(trade: AggregateTrade, market: Market): string {
  return (
    `{"a":${trade.firstTradeId},"p":"${formatScaled(trade.price, market.tickDecimals)}"` +
    `,"q":"${formatScaled(trade.qty, market.lotDecimals)}","f":${trade.firstTradeId}` +
    `,"l":${trade.lastTradeId},"T":${msOf(trade.tsUs)},"m":${trade.takerSide === Side.sell}}`
  );
}

/** One row of ticker/24hr. Without the touch, by which clients know a spot row. */
export function dayText(market: Market, window: TickerWindow): string {
  const { statistics } = window;
  const figures = standing(statistics);
  const price = (ticks: number) => `"${formatScaled(ticks, market.tickDecimals)}"`;
  return (
    `{"symbol":"${market.alias}",${changesText(market, statistics)},"lastPrice":${price(figures.close)}` +
    `,"lastQty":"${formatScaled(statistics.lastQty, market.lotDecimals)}"` +
    `,"openPrice":${price(figures.open)},"highPrice":${price(figures.high)},"lowPrice":${price(figures.low)}` +
    `,${volumesText(market, figures)},${boundsText(window)}}`
  );
}
