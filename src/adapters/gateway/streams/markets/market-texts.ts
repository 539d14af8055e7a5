// Payloads of market data as JSON text (docs/spec/streams.md). Spot and futures differ as on Binance: in futures frames
// the symbol has no hyphen, the field `M` is missing, and depth frames also have `pu`, the update id of the frame
// before. Every inserted text was made by the venue.

import { type Market, MarketKind } from "../../../../core/markets.ts";
import { Side } from "../../../../core/orders.ts";
import type { Candle } from "../../../../engine/market-data/candles.ts";
import type { DepthChanges, LevelVisitor } from "../../../../engine/market-data/depth-book.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import { meanPriceText } from "../../fapi/orders/order-text.ts";
import type { WindowStatistics } from "../../market-data/market-statistics.ts";
import {
  averageMinutes,
  percentText,
  meanPriceText as windowMeanText,
} from "../../market-data/window-text.ts";
import {
  msOf,
  priceText,
  qtyText,
  quoteText,
  type ShownMarket,
  sideNames,
  statusName,
} from "../../orders/order-format.ts";
import type { MarketView } from "../../read-model.ts";

/** A market's current data with the number format of a view. */
export interface ShownView {
  readonly market: ShownMarket;
  readonly now: MarketView;
}

/** The symbol in the format of its surface. */
export function symbolOf(market: Market): string {
  return market.kind === MarketKind.spot ? market.symbol : market.alias;
}

function isSpot(market: Market): boolean {
  return market.kind === MarketKind.spot;
}

function price(market: ShownMarket, ticks: number): string {
  return `"${priceText(market, ticks)}"`;
}

function qty(market: ShownMarket, lots: number): string {
  return `"${qtyText(market, lots)}"`;
}

function quote(market: ShownMarket, units: bigint): string {
  return `"${quoteText(market, units)}"`;
}

/** One trade. */
export function tradeText(market: ShownMarket, trade: TapeTrade, nowMs: number): string {
  const isBuyerMaker = trade.takerSide === Side.sell;
  const timeMs = msOf(trade.tsUs);
  const figures = `"t":${trade.tradeId},"p":${price(market, trade.price)},"q":${qty(market, trade.qty)}`;
  return isSpot(market)
    ? `{"e":"trade","E":${nowMs},"s":"${market.symbol}",${figures},"T":${timeMs},"m":${isBuyerMaker},"M":true}`
    : `{"e":"trade","E":${nowMs},"T":${timeMs},"s":"${market.alias}",${figures},"X":"MARKET","m":${isBuyerMaker}}`;
}

/** Consecutive trades of one incoming order at one price. */
export interface TradeRun {
  readonly first: TapeTrade;
  lastId: number;
  qty: number;
}

export function runText(market: ShownMarket, run: TradeRun, nowMs: number): string {
  const { first } = run;
  return (
    `{"e":"aggTrade","E":${nowMs},"s":"${symbolOf(market)}","a":${first.tradeId}` +
    `,"p":${price(market, first.price)},"q":${qty(market, run.qty)}` +
    `,"f":${first.tradeId},"l":${run.lastId},"T":${msOf(first.tsUs)}` +
    `,"m":${first.takerSide === Side.sell}${isSpot(market) ? ',"M":true' : ""}}`
  );
}

/** First and last trade ids of a bucket; 0 if none of the bucket's trades is known. */
export interface TradeIds {
  firstId: number;
  lastId: number;
}

/**
 * The two forms of a candle frame: candles of a symbol, or candles of a pair's continuous contract. For a perpetual
 * both have the same figures.
 */
export type CandleForm = "kline" | "continuousKline";

export interface CandleTerms {
  readonly interval: string;
  readonly form: CandleForm;
  readonly closeTimeMs: number;
  readonly isClosed: boolean;
  readonly ids: TradeIds;
}

export function candleText(
  market: ShownMarket,
  bucket: Candle,
  { interval, form, closeTimeMs, isClosed, ids }: CandleTerms,
  nowMs: number,
): string {
  const symbol = symbolOf(market);
  const isOwn = form === "kline";
  const head = isOwn
    ? `{"e":"kline","E":${nowMs},"s":"${symbol}"`
    : `{"e":"continuous_kline","E":${nowMs},"ps":"${symbol}","ct":"PERPETUAL"`;
  return (
    `${head},"k":{"t":${bucket.openTimeMs},"T":${closeTimeMs}${isOwn ? `,"s":"${symbol}"` : ""}` +
    `,"i":"${interval}","f":${ids.firstId},"L":${ids.lastId}` +
    `,"o":${price(market, bucket.open)},"c":${price(market, bucket.close)}` +
    `,"h":${price(market, bucket.high)},"l":${price(market, bucket.low)}` +
    `,"v":${qty(market, bucket.volume)},"n":${bucket.count},"x":${isClosed}` +
    `,"q":${quote(market, bucket.quote)},"V":${qty(market, bucket.takerBuyVolume)}` +
    `,"Q":${quote(market, bucket.takerBuyQuote)},"B":"0"}}`
  );
}

/** Price and quantity of the best level of a side; zeros if the side is empty. */
function bestOf({ market, now }: ShownView, side: Side): { price: string; qty: string } {
  const { depth } = now;
  const ticks = depth.best(side);
  return { price: price(market, ticks), qty: qty(market, depth.qtyAt(side, ticks)) };
}

/** The current best bid and ask of a market. If this text is unchanged, they are unchanged. */
export function bestText(view: ShownView): string {
  const bid = bestOf(view, Side.buy);
  const ask = bestOf(view, Side.sell);
  return `"b":${bid.price},"B":${bid.qty},"a":${ask.price},"A":${ask.qty}`;
}

export function bookTickerText(view: ShownView, best: string, nowMs: number): string {
  const { market, now } = view;
  const { depthSeq, depthUs } = now;
  const head = isSpot(market)
    ? `{"u":${depthSeq},`
    : `{"e":"bookTicker","E":${nowMs},"T":${msOf(depthUs)},"u":${depthSeq},`;
  return `${head}"s":"${symbolOf(market)}",${best}}`;
}

/** Prices of a window; without a trade in the window, every price is the last known one. */
function pricesOf(view: ShownView, day: WindowStatistics) {
  const known = view.now.tape.newest()?.price ?? day.priceBefore;
  const { open, high, low, close } = day.traded ?? {
    open: known,
    high: known,
    low: known,
    close: known,
  };
  return { open, high, low, close };
}

export function tickerText(view: ShownView, day: WindowStatistics, nowMs: number): string {
  const { market } = view;
  const { open, high, low, close } = pricesOf(view, day);
  const { volume, quote: value, count } = day.traded ?? { volume: 0, quote: 0n, count: 0 };
  const change = close - open;
  const average = windowMeanText(market, { quote: value, volume, price: close });
  const spotOnly = isSpot(market)
    ? `"x":${price(market, day.priceBefore || open)},${bestText(view)},`
    : "";
  return (
    `{"e":"24hrTicker","E":${nowMs},"s":"${symbolOf(market)}","p":${price(market, change)}` +
    `,"P":"${percentText(change, open)}","w":"${average}",${spotOnly}` +
    `"c":${price(market, close)},"Q":${qty(market, day.lastQty)},"o":${price(market, open)}` +
    `,"h":${price(market, high)},"l":${price(market, low)}` +
    `,"v":${qty(market, volume)},"q":${quote(market, value)}` +
    `,"O":${day.startMs},"C":${nowMs},"F":${day.firstTradeId},"L":${day.lastTradeId},"n":${count}}`
  );
}

/** Ticker of a window of one or several hours or of a day. The window begins on a whole minute and ends now. */
export function windowTickerText(
  view: ShownView,
  { name, window }: { name: string; window: WindowStatistics },
  nowMs: number,
): string {
  const { market } = view;
  const { open, high, low, close } = pricesOf(view, window);
  const { volume, quote: value, count } = window.traded ?? { volume: 0, quote: 0n, count: 0 };
  return (
    `{"e":"${name}Ticker","E":${nowMs},"s":"${symbolOf(market)}","p":${price(market, close - open)}` +
    `,"P":"${percentText(close - open, open)}","o":${price(market, open)},"h":${price(market, high)}` +
    `,"l":${price(market, low)},"c":${price(market, close)}` +
    `,"w":"${windowMeanText(market, { quote: value, volume, price: close })}"` +
    `,"v":${qty(market, volume)},"q":${quote(market, value)},"O":${window.startMs},"C":${nowMs}` +
    `,"F":${window.firstTradeId},"L":${window.lastTradeId},"n":${count}}`
  );
}

/** Frame with the average price of the last five minutes; `average` is that price as text. */
export function averageText(
  market: Market,
  average: string,
  { nowMs, tradeMs }: { nowMs: number; tradeMs: number },
): string {
  return (
    `{"e":"avgPrice","E":${nowMs},"s":"${symbolOf(market)}","i":"${averageMinutes}m"` +
    `,"w":"${average}","T":${tradeMs}}`
  );
}

export function miniTickerText(view: ShownView, day: WindowStatistics, nowMs: number): string {
  const { market } = view;
  const { open, high, low, close } = pricesOf(view, day);
  const { volume, quote: value } = day.traded ?? { volume: 0, quote: 0n };
  return (
    `{"e":"24hrMiniTicker","E":${nowMs},"s":"${symbolOf(market)}","c":${price(market, close)}` +
    `,"o":${price(market, open)},"h":${price(market, high)},"l":${price(market, low)}` +
    `,"v":${qty(market, volume)},"q":${quote(market, value)}}`
  );
}

/** The levels that `visit` reports, as joined rows `["price","qty"]`. */
function rows(market: ShownMarket, visit: (visitor: LevelVisitor) => void): string {
  const texts: string[] = [];
  visit((ticks, lots) => texts.push(`[${price(market, ticks)},${qty(market, lots)}]`));
  return texts.join(",");
}

/** Update ids of a depth frame: the first and last id it covers, and the last id of the previous frame. */
export interface DepthSpan {
  readonly first: number;
  readonly last: number;
  readonly before: number;
}

function depthHead({ market, now }: ShownView, span: DepthSpan, nowMs: number): string {
  const { first, last, before } = span;
  const head = `{"e":"depthUpdate","E":${nowMs}`;
  return isSpot(market)
    ? `${head},"s":"${market.symbol}","U":${first},"u":${last}`
    : `${head},"T":${msOf(now.depthUs)},"s":"${market.alias}","U":${first},"u":${last},"pu":${before}`;
}

/** Every level that changed since the last call, with its current quantity. */
export function depthChangeText(
  view: ShownView,
  { span, changes }: { readonly span: DepthSpan; readonly changes: DepthChanges },
  nowMs: number,
): string {
  const { market } = view;
  const bids = rows(market, (visitor) => changes.take(Side.buy, visitor));
  const asks = rows(market, (visitor) => changes.take(Side.sell, visitor));
  return `${depthHead(view, span, nowMs)},"b":[${bids}],"a":[${asks}]}`;
}

/**
 * The best `limit` levels per side. `mark` is an extra field, which says in the first frame of a stream that the frame
 * contains the whole book.
 */
export function depthLevelsText(
  view: ShownView,
  { span, limit, mark }: { span: DepthSpan; limit: number; mark: string },
  nowMs: number,
): string {
  const { market, now } = view;
  const { depth } = now;
  const bids = rows(market, (visitor) => depth.visit(Side.buy, limit, visitor));
  const asks = rows(market, (visitor) => depth.visit(Side.sell, limit, visitor));
  return `${depthHead(view, span, nowMs)},"b":[${bids}],"a":[${asks}]${mark}}`;
}

/** A perpetual's mark and related figures. */
export interface MarkFigures {
  /** Mark in ticks. */
  readonly mark: number;
  /** Index in ticks; 0 if the index is unknown. */
  readonly index: number;
  /** The funding rate of the next settlement as text. */
  readonly rate: string;
  readonly nextFundingMs: number;
}

export function markText(
  market: ShownMarket,
  { mark, index, rate, nextFundingMs }: MarkFigures,
  nowMs: number,
): string {
  return (
    `{"e":"markPriceUpdate","E":${nowMs},"s":"${symbolOf(market)}","p":${price(market, mark)}` +
    `,"ap":${price(market, mark)},"P":${price(market, mark)},"i":${price(market, index || mark)}` +
    `,"r":"${rate}","T":${nextFundingMs}}`
  );
}

/** A liquidation, shown as the order that closed the position; `lastQty` is that order's last fill in lots. */
export function forceOrderText(
  market: ShownMarket,
  order: OrderRecord,
  lastQty: number,
  nowMs: number,
): string {
  const mean = meanPriceText(order.filledQuote, order.filledQty, market);
  return (
    `{"e":"forceOrder","E":${nowMs},"o":{"s":"${symbolOf(market)}","S":"${sideNames[order.side]}"` +
    `,"o":"LIMIT","f":"IOC","q":${qty(market, order.qty)},"p":${price(market, order.price)}` +
    `,"ap":"${mean}","X":"${statusName(order)}","l":${qty(market, lastQty)}` +
    `,"z":${qty(market, order.filledQty)},"T":${msOf(order.updatedUs)}}}`
  );
}
