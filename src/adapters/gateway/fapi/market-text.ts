// Market data of the perpetual surface as JSON text (binance-compat 5.1, 5.2). Every text that
// enters is one the venue made.

import { asPriceTicks, asQtyLots } from "../../../core/amounts.ts";
import { formatScaled } from "../../../core/decimal.ts";
import { type Market, orderValue } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";
import type { TapeTrade } from "../../../engine/market-data/trade-tape.ts";
import { msOf } from "../order-words.ts";

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
