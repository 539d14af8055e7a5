// Candle streams of one market, for every interval that REST has. Candles are built from the stored buckets (1m, 1h,
// 1d) or, for seconds, from the trades. A frame is sent when its candle has changed, at most once in `everyMs`, and
// once more with `x` true when the candle is final. Spec STR-11, STR-36.

import { type Market, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../../core/money/amounts.ts";
import { allJoined, type Candle, Candles } from "../../../../engine/market-data/candles.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import {
  type KlineInterval,
  klineInterval,
  klineStart,
  klineStartAfter,
  storedIntervalOf,
} from "../../market-data/kline-interval.ts";
import type { ShownMarket } from "../../orders/order-format.ts";
import type { MarketView } from "../../read-model.ts";
import type { FeedName } from "../stream-name.ts";
import { type CandleForm, candleText, type TradeIds } from "./market-texts.ts";

/** Delay of the final frame of a candle after its end, for trades that were still being committed. */
const finalCandleAfterMs = 500;

/** A stream of the candles of one interval, in one of the two forms of candle frames. */
interface CandleStream {
  readonly feed: FeedName;
  readonly form: CandleForm;
  readonly interval: KlineInterval;
  /** The stored buckets from which the candles are built. */
  readonly kept: Candles;
  /** Start of the candle to which `ids` belong. */
  openTimeMs: number;
  readonly ids: TradeIds;
  isChanged: boolean;
  /** Start of the newest candle whose final frame was sent. */
  finalMs: number;
  publishedMs: number;
}

export interface CandleParts {
  readonly view: MarketView;
  readonly market: ShownMarket;
  /** Minimum time between two frames of a candle. */
  readonly everyMs: number;
  publish(feed: FeedName, payload: string): void;
}

/** The interval and form of a candle stream; undefined for other streams. */
function candlesOf(feed: FeedName): { interval: KlineInterval; form: CandleForm } | undefined {
  const [form, name] = feed.split("_");
  if (form !== "kline" && form !== "continuousKline") return undefined;
  const interval = klineInterval(name ?? "");
  return interval && { interval, form };
}

/** Returns whether a stream publishes candles. */
export function isCandleFeed(feed: FeedName): boolean {
  return candlesOf(feed) !== undefined;
}

export class CandleFeed {
  readonly #parts: CandleParts;
  readonly #streams: CandleStream[] = [];
  /** Candles of one second, built from trades while a stream needs them. */
  #seconds: Candles | null = null;
  /**
   * Id of the newest trade at the time when the one-second candles were created. The candles already include every
   * trade up to this id, so `count` does not add these trades again.
   */
  #secondsFrom = 0;

  constructor(parts: CandleParts) {
    this.#parts = parts;
  }

  get isLive(): boolean {
    return this.#streams.length > 0;
  }

  begin(feed: FeedName): void {
    const candles = candlesOf(feed);
    if (candles === undefined) return;
    const kept = this.#keptFor(candles.interval);
    const ids = { firstId: 0, lastId: 0 };
    const fresh = { openTimeMs: 0, ids, isChanged: false, finalMs: 0, publishedMs: 0 };
    const stream: CandleStream = { feed, ...candles, kept, ...fresh };
    const newest = kept.newest();
    if (newest !== undefined) {
      const { tape } = this.#parts.view;
      stream.openTimeMs = klineStart(candles.interval, newest.openTimeMs, 0);
      ids.firstId = tape.since(stream.openTimeMs * 1000)?.tradeId ?? 0;
      ids.lastId = tape.newest()?.tradeId ?? 0;
    }
    this.#streams.push(stream);
  }

  end(feed: FeedName): void {
    const at = this.#streams.findIndex((stream) => stream.feed === feed);
    if (at >= 0) this.#streams.splice(at, 1);
    if (!this.#streams.some(({ kept }) => kept === this.#seconds)) this.#seconds = null;
  }

  /**
   * Records published trades: updates the trade ids of each stream's candle, and adds the trades to the one-second
   * candles. The stored buckets already include them.
   */
  count(trades: readonly TapeTrade[], nowMs: number): void {
    if (this.#streams.length === 0) return;
    for (const trade of trades) {
      for (const stream of this.#streams) this.#count(stream, trade, nowMs);
      if (trade.tradeId > this.#secondsFrom) {
        this.#seconds?.add(countedTrade(this.#parts.market, trade));
      }
    }
  }

  /** Publishes changed candles, and the final frame of each completed candle. */
  publish(nowMs: number): void {
    for (const stream of this.#streams) {
      const { interval, openTimeMs, isChanged } = stream;
      if (openTimeMs === 0) continue;
      const isOver = nowMs > closeOf(interval, openTimeMs) + finalCandleAfterMs;
      const isDue = isChanged && nowMs - stream.publishedMs >= this.#parts.everyMs;
      const isFinal = isOver && (stream.finalMs < openTimeMs || isChanged);
      const candle = isDue || isFinal ? candleFrom(stream, openTimeMs) : undefined;
      if (candle !== undefined) this.#publish(stream, candle, { isClosed: isOver, nowMs });
    }
  }

  #count(stream: CandleStream, { tsUs, tradeId }: TapeTrade, nowMs: number): void {
    const openTimeMs = klineStart(stream.interval, Math.floor(tsUs / 1000), 0);
    if (openTimeMs !== stream.openTimeMs) {
      this.#finish(stream, nowMs);
      stream.openTimeMs = openTimeMs;
      stream.ids.firstId = tradeId;
    }
    stream.ids.lastId = tradeId;
    stream.isChanged = true;
  }

  /** Publishes the final frame of a candle whose successor has begun. */
  #finish(stream: CandleStream, nowMs: number): void {
    const { openTimeMs, finalMs, isChanged } = stream;
    if (openTimeMs === 0 || (finalMs === openTimeMs && !isChanged)) return;
    const candle = candleFrom(stream, openTimeMs);
    if (candle !== undefined) this.#publish(stream, candle, { isClosed: true, nowMs });
  }

  #publish(
    stream: CandleStream,
    candle: Candle,
    { isClosed, nowMs }: { isClosed: boolean; nowMs: number },
  ): void {
    stream.isChanged = false;
    stream.publishedMs = nowMs;
    if (isClosed) stream.finalMs = candle.openTimeMs;
    const { interval, form, ids, feed } = stream;
    const closeTimeMs = closeOf(interval, candle.openTimeMs);
    const terms = { interval: interval.name, form, closeTimeMs, isClosed, ids };
    this.#parts.publish(feed, candleText(this.#parts.market, candle, terms, nowMs));
  }

  #keptFor(interval: KlineInterval): Candles {
    const storedMs = storedIntervalOf(interval, 0);
    const { view } = this.#parts;
    return view.candles.find(({ intervalMs }) => intervalMs === storedMs) ?? this.#secondsKept();
  }

  /** Creates the one-second candles, starting with the current second's trades in memory. */
  #secondsKept(): Candles {
    if (this.#seconds !== null) return this.#seconds;
    const seconds = new Candles(1000);
    const { view, market } = this.#parts;
    const newest = view.tape.newest();
    const fromUs = Math.floor((newest?.tsUs ?? 0) / 1_000_000) * 1_000_000;
    for (const trade of view.tape.latest(tradesOfSecondMax)) {
      if (trade.tsUs >= fromUs) seconds.add(countedTrade(market, trade));
    }
    this.#seconds = seconds;
    this.#secondsFrom = newest?.tradeId ?? 0;
    return seconds;
  }
}

/** Maximum number of trades that are searched for the trades of the current second. */
const tradesOfSecondMax = 1000;

function countedTrade(market: Market, trade: TapeTrade) {
  const quote = orderValue(market, asPriceTicks(trade.price), asQtyLots(trade.qty));
  return { ...trade, quote };
}

/** The last millisecond of the candle that opens at `startMs`. */
function closeOf(interval: KlineInterval, startMs: number): number {
  return klineStartAfter(interval, { startMs, count: 1, offsetMs: 0 }) - 1;
}

/** The candle that opens at that time, if it has trades. */
function candleFrom({ interval, kept }: CandleStream, openTimeMs: number): Candle | undefined {
  const endMs = klineStartAfter(interval, { startMs: openTimeMs, count: 1, offsetMs: 0 });
  const buckets = kept.since(openTimeMs - 1).filter((bucket) => bucket.openTimeMs < endMs);
  const joined = allJoined(buckets);
  return joined === null ? undefined : { ...joined, openTimeMs };
}
