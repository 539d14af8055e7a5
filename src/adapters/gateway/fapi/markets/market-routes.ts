// Public perpetual routes: ping, time, exchangeInfo, depth, trades, open interest, last, best and mark prices, funding,
// the last 24 hours. The answer for one symbol is an object; without a symbol, it is a list of all markets. Recent data
// comes from the read model, older data from SQL.

import { maybeSymbol, oneSymbol } from "../../../../../schemas/http/common.ts";
import {
  fapiAggregates,
  fapiDepth,
  fapiFundingRate,
  fapiHistoricalTrades,
  fapiTrades,
} from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind, type MarketTable, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots, formatScaled } from "../../../../core/money/amounts.ts";
import { Side } from "../../../../core/orders.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { FundingRecord } from "../../../../ports/journal/history-store.ts";
import {
  byLimit,
  bySymbol,
  fapiDepthSteps,
  queuedOrdersSteps,
} from "../../../../services/access/request-weight.ts";
import { AggregateReader, type AggregateTrade } from "../../market-data/aggregate-trades.ts";
import { DepthTexts } from "../../market-data/depth-texts.ts";
import { MarketStatistics } from "../../market-data/market-statistics.ts";
import { isListed } from "../../market-data/market-status.ts";
import { queuedOrdersText } from "../../market-data/queued-orders.ts";
import {
  lastPriceOf,
  type PriceRow,
  pricesText,
  shownStatistics,
} from "../../market-data/stand-in-price.ts";
import {
  boundsText,
  changesText,
  type TickerWindow,
  volumesText,
  windowFigures,
} from "../../market-data/window-text.ts";
import { msOf } from "../../orders/order-format.ts";
import { boundsOf, marketOf, marketsOf } from "../../requests/read-request.ts";
import { openRoute, routeGroup } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import { badCombination, refused } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { ExchangeInfo } from "./exchange-info.ts";
import {
  comingRateText,
  fundingHours,
  fundingRates,
  nextFundingMs,
  rateText,
} from "./funding-terms.ts";

const kind = MarketKind.perpetual;

/** The numbers of levels Binance offers; any other requested number is rounded up to the next one. */
const depthLimits: readonly number[] = [5, 10, 20, 50, 100, 500, 1000];

function offeredLimit(limit: number): number {
  return depthLimits.find((offered) => limit <= offered) ?? 1000;
}

/** `startTime` and `endTime` of aggTrades must be less than this number of milliseconds apart (as on Binance). */
const spanMaxMs = 3_600_000;

interface MarketParts extends RouteContext {
  readonly depthTexts: DepthTexts;
  readonly info: ExchangeInfo;
  readonly aggregates: AggregateReader;
  readonly statistics: MarketStatistics;
}

/** One row of trades and historicalTrades. */
function tradeText(trade: TapeTrade, market: Market): string {
  const { tickDecimals, lotDecimals, quote } = market;
  const value = orderValue(market, asPriceTicks(trade.price), asQtyLots(trade.qty));
  return (
    `{"id":${trade.tradeId},"price":"${formatScaled(trade.price, tickDecimals)}"` +
    `,"qty":"${formatScaled(trade.qty, lotDecimals)}"` +
    `,"quoteQty":"${formatScaled(value, quote.decimals)}","time":${msOf(trade.tsUs)}` +
    `,"isBuyerMaker":${trade.takerSide === Side.sell}}`
  );
}

/** One row of aggTrades. It has no field `M`, because clients recognise a spot row by this field. */
function aggregateText(trade: AggregateTrade, market: Market): string {
  return (
    `{"a":${trade.firstTradeId},"p":"${formatScaled(trade.price, market.tickDecimals)}"` +
    `,"q":"${formatScaled(trade.qty, market.lotDecimals)}","f":${trade.firstTradeId}` +
    `,"l":${trade.lastTradeId},"T":${msOf(trade.tsUs)},"m":${trade.takerSide === Side.sell}}`
  );
}

/** One row of ticker/24hr. It has no best bid and ask, because clients recognise a spot row by these fields. */
function dayText(market: Market, window: TickerWindow): string {
  const { statistics } = window;
  const figures = windowFigures(statistics);
  const price = (ticks: number) => `"${formatScaled(ticks, market.tickDecimals)}"`;
  return (
    `{"symbol":"${market.alias}",${changesText(market, statistics)},"lastPrice":${price(figures.close)}` +
    `,"lastQty":"${formatScaled(statistics.lastQty, market.lotDecimals)}"` +
    `,"openPrice":${price(figures.open)},"highPrice":${price(figures.high)},"lowPrice":${price(figures.low)}` +
    `,${volumesText(market, figures)},${boundsText(window)}}`
  );
}

function tradesText(trades: readonly TapeTrade[], market: Market): string {
  return `[${trades.map((trade) => tradeText(trade, market)).join(",")}]`;
}

function lastPriceRow(
  { model, marketClock }: RouteContext,
  market: Market,
  call: HttpCall,
): PriceRow {
  const last = lastPriceOf(model, market, call);
  const traded = model.view(market).tape.newest();
  const timeMs = traded === undefined ? marketClock.nowMs() : msOf(traded.tsUs);
  const price = formatScaled(last, market.tickDecimals);
  const text = `{"symbol":"${market.alias}","price":"${price}","time":${timeMs}}`;
  return { text, hasPrice: last > 0 };
}

/** The best price and quantity of an empty side are zeros, as on Binance. */
function bookTickerRow({ model }: RouteContext, market: Market): PriceRow {
  const view = model.view(market);
  const touch = (side: Side) => {
    let best = { price: 0, qty: 0 };
    view.depth.visit(side, 1, (price, qty) => {
      best = { price, qty };
    });
    return best;
  };
  const [bid, ask] = [touch(Side.buy), touch(Side.sell)];
  const price = (ticks: number) => formatScaled(ticks, market.tickDecimals);
  const qty = (lots: number) => formatScaled(lots, market.lotDecimals);
  const text =
    `{"lastUpdateId":${view.depthSeq},"symbol":"${market.alias}"` +
    `,"bidPrice":"${price(bid.price)}","bidQty":"${qty(bid.qty)}"` +
    `,"askPrice":"${price(ask.price)}","askQty":"${qty(ask.qty)}","time":${msOf(view.depthUs)}}`;
  return { text, hasPrice: true };
}

/** Perpetual contracts are never settled, so the estimated settlement price is the index. */
function premiumRow(
  { model, marketClock }: RouteContext,
  market: Market,
  call: HttpCall,
): PriceRow {
  const nowMs = marketClock.nowMs();
  const mark = model.mark(market);
  const known = model.index(market);
  // If the index is unknown, clients of the compat view get the mark instead of a zero.
  const index = formatScaled(
    known === 0 && call.view === "compat" ? mark : known,
    market.tickDecimals,
  );
  const text =
    `{"symbol":"${market.alias}","markPrice":"${formatScaled(mark, market.tickDecimals)}"` +
    `,"indexPrice":"${index}","estimatedSettlePrice":"${index}"` +
    `,"lastFundingRate":"${comingRateText(model, market)}","interestRate":"${fundingRates.interest}"` +
    `,"nextFundingTime":${nextFundingMs(model, nowMs)},"time":${nowMs}}`;
  return { text, hasPrice: mark > 0 };
}

function fundingInfoText({ model }: RouteContext, market: Market): string {
  return (
    `{"symbol":"${market.alias}","adjustedFundingRateCap":"${fundingRates.cap}"` +
    `,"adjustedFundingRateFloor":"${fundingRates.floor}"` +
    `,"fundingIntervalHours":${fundingHours(model)},"disclaimer":false}`
  );
}

function fundingText({ market: id, tsUs, rate, mark }: FundingRecord, table: MarketTable): string {
  const market = table.market(id);
  return (
    `{"symbol":"${market.alias}","fundingTime":${msOf(tsUs)},"fundingRate":"${rateText(rate)}"` +
    `,"markPrice":"${formatScaled(mark, market.tickDecimals)}"}`
  );
}

type MarketRow = (context: RouteContext, market: Market, call: HttpCall) => PriceRow;

/** Returns the named market or, without a name, all listed markets, and whether the answer is an object or a list. */
function selectionOf(context: RouteContext, symbol: string | undefined) {
  const markets = marketsOf(context.table, kind, symbol, (market) => isListed(context, market));
  const isOne = symbol !== undefined;
  return { markets, isOne, isAll: !isOne };
}

/** Answers one row or a list of rows. */
function inRows(row: MarketRow) {
  return (
    context: MarketParts,
    call: HttpCall,
    { symbol }: { readonly symbol?: string | undefined },
  ): string => {
    const selection = selectionOf(context, symbol);
    return pricesText(
      call,
      selection.markets.map((market) => row(context, market, call)),
      selection,
    );
  };
}

function isSpan(spanMs: number): boolean {
  return spanMs >= 0 && spanMs < spanMaxMs;
}

/** The public routes of the perpetual surface, except klines and the sampled figures of /futures/data. */
export const fapiMarketRoutes = routeGroup(
  (context): MarketParts => ({
    ...context,
    depthTexts: new DepthTexts(),
    info: new ExchangeInfo(context),
    aggregates: new AggregateReader(context.model, context.history),
    statistics: new MarketStatistics(context.model, context.history),
  }),
)([
  openRoute("GET /fapi/v1/ping", {
    summary: "Tests connectivity; returns an empty object.",
    session: "ping",
    answer: () => "{}",
  }),
  openRoute("GET /fapi/v1/time", {
    summary: "The venue's time.",
    session: "time",
    answer: ({ clock }) => `{"serverTime":${clock.nowMs()}}`,
  }),
  openRoute("GET /fapi/v1/exchangeInfo", {
    summary: "The perpetual markets.",
    weight: 10,
    answer: ({ info }, call) => info.text(call),
  }),
  openRoute("GET /fapi/v1/depth", {
    summary: "The best levels of a book.",
    weight: byLimit(fapiDepthSteps, 500),
    reads: fapiDepth,
    session: "depth",
    example: "symbol=BTCUSDT&limit=5",
    answer: ({ table, model, marketClock, depthTexts }, _, { symbol, limit }) => {
      const view = model.view(marketOf(table, kind, symbol));
      const levels = depthTexts.levels(view, offeredLimit(limit));
      const nowMs = marketClock.nowMs();
      return `{"lastUpdateId":${view.depthSeq},"E":${nowMs},"T":${msOf(view.depthUs)},${levels}}`;
    },
  }),
  openRoute("GET /fapi/v1/depth/orders", {
    summary: "The best orders of a book, each in its place in the queue.",
    weight: byLimit(queuedOrdersSteps, 500),
    reads: fapiDepth,
    onlyIn: "compat",
    session: "depth.orders",
    example: "symbol=BTCUSDT&limit=5",
    answer: ({ table, model }, { view: surface }, { symbol, limit }) =>
      queuedOrdersText(model, model.view(marketOf(table, kind, symbol)), { limit, surface }),
  }),
  openRoute("GET /fapi/v1/trades", {
    summary: "The newest trades of a market.",
    weight: 5,
    reads: fapiTrades,
    example: "symbol=BTCUSDT&limit=10",
    answer: ({ table, model }, _, { symbol, limit }) => {
      const market = marketOf(table, kind, symbol);
      return tradesText(model.view(market).tape.latest(limit), market);
    },
  }),
  openRoute("GET /fapi/v1/historicalTrades", {
    summary: "Trades of a market from an id on.",
    weight: 20,
    reads: fapiHistoricalTrades,
    example: "symbol=BTCUSDT&limit=10",
    answer: async ({ table, history }, _, { symbol, fromId = null, limit }) => {
      const market = marketOf(table, kind, symbol);
      const range = { beforeTradeId: null, startUs: null, endUs: null };
      const query = { market: market.id, fromTradeId: fromId, ...range, limit };
      return tradesText(await history.trades(query), market);
    },
  }),
  openRoute("GET /fapi/v1/openInterest", {
    summary: "Open interest of a market.",
    reads: oneSymbol,
    example: "symbol=BTCUSDT",
    answer: ({ table, model, marketClock }, _, { symbol }) => {
      const market = marketOf(table, kind, symbol);
      const lots = model.state.positions.openInterest(market.id);
      const openInterest = formatScaled(lots, market.lotDecimals);
      return `{"symbol":"${market.alias}","openInterest":"${openInterest}","time":${marketClock.nowMs()}}`;
    },
  }),
  openRoute("GET /fapi/v1/ticker/price", {
    summary: "Last prices.",
    weight: bySymbol(1, 2),
    reads: maybeSymbol,
    session: "ticker.price",
    form: "rows",
    answer: inRows(lastPriceRow),
  }),
  openRoute("GET /fapi/v2/ticker/price", {
    summary: "Last prices.",
    weight: bySymbol(1, 2),
    reads: maybeSymbol,
    form: "rows",
    answer: inRows(lastPriceRow),
  }),
  openRoute("GET /fapi/v1/ticker/bookTicker", {
    summary: "Best prices.",
    weight: bySymbol(2, 5),
    reads: maybeSymbol,
    session: "ticker.book",
    form: "rows",
    answer: inRows(bookTickerRow),
  }),
  openRoute("GET /fapi/v1/premiumIndex", {
    summary: "Mark price and funding.",
    weight: bySymbol(1, 10),
    reads: maybeSymbol,
    example: "symbol=BTCUSDT",
    form: "rows",
    answer: inRows(premiumRow),
  }),
  // Rates of past funding settlements, oldest first: the settlements from `startTime` on or, without it, the newest
  // ones.
  openRoute("GET /fapi/v1/fundingRate", {
    summary: "Funding rate history.",
    reads: fapiFundingRate,
    example: "symbol=BTCUSDT&limit=10",
    answer: async ({ table, history }, _, selection) => {
      const markets = marketsOf(table, kind, selection.symbol).map(({ id }) => id);
      const rows = await history.fundings({
        markets,
        ...boundsOf(selection),
        limit: selection.limit,
      });
      return `[${rows.map((row) => fundingText(row, table)).join(",")}]`;
    },
  }),
  openRoute("GET /fapi/v1/fundingInfo", {
    summary: "Funding terms by market.",
    answer: (context) => {
      const { markets } = selectionOf(context, undefined);
      return `[${markets.map((market) => fundingInfoText(context, market)).join(",")}]`;
    },
  }),
  openRoute("GET /fapi/v1/aggTrades", {
    summary: "Aggregate trades of a market: trades of one order at one price count as one.",
    weight: 20,
    reads: fapiAggregates,
    example: "symbol=BTCUSDT&limit=10",
    answer: async ({ table, aggregates }, _, selection) => {
      const market = marketOf(table, kind, selection.symbol);
      const { fromId, startTime, endTime, limit } = selection;
      const hasTimes = startTime !== undefined || endTime !== undefined;
      const spanMs = (endTime ?? 0) - (startTime ?? 0);
      const isBadSpan = startTime !== undefined && endTime !== undefined && !isSpan(spanMs);
      if ((fromId !== undefined && hasTimes) || isBadSpan) refused(badCombination);
      const query = { fromId: fromId ?? null, ...boundsOf(selection), limit };
      const rows = await aggregates.read(market, query);
      return `[${rows.map((row) => aggregateText(row, market)).join(",")}]`;
    },
  }),
  openRoute("GET /fapi/v1/ticker/24hr", {
    summary: "Statistics of the last 24 hours.",
    weight: bySymbol(1, 40),
    reads: maybeSymbol,
    form: "rows",
    answer: async (context, call, { symbol }) => {
      const { model, marketClock, statistics } = context;
      const selection = selectionOf(context, symbol);
      const nowMs = marketClock.nowMs();
      const days = await Promise.all(
        selection.markets.map((market) => statistics.lastDay(market, nowMs)),
      );
      const rows = days.map((found, at) => {
        const market = selection.markets[at] as Market;
        const shown = shownStatistics(model, market, { statistics: found, call });
        const hasPrice = windowFigures(shown).close > 0;
        return { text: dayText(market, { statistics: shown, nowMs }), hasPrice };
      });
      return pricesText(call, rows, selection);
    },
  }),
]);
