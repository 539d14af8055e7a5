// What one market says to the streams of one view: prints as they come, best prices as they change, depth,
// candles and the day at their cadence. Reads the read model, which knows committed events only, and
// renders a text once whoever listens. What nobody listens to is neither collected nor rendered.
//
// Trades are queued whole units at a time, because a run of fills of one order is one aggregate.

import type { Traded } from "../../../core/events.ts";
import { tradesQueuedMax } from "../../../core/limits.ts";
import { candleIntervals } from "../../../core/unix-ms.ts";
import type { Candle } from "../../../engine/market-data/candles.ts";
import type { TapeTrade } from "../../../engine/market-data/trade-tape.ts";
import type { DepthTexts } from "../depth-texts.ts";
import type { MarketStatistics, WindowStatistics } from "../market-statistics.ts";
import type { MarketView } from "../read-model.ts";
import { shownIn } from "../shown-market.ts";
import type { SurfaceView } from "../surface-view.ts";
import {
  bestText,
  bookTickerText,
  candleText,
  depthChangeText,
  depthLevelsText,
  miniTickerText,
  runText,
  type ShownView,
  type TradeIds,
  type TradeRun,
  tickerText,
  tradeText,
} from "./market-texts.ts";
import type { FeedName, IntervalName } from "./stream-name.ts";
import type { LiveStream, StreamTopics } from "./stream-topics.ts";

/** A final candle waits this long past its end for prints that were being committed. */
const finalCandleAfterMs = 500;

/** What is known of the candle stream of one interval. */
interface CandleStream {
  readonly interval: IntervalName;
  readonly intervalMs: number;
  readonly place: number;
  /** Start of the bucket that `ids` belong to. */
  openTimeMs: number;
  readonly ids: TradeIds;
  isChanged: boolean;
  /** Start of the newest bucket whose final frame was sent. */
  finalMs: number;
  publishedMs: number;
}

export interface FeedParts {
  readonly topics: StreamTopics;
  readonly depthTexts: DepthTexts;
  readonly statistics: MarketStatistics;
  onFault(cause: unknown): void;
  /** Candles are told at most this often. */
  readonly candleMs: number;
}

export class MarketFeed {
  readonly view: MarketView;
  /** The view its figures are written for. */
  readonly #surface: SurfaceView;
  readonly #shown: ShownView;
  readonly #parts: FeedParts;
  readonly #live = new Map<FeedName, LiveStream>();
  readonly #candles: CandleStream[] = [];
  #trades: TapeTrade[] = [];
  /** So many of the queued trades belong to units that have ended. */
  #ready = 0;
  #best = "";
  #bestSeq = -1;
  /** Update id of the last diff-depth frame. */
  #depthSeq = 0;
  #wantsTrades = false;

  constructor(view: MarketView, surface: SurfaceView, parts: FeedParts) {
    this.view = view;
    this.#surface = surface;
    this.#shown = { market: shownIn(surface, view.market), now: view };
    this.#parts = parts;
  }

  /** True while trades are collected. */
  get wantsTrades(): boolean {
    return this.#wantsTrades;
  }

  /** True while anything must be told as it happens. */
  get isEager(): boolean {
    return this.#wantsTrades || this.#live.has("bookTicker");
  }

  isLive(feed: FeedName): boolean {
    return this.#live.has(feed);
  }

  /** Publishes a payload made elsewhere, if anybody listens. */
  publish(feed: FeedName, payload: string): void {
    const stream = this.#live.get(feed);
    if (stream !== undefined) this.#parts.topics.publish(stream, payload);
  }

  begin(stream: LiveStream): void {
    this.#live.set(stream.feed, stream);
    this.#settleWants();
    if (stream.feed === "depth") {
      this.view.depth.watch(true);
      this.#depthSeq = this.view.depthSeq;
    } else if (stream.feed.startsWith("kline_")) this.#beginCandles(stream.feed);
  }

  end(stream: LiveStream): void {
    this.#live.delete(stream.feed);
    this.#settleWants();
    if (stream.feed === "depth") this.view.depth.watch(false);
    const at = this.#candles.findIndex(({ interval }) => stream.feed === `kline_${interval}`);
    if (at >= 0) this.#candles.splice(at, 1);
  }

  /** A print that was just folded; the object may be reused. */
  traded({ tradeId, tsUs, price, qty, takerSide, takerOrderId }: Traded): void {
    this.#trades.push({ tradeId, tsUs, price, qty, takerSide, takerOrderId });
  }

  /** The unit that traded has ended. */
  unitEnded(): void {
    this.#ready = this.#trades.length;
  }

  /** Publishes at most `budget` waiting trades and what changed with them; answers how many. */
  pump(nowMs: number, budget: number): number {
    const count = Math.min(this.#ready, budget);
    if (count > 0) this.#publishTrades(this.#trades.splice(0, count), nowMs);
    this.#ready -= count;
    this.#publishBest(nowMs);
    return count;
  }

  get hasReady(): boolean {
    return this.#ready > 0;
  }

  /** True when what waits must go out now, whoever else wants a turn. */
  get isFull(): boolean {
    return this.#ready >= tradesQueuedMax;
  }

  /** Depth snapshots: every 250 ms (specification: Events). */
  publishLevels(nowMs: number): void {
    for (const [feed, limit] of [
      ["depth5", 5],
      ["depth10", 10],
      ["depth20", 20],
    ] as const) {
      if (this.isLive(feed)) this.publish(feed, this.#levels(limit, nowMs));
    }
  }

  /** The levels that changed since the last diff frame, if any did. */
  publishChanges(nowMs: number): void {
    const { depthSeq } = this.view;
    if (!this.isLive("depth") || depthSeq === this.#depthSeq) return;
    const before = this.#depthSeq;
    this.#depthSeq = depthSeq;
    const span = { first: before + 1, last: depthSeq, before };
    this.publish("depth", depthChangeText(this.#shown, span, nowMs));
  }

  /**
   * The whole book as the first frame of a diff stream. What changed before it has been sent to the
   * others, so the next frame goes on at exactly its update id. Spec STR-17.
   */
  openingText(limit: number, nowMs: number): string {
    this.publishChanges(nowMs);
    const span = { first: 1, last: this.view.depthSeq, before: 0 };
    return depthLevelsText(this.#shown, { span, limit, mark: ',"snapshot":true' }, nowMs);
  }

  publishDay(nowMs: number): void {
    const isAsked = this.isLive("ticker") || this.isLive("miniTicker");
    if (!isAsked) return;
    const tell = (day: WindowStatistics) => {
      this.publish("ticker", tickerText(this.#shown, day, nowMs));
      this.publish("miniTicker", miniTickerText(this.#shown, day, nowMs));
    };
    const day = this.#parts.statistics.lastDay(this.view.market, nowMs);
    // What has to be read for it is read once a minute; without it a second is left out.
    if (day instanceof Promise) day.then(tell, this.#parts.onFault);
    else tell(day);
  }

  /** Candles that changed, and the final frame of those whose time is over. */
  publishCandles(nowMs: number): void {
    if (this.#candles.length === 0) return;
    // The buckets know every trade that was folded; their ids are those of the trades published.
    this.pump(nowMs, this.#ready);
    if (this.#trades.length > 0) return;
    for (const stream of this.#candles) {
      const bucket = this.#newest(stream);
      if (bucket === undefined) continue;
      const isOver = nowMs >= bucket.openTimeMs + stream.intervalMs + finalCandleAfterMs;
      const isDue = stream.isChanged && nowMs - stream.publishedMs >= this.#parts.candleMs;
      const isFinal = isOver && (stream.finalMs < bucket.openTimeMs || stream.isChanged);
      if (isDue || isFinal) this.#publishCandle(stream, bucket, isOver, nowMs);
    }
  }

  #settleWants(): void {
    const live = [...this.#live.keys()];
    const wants = live.some(
      (feed) => feed === "trade" || feed === "aggTrade" || feed.startsWith("kline_"),
    );
    if (!wants) {
      this.#trades = [];
      this.#ready = 0;
    }
    this.#wantsTrades = wants;
  }

  #publishTrades(trades: readonly TapeTrade[], nowMs: number): void {
    const { market } = this.#shown;
    if (this.isLive("trade")) {
      for (const trade of trades) this.publish("trade", tradeText(market, trade, nowMs));
    }
    this.#publishRuns(trades, nowMs);
    for (const stream of this.#candles)
      for (const trade of trades) this.#count(stream, trade, nowMs);
  }

  #publishRuns(trades: readonly TapeTrade[], nowMs: number): void {
    if (!this.isLive("aggTrade")) return;
    let run: TradeRun | null = null;
    const tell = (whole: TradeRun) =>
      this.publish("aggTrade", runText(this.#shown.market, whole, nowMs));
    for (const trade of trades) {
      const isSame =
        run?.first.takerOrderId === trade.takerOrderId && run.first.price === trade.price;
      if (run !== null && isSame) {
        run.lastId = trade.tradeId;
        run.qty += trade.qty;
      } else {
        if (run !== null) tell(run);
        run = { first: trade, lastId: trade.tradeId, qty: trade.qty };
      }
    }
    if (run !== null) tell(run);
  }

  #publishBest(nowMs: number): void {
    if (!this.isLive("bookTicker") || this.#bestSeq === this.view.depthSeq) return;
    this.#bestSeq = this.view.depthSeq;
    const best = bestText(this.#shown);
    if (best === this.#best) return;
    this.#best = best;
    this.publish("bookTicker", bookTickerText(this.#shown, best, nowMs));
  }

  #levels(limit: number, nowMs: number): string {
    const { view } = this;
    if (view.market.base !== null) {
      return this.#parts.depthTexts.whole(view, limit, this.#surface);
    }
    const last = view.depthSeq;
    return depthLevelsText(
      this.#shown,
      { span: { first: last, last, before: last }, limit, mark: "" },
      nowMs,
    );
  }

  #beginCandles(feed: FeedName): void {
    const place = candleIntervals.findIndex(({ name }) => feed === `kline_${name}`);
    const known = candleIntervals[place];
    if (known === undefined) return;
    const { name: interval, ms: intervalMs } = known;
    const ids = { firstId: 0, lastId: 0 };
    const fresh = { openTimeMs: 0, ids, isChanged: false, finalMs: 0, publishedMs: 0 };
    const stream: CandleStream = { interval, intervalMs, place, ...fresh };
    const bucket = this.#newest(stream);
    if (bucket !== undefined) {
      stream.openTimeMs = bucket.openTimeMs;
      ids.firstId = this.view.tape.since(bucket.openTimeMs * 1000)?.tradeId ?? 0;
      ids.lastId = this.view.tape.newest()?.tradeId ?? 0;
    }
    this.#candles.push(stream);
  }

  #count(stream: CandleStream, { tsUs, tradeId }: TapeTrade, nowMs: number): void {
    const openTimeMs = Math.floor(tsUs / 1000 / stream.intervalMs) * stream.intervalMs;
    if (openTimeMs !== stream.openTimeMs) {
      this.#finish(stream, nowMs);
      stream.openTimeMs = openTimeMs;
      stream.ids.firstId = tradeId;
    }
    stream.ids.lastId = tradeId;
    stream.isChanged = true;
  }

  /** The final frame of a bucket that the next one has followed. */
  #finish(stream: CandleStream, nowMs: number): void {
    const { openTimeMs, finalMs, isChanged, place } = stream;
    if (openTimeMs === 0 || (finalMs === openTimeMs && !isChanged)) return;
    const bucket = this.view.candles[place]?.since(openTimeMs - 1)[0];
    if (bucket?.openTimeMs === openTimeMs) this.#publishCandle(stream, bucket, true, nowMs);
  }

  #newest({ place }: CandleStream): Candle | undefined {
    return this.view.candles[place]?.newest();
  }

  #publishCandle(stream: CandleStream, bucket: Candle, isClosed: boolean, nowMs: number): void {
    stream.isChanged = false;
    stream.publishedMs = nowMs;
    if (isClosed) stream.finalMs = bucket.openTimeMs;
    const { interval, intervalMs, ids } = stream;
    const terms = { interval, intervalMs, isClosed, ids };
    this.publish(`kline_${interval}`, candleText(this.#shown.market, bucket, terms, nowMs));
  }
}
