// Public market data of the spot surface as JSON text. Every inserted text was made by the venue, so nothing
// needs escaping.

import { orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";
import type { TapeTrade } from "../../../engine/market-data/trade-tape.ts";
import type { AggregateTrade } from "../market-data/aggregate-trades.ts";
import {
  boundsText,
  changesText,
  type TickerWindow,
  volumesText,
  windowFigures,
} from "../market-data/window-text.ts";
import { msOf, priceText, qtyText, quoteText, type ShownMarket } from "../orders/order-format.ts";
import type { MarketView } from "../read-model.ts";

/** One row of GET trades. */
export function tradeText(trade: TapeTrade, market: ShownMarket): string {
  const value = orderValue(market, asPriceTicks(trade.price), asQtyLots(trade.qty));
  return (
    `{"id":${trade.tradeId},"price":"${priceText(market, trade.price)}"` +
    `,"qty":"${qtyText(market, trade.qty)}"` +
    `,"quoteQty":"${quoteText(market, value)}","time":${msOf(trade.tsUs)}` +
    `,"isBuyerMaker":${trade.takerSide === Side.sell},"isBestMatch":true}`
  );
}

/** One row of aggTrades. It has a field `M`, by which clients recognise a spot row. */
export function aggregateText(trade: AggregateTrade, market: ShownMarket): string {
  return (
    `{"a":${trade.firstTradeId},"p":"${priceText(market, trade.price)}"` +
    `,"q":"${qtyText(market, trade.qty)}","f":${trade.firstTradeId}` +
    `,"l":${trade.lastTradeId},"T":${msOf(trade.tsUs)},"m":${trade.takerSide === Side.sell},"M":true}`
  );
}

/** A market in the format of a view, and its book. */
export type ShownView = Pick<MarketView, "depth"> & { readonly market: ShownMarket };

/** Best price and quantity of a side; zeros if the side is empty. */
function touchText(
  { market, depth }: ShownView,
  side: Side,
): readonly [price: string, qty: string] {
  let texts = [priceText(market, 0), qtyText(market, 0)] as const;
  depth.visit(side, 1, (price, qty) => {
    texts = [priceText(market, price), qtyText(market, qty)];
  });
  return texts;
}

/** The four fields of the best bid and ask. */
function touchFields(view: ShownView): string {
  const [bidPrice, bidQty] = touchText(view, Side.buy);
  const [askPrice, askQty] = touchText(view, Side.sell);
  return `"bidPrice":"${bidPrice}","bidQty":"${bidQty}","askPrice":"${askPrice}","askQty":"${askQty}"`;
}

/** One row of ticker/bookTicker. */
export function bookTickerText(view: ShownView): string {
  return `{"symbol":"${view.market.symbol}",${touchFields(view)}}`;
}

/** One row of ticker/24hr with all fields. Clients recognise a spot row by `bidQty`. */
export function dayText(view: ShownView, window: TickerWindow): string {
  const { market } = view;
  const { statistics } = window;
  const figures = windowFigures(statistics);
  const price = (ticks: number) => `"${priceText(market, ticks)}"`;
  return (
    `{"symbol":"${market.symbol}",${changesText(market, statistics)}` +
    `,"prevClosePrice":${price(statistics.priceBefore)},"lastPrice":${price(figures.close)}` +
    `,"lastQty":"${qtyText(market, statistics.lastQty)}",${touchFields(view)}` +
    `,"openPrice":${price(figures.open)},"highPrice":${price(figures.high)},"lowPrice":${price(figures.low)}` +
    `,${volumesText(market, figures)},${boundsText(window)}}`
  );
}

/** One row of ticker and ticker/tradingDay with all fields. */
export function windowText({ market }: ShownView, window: TickerWindow): string {
  const figures = windowFigures(window.statistics);
  const price = (ticks: number) => `"${priceText(market, ticks)}"`;
  return (
    `{"symbol":"${market.symbol}",${changesText(market, window.statistics)}` +
    `,"openPrice":${price(figures.open)},"highPrice":${price(figures.high)},"lowPrice":${price(figures.low)}` +
    `,"lastPrice":${price(figures.close)},${volumesText(market, figures)},${boundsText(window)}}`
  );
}

/** One row of any window ticker with type=MINI. */
export function miniText({ market }: ShownView, window: TickerWindow): string {
  const figures = windowFigures(window.statistics);
  const price = (ticks: number) => `"${priceText(market, ticks)}"`;
  return (
    `{"symbol":"${market.symbol}","openPrice":${price(figures.open)},"highPrice":${price(figures.high)}` +
    `,"lowPrice":${price(figures.low)},"lastPrice":${price(figures.close)}` +
    `,${volumesText(market, figures)},${boundsText(window)}}`
  );
}
