// Klines of any interval, built from stored buckets of 1m, 1h and 1d, and from trades for 1s. The rows come from memory
// if it holds the whole window, otherwise from SQL. After a market's first trade, a bucket without a trade is a flat
// row at the last price; there are no rows before the first trade. For the native surface, only the newest buckets that
// contain a trade are returned.

import { klineBucketsRead, klineTradesRead } from "../../../core/limits.ts";
import { type Market, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import { PriceSeries } from "../../../core/price-series.ts";
import { allJoined, type Candle, Candles } from "../../../engine/market-data/candles.ts";
import type { HistoryStore, TapeRecord } from "../../../ports/journal/history-store.ts";
import type { ReadModel } from "../read-model.ts";
import {
  type KlineInterval,
  klineStart,
  klineStartAfter,
  storedIntervalOf,
} from "./kline-interval.ts";

export interface KlineQuery {
  readonly market: Market;
  readonly interval: KlineInterval;
  /** Offset of the buckets' time zone: milliseconds ahead of UTC. */
  readonly offsetMs: number;
  /** First open time; null selects the newest rows. */
  readonly startMs: number | null;
  /** Last open time; null stands for the current time. */
  readonly endMs: number | null;
  readonly limit: number;
  readonly nowMs: number;
}

/** A row and the last millisecond of its bucket. */
export interface Kline {
  readonly candle: Candle;
  readonly closeTimeMs: number;
}

/** Buckets from `fromMs` (inclusive) to `toMs` (exclusive). */
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

function flat(openTimeMs: number, price: number): Candle {
  return {
    openTimeMs,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: 0,
    quote: 0n,
    count: 0,
    takerBuyVolume: 0,
    takerBuyQuote: 0n,
  };
}

/** One-second buckets of trades, in the form of the stored buckets of other intervals. */
function secondsOf(market: Market, trades: readonly TapeRecord[]): readonly Candle[] {
  const candles = new Candles(1000);
  for (const trade of trades) {
    const quote = orderValue(market, asPriceTicks(trade.price), asQtyLots(trade.qty));
    candles.add({ ...trade, quote });
  }
  return candles.since(-1);
}

export class KlineReader {
  readonly #model: ReadModel;
  readonly #history: HistoryStore;
  readonly #series: PriceSeries;
  /** Time of each market's first trade in milliseconds, which never changes. */
  readonly #firstTrades = new Map<number, number>();

  /** Reads klines of trades or, only from SQL, of a perpetual's mark, index or premium. */
  constructor(model: ReadModel, history: HistoryStore, series: PriceSeries = PriceSeries.trades) {
    this.#model = model;
    this.#history = history;
    this.#series = series;
  }

  /** Reads rows in ascending order: the oldest from `startMs` on or, without `startMs`, the newest up to `endMs`. */
  async read(query: KlineQuery): Promise<Kline[]> {
    const { market, interval, offsetMs } = query;
    const storedMs = storedIntervalOf(interval, offsetMs);
    const requestedSpan = await this.#spanOf(query, storedMs);
    if (requestedSpan === null) return [];
    const { span, stored } =
      storedMs === 0
        ? await this.#seconds(query, requestedSpan)
        : { span: requestedSpan, stored: await this.#buckets(query, storedMs, requestedSpan) };
    const carried = await this.#priceBefore(market, storedMs, span.fromMs);
    return rowsOf(query, { span, stored, carried });
  }

  /** The requested buckets, limited to existing ones and to what one request may read; null if there are none. */
  async #spanOf(query: KlineQuery, storedMs: number): Promise<Span | null> {
    const { market, interval, offsetMs, startMs, endMs, nowMs } = query;
    const perRow = Math.max(1, interval.ms / (storedMs || interval.ms));
    const limit = Math.max(1, Math.min(query.limit, Math.floor(klineBucketsRead / perRow)));
    const lastMs = klineStart(interval, Math.min(endMs ?? nowMs, nowMs), offsetMs);
    const on = (from: number, count: number) =>
      klineStartAfter(interval, { startMs: from, count, offsetMs });
    if (startMs === null) return { fromMs: on(lastMs, 1 - limit), toMs: on(lastMs, 1) };
    const first = await this.#firstTradeMs(market);
    if (first === null) return null;
    const held = klineStart(interval, Math.max(startMs, first), offsetMs);
    const fromMs = held < startMs ? on(held, 1) : held;
    if (fromMs > lastMs) return null;
    return { fromMs, toMs: Math.min(on(fromMs, limit), on(lastMs, 1)) };
  }

  async #buckets(query: KlineQuery, storedMs: number, span: Span): Promise<readonly Candle[]> {
    const { market, interval, offsetMs } = query;
    const { fromMs, toMs } = span;
    const held = this.#held(market, storedMs);
    if (held !== undefined && held.completeFromMs <= fromMs) {
      return held.since(fromMs - 1).filter(({ openTimeMs }) => openTimeMs < toMs);
    }
    const stored = { market: market.id + this.#series, intervalMs: storedMs, fromMs, toMs };
    if (interval.isMonth || interval.ms === storedMs) {
      return this.#history.candlesBetween({ ...stored, limit: klineBucketsRead });
    }
    const anchorMs = interval.anchorMs - offsetMs;
    return this.#history.foldedCandles({ ...stored, widthMs: interval.ms, anchorMs });
  }

  /**
   * Reads trades as one-second buckets, with the span that they cover. One request reads at most `klineTradesRead`
   * trades. If there are more, the span ends early or, if the newest rows are requested, begins late.
   */
  async #seconds({ market, startMs }: KlineQuery, span: Span) {
    const ids = { market: market.id, fromTradeId: null, beforeTradeId: null };
    const startUs = startMs === null ? null : span.fromMs * 1000;
    const times = { startUs, endUs: span.toMs * 1000 };
    const trades = await this.#history.trades({ ...ids, ...times, limit: klineTradesRead });
    const read = secondsOf(market, trades);
    const isCut = trades.length === klineTradesRead;
    const fromMs = isCut && startMs === null ? (read[1]?.openTimeMs ?? span.toMs) : span.fromMs;
    const toMs = isCut && startMs !== null ? (read.at(-1)?.openTimeMs ?? span.toMs) : span.toMs;
    const stored = read.filter(({ openTimeMs }) => openTimeMs >= span.fromMs);
    return { span: { fromMs: Math.max(fromMs, span.fromMs), toMs }, stored };
  }

  /** The last price before `beforeMs`; null if there was none. */
  async #priceBefore(market: Market, storedMs: number, beforeMs: number): Promise<number | null> {
    if (storedMs === 0) {
      const times = { startUs: null, endUs: beforeMs * 1000 };
      const ids = { fromTradeId: null, beforeTradeId: null };
      const [trade] = await this.#history.trades({ market: market.id, ...ids, ...times, limit: 1 });
      return trade?.price ?? null;
    }
    const held = this.#held(market, storedMs);
    const earlier = held?.before(beforeMs);
    if (earlier !== undefined) return earlier.close;
    if (held?.completeFromMs === 0) return null;
    const id = market.id + this.#series;
    return (await this.#history.candleBefore(id, storedMs, beforeMs))?.close ?? null;
  }

  async #firstTradeMs(market: Market): Promise<number | null> {
    const known = this.#firstTrades.get(market.id);
    if (known !== undefined) return known;
    const firstMs = await this.#readFirstMs(market);
    if (firstMs !== null) this.#firstTrades.set(market.id, firstMs);
    return firstMs;
  }

  async #readFirstMs({ id }: Market): Promise<number | null> {
    if (this.#series !== PriceSeries.trades) {
      const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: 1 };
      const minutes = { market: id + this.#series, intervalMs: 60_000 };
      const [bucket] = await this.#history.candlesBetween({ ...minutes, ...all });
      return bucket?.openTimeMs ?? null;
    }
    const ids = { market: id, fromTradeId: null, beforeTradeId: null };
    const [first] = await this.#history.trades({ ...ids, startUs: 0, endUs: null, limit: 1 });
    return first === undefined ? null : Math.floor(first.tsUs / 1000);
  }

  #held(market: Market, storedMs: number): Candles | undefined {
    if (this.#series !== PriceSeries.trades) return undefined;
    return this.#model.view(market).candles.find(({ intervalMs }) => intervalMs === storedMs);
  }
}

/** Folds stored buckets into rows and adds flat rows for buckets in which nothing traded. */
function rowsOf(
  { interval, offsetMs }: KlineQuery,
  { span, stored, carried }: { span: Span; stored: readonly Candle[]; carried: number | null },
): Kline[] {
  const rows: Kline[] = [];
  let price = carried;
  let at = 0;
  for (let openMs = span.fromMs; openMs < span.toMs; ) {
    const nextMs = klineStartAfter(interval, { startMs: openMs, count: 1, offsetMs });
    const from = at;
    while ((stored[at]?.openTimeMs ?? nextMs) < nextMs) at++;
    const traded = allJoined(stored.slice(from, at));
    price = traded?.close ?? price;
    if (price !== null) {
      const candle = traded === null ? flat(openMs, price) : { ...traded, openTimeMs: openMs };
      rows.push({ candle, closeTimeMs: nextMs - 1 });
    }
    openMs = nextMs;
  }
  return rows;
}

/** Merges ascending stored buckets into ascending buckets of `interval`. */
export function foldedInto(interval: KlineInterval, stored: readonly Candle[]): Candle[] {
  const folded: Candle[] = [];
  for (let from = 0; from < stored.length; ) {
    const openTimeMs = klineStart(interval, stored[from]?.openTimeMs ?? 0, 0);
    let to = from;
    while (
      to < stored.length &&
      klineStart(interval, stored[to]?.openTimeMs ?? 0, 0) === openTimeMs
    )
      to++;
    const joined = allJoined(stored.slice(from, to));
    if (joined !== null) folded.push({ ...joined, openTimeMs });
    from = to;
  }
  return folded;
}

export class NewestCandles {
  readonly #model: ReadModel;
  readonly #history: HistoryStore;

  constructor(model: ReadModel, history: HistoryStore) {
    this.#model = model;
    this.#history = history;
  }

  /**
   * Reads the newest buckets that contain a trade, at most `limit`, ascending. The interval is one minute or longer,
   * but not months.
   */
  async read(market: Market, interval: KlineInterval, limit: number): Promise<readonly Candle[]> {
    const held = this.#held(market, interval, limit);
    if (held !== null) return held;
    return this.#history.newestCandles({
      market: market.id,
      intervalMs: storedIntervalOf(interval, 0),
      widthMs: interval.ms,
      anchorMs: interval.anchorMs,
      limit,
    });
  }

  /** Buckets from memory, or null if memory may lack part of a requested bucket. */
  #held(market: Market, interval: KlineInterval, limit: number): readonly Candle[] | null {
    const storedMs = storedIntervalOf(interval, 0);
    const candles = this.#model.view(market).candles.find((one) => one.intervalMs === storedMs);
    if (candles === undefined) return null;
    const folded = foldedInto(interval, candles.since(-1));
    // The oldest folded bucket does not count: memory may lack its first stored buckets.
    const isEnough = candles.completeFromMs === 0 || folded.length > limit;
    return isEnough ? folded.slice(-limit) : null;
  }
}
