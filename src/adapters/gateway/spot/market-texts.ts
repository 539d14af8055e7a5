// Public market data of the spot surface as JSON text (binance-compat 4.2). Every text that enters is
// one the venue made: nothing here needs escaping.

import { formatScaled } from "../../../core/decimal.ts";
import type { Market } from "../../../core/markets.ts";
import { Side } from "../../../core/orders.ts";
import type { TapeTrade } from "../../../engine/market-data/trade-tape.ts";
import type { AggregateTrade } from "../aggregate-trades.ts";
import { msOf } from "../order-words.ts";
import type { MarketView } from "../read-model.ts";
import {
  boundsText,
  changesText,
  standing,
  type TickerWindow,
  volumesText,
} from "../window-text.ts";

/** GET trades. */
export function tradeText(trade: TapeTrade, market: Market): string {
  const { tickDecimals, lotDecimals, unitsPerTickLot, quote } = market;
  const value = BigInt(trade.price) * BigInt(trade.qty) * BigInt(unitsPerTickLot);
  return (
    `{"id":${trade.tradeId},"price":"${formatScaled(trade.price, tickDecimals)}"` +
    `,"qty":"${formatScaled(trade.qty, lotDecimals)}"` +
    `,"quoteQty":"${formatScaled(value, quote.decimals)}","time":${msOf(trade.tsUs)}` +
    `,"isBuyerMaker":${trade.takerSide === Side.sell},"isBestMatch":true}`
  );
}

/** One row of aggTrades. `M` is how clients know a spot row. */
export function aggregateText(trade: AggregateTrade, market: Market): string {
  return (
    `{"a":${trade.firstTradeId},"p":"${formatScaled(trade.price, market.tickDecimals)}"` +
    `,"q":"${formatScaled(trade.qty, market.lotDecimals)}","f":${trade.firstTradeId}` +
    `,"l":${trade.lastTradeId},"T":${msOf(trade.tsUs)},"m":${trade.takerSide === Side.sell},"M":true}`
  );
}

/** Best price and quantity of a side; zeros where it is empty. */
function touchText(view: MarketView, side: Side): readonly [price: string, qty: string] {
  const { tickDecimals, lotDecimals } = view.market;
  let texts = [formatScaled(0, tickDecimals), formatScaled(0, lotDecimals)] as const;
  view.depth.visit(side, 1, (price, qty) => {
    texts = [formatScaled(price, tickDecimals), formatScaled(qty, lotDecimals)];
  });
  return texts;
}

/** The four fields of the touch. */
function touchFields(view: MarketView): string {
  const [bidPrice, bidQty] = touchText(view, Side.buy);
  const [askPrice, askQty] = touchText(view, Side.sell);
  return `"bidPrice":"${bidPrice}","bidQty":"${bidQty}","askPrice":"${askPrice}","askQty":"${askQty}"`;
}

/** One row of ticker/bookTicker. */
export function bookTickerText(view: MarketView): string {
  return `{"symbol":"${view.market.symbol}",${touchFields(view)}}`;
}

/** One row of ticker/24hr in full. `bidQty` is how clients know a spot row. */
export function dayText(view: MarketView, window: TickerWindow): string {
  const { market } = view;
  const { statistics } = window;
  const figures = standing(statistics);
  const price = (ticks: number) => `"${formatScaled(ticks, market.tickDecimals)}"`;
  return (
    `{"symbol":"${market.symbol}",${changesText(market, statistics)}` +
    `,"prevClosePrice":${price(statistics.priceBefore)},"lastPrice":${price(figures.close)}` +
    `,"lastQty":"${formatScaled(statistics.lastQty, market.lotDecimals)}",${touchFields(view)}` +
    `,"openPrice":${price(figures.open)},"highPrice":${price(figures.high)},"lowPrice":${price(figures.low)}` +
    `,${volumesText(market, figures)},${boundsText(window)}}`
  );
}

/** One row of ticker and ticker/tradingDay in full. */
export function windowText({ market }: MarketView, window: TickerWindow): string {
  const figures = standing(window.statistics);
  const price = (ticks: number) => `"${formatScaled(ticks, market.tickDecimals)}"`;
  return (
    `{"symbol":"${market.symbol}",${changesText(market, window.statistics)}` +
    `,"openPrice":${price(figures.open)},"highPrice":${price(figures.high)},"lowPrice":${price(figures.low)}` +
    `,"lastPrice":${price(figures.close)},${volumesText(market, figures)},${boundsText(window)}}`
  );
}

/** One row of any windowed ticker with type=MINI. */
export function miniText({ market }: MarketView, window: TickerWindow): string {
  const figures = standing(window.statistics);
  const price = (ticks: number) => `"${formatScaled(ticks, market.tickDecimals)}"`;
  return (
    `{"symbol":"${market.symbol}","openPrice":${price(figures.open)},"highPrice":${price(figures.high)}` +
    `,"lowPrice":${price(figures.low)},"lastPrice":${price(figures.close)}` +
    `,${volumesText(market, figures)},${boundsText(window)}}`
  );
}
