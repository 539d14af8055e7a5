// The streams of one market in one view. Trades are published as they happen, best prices as they change, and depth,
// candles and 24 h statistics at their intervals. The feed reads the read model, which has only committed events, and
// renders each text once for all listeners. Without a listener it collects and renders nothing.
//
// Trades are queued in whole transactions, because consecutive fills of one order form one aggregate.

import type { Traded } from "../../../../core/generated/events.ts";
import type { Market } from "../../../../core/markets.ts";
import { Side } from "../../../../core/orders.ts";
import type { DepthChanges } from "../../../../engine/market-data/depth-book.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { DepthTexts } from "../../market-data/depth-texts.ts";
import type { MarketStatistics, WindowStatistics } from "../../market-data/market-statistics.ts";
import { averagePriceText } from "../../market-data/window-text.ts";
import { msOf, shownIn } from "../../orders/order-format.ts";
import type { MarketView } from "../../read-model.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";
import { type FeedName, tickerWindows } from "../stream-name.ts";
import type { LiveStream, StreamTopics } from "../stream-topics.ts";
import { CandleFeed, isCandleFeed } from "./candle-feed.ts";
import {
  averageText,
  bestText,
  bookTickerText,
  depthChangeText,
  depthLevelsText,
  miniTickerText,
  runText,
  type ShownView,
  type TradeRun,
  tickerText,
  tradeText,
  windowTickerText,
} from "./market-texts.ts";
import { OrderFeed } from "./order-feed.ts";
import { TradeQueue } from "./trade-queue.ts";

const dayMs = 86_400_000;

export interface FeedParts {
  readonly topics: StreamTopics;
  readonly depthTexts: DepthTexts;
  readonly statistics: MarketStatistics;
  onFault(cause: unknown): void;
  /** Minimum time between two frames of a candle. */
  readonly candleMs: number;
  /** The price in ticks that replaces a missing last trade in the compat view; 0 if no price is known. */
  standInPrice(market: Market): number;
}

export class MarketFeed {
  readonly view: MarketView;
  /** The view that sets the number format of this feed. */
  readonly #surface: SurfaceView;
  readonly #shown: ShownView;
  readonly #parts: FeedParts;
  readonly #live = new Map<FeedName, LiveStream>();
  /** Collectors of payloads for the streams of all markets. */
  readonly #gatherers = new Map<FeedName, (payload: string) => void>();
  readonly #candles: CandleFeed;
  readonly #orders: OrderFeed;
  readonly #queue = new TradeQueue();
  #best = "";
  #bestSeq = -1;
  /** Update id of the last diff-depth frame. */
  #depthSeq = 0;
  /** The levels that changed since then; null without listeners. */
  #changes: DepthChanges | null = null;
  #wantsTrades = false;

  constructor(view: MarketView, surface: SurfaceView, parts: FeedParts) {
    this.view = view;
    this.#surface = surface;
    this.#shown = { market: shownIn(surface, view.market), now: view };
    this.#parts = parts;
    this.#candles = new CandleFeed({
      view,
      market: this.#shown.market,
      everyMs: parts.candleMs,
      publish: (feed, payload) => this.publish(feed, payload),
    });
    this.#orders = new OrderFeed(this.#shown, (payload) => this.publish("order", payload));
  }

  /** True while a stream needs trades. */
  get wantsTrades(): boolean {
    return this.#wantsTrades;
  }

  /** True while a stream with listeners publishes changes as they happen. */
  get isEager(): boolean {
    return this.#wantsTrades || this.isLive("bookTicker") || this.isLive("order");
  }

  isLive(feed: FeedName): boolean {
    return this.#live.has(feed) || this.#gatherers.has(feed);
  }

  /** Publishes a payload to the market's stream and to the stream of all markets, if they have listeners. */
  publish(feed: FeedName, payload: string): void {
    const stream = this.#live.get(feed);
    if (stream !== undefined) this.#parts.topics.publish(stream, payload);
    this.#gatherers.get(feed)?.(payload);
  }

  /** From now on, passes every payload of a feed to `take` too; null ends this. */
  gather(feed: FeedName, take: ((payload: string) => void) | null): void {
    if (take === null) this.#gatherers.delete(feed);
    else this.#gatherers.set(feed, take);
  }

  begin(stream: LiveStream): void {
    this.#live.set(stream.feed, stream);
    this.#settleWants();
    if (stream.feed === "depth") {
      this.#changes = this.view.depth.watch();
      this.#depthSeq = this.view.depthSeq;
    } else if (stream.feed === "order") this.#orders.begin();
    else this.#candles.begin(stream.feed);
  }

  end(stream: LiveStream): void {
    this.#live.delete(stream.feed);
    this.#settleWants();
    if (stream.feed === "depth" && this.#changes !== null) {
      this.view.depth.unwatch(this.#changes);
      this.#changes = null;
    }
    if (stream.feed === "order") this.#orders.end();
    this.#candles.end(stream.feed);
  }

  /** Queues a trade that was just folded. The event object may be reused afterwards. */
  traded(trade: Traded): void {
    this.#queue.add(trade);
  }

  /** Called when the transaction of the queued trades is complete. */
  transactionEnded(): void {
    this.#queue.complete();
  }

  /** Publishes at most `budget` queued trades and the changes they caused. Returns the number of trades published. */
  pump(nowMs: number, budget: number): number {
    const trades = this.#queue.take(budget);
    if (trades.length > 0) this.#publishTrades(trades, nowMs);
    this.#publishOrders(nowMs);
    this.#publishBest(nowMs);
    return trades.length;
  }

  get hasReady(): boolean {
    return this.#queue.ready > 0;
  }

  /** True if the queue is full and must be published before anything else. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** Publishes depth snapshots; called every 250 ms. */
  publishLevels(nowMs: number): void {
    this.#publishOrders(nowMs);
    for (const [feed, limit] of [
      ["depth5", 5],
      ["depth10", 10],
      ["depth20", 20],
    ] as const) {
      if (this.isLive(feed)) this.publish(feed, this.#levels(limit, nowMs));
    }
  }

  /**
   * Publishes the levels that changed since the last diff frame, or nothing if none changed. The orders that changed them
   * are published before, so that a client has the queues of the depth that it gets. Spec MBO-3.
   */
  publishChanges(nowMs: number): void {
    this.#publishOrders(nowMs);
    const { depthSeq } = this.view;
    const changes = this.#changes;
    if (changes === null || depthSeq === this.#depthSeq) return;
    const before = this.#depthSeq;
    this.#depthSeq = depthSeq;
    const span = { first: before + 1, last: depthSeq, before };
    this.publish("depth", depthChangeText(this.#shown, { span, changes }, nowMs));
  }

  /** The first frame of a stream of orders. */
  ordersOpening(nowMs: number): string {
    return this.#orders.openingText(nowMs);
  }

  /**
   * The whole book as the first frame of a diff stream. Pending changes are first published to the other listeners, so
   * the next frame continues exactly from this frame's update id for all of them. Spec STR-17.
   */
  openingText(limit: number, nowMs: number): string {
    this.publishChanges(nowMs);
    const span = { first: 1, last: this.view.depthSeq, before: 0 };
    return depthLevelsText(this.#shown, { span, limit, mark: ',"snapshot":true' }, nowMs);
  }

  /** Publishes 24 h statistics, shorter windows and the average price; called once a second. */
  publishDay(nowMs: number): void {
    if (this.isLive("ticker") || this.isLive("miniTicker")) {
      this.#publishWindow(dayMs, nowMs, (day) => {
        this.publish("ticker", tickerText(this.#shown, day, nowMs));
        this.publish("miniTicker", miniTickerText(this.#shown, day, nowMs));
      });
    }
    for (const { name, ms } of tickerWindows) {
      if (!this.isLive(`ticker_${name}`)) continue;
      this.#publishWindow(ms, nowMs, (window) =>
        this.publish(`ticker_${name}`, windowTickerText(this.#shown, { name, window }, nowMs)),
      );
    }
    if (this.isLive("avgPrice")) this.#publishAverage(nowMs);
  }

  #publishWindow(
    windowMs: number,
    nowMs: number,
    publish: (window: WindowStatistics) => void,
  ): void {
    const shownWindow = (window: WindowStatistics) => {
      const shown = this.#priced(window);
      if (shown !== null) publish(shown);
    };
    const window = this.#parts.statistics.last(this.view.market, windowMs, nowMs);
    // A window that must be read from storage is read once a minute, and its frame is sent when the read completes.
    if (window instanceof Promise) window.then(shownWindow, this.#parts.onFault);
    else shownWindow(window);
  }

  /**
   * The window with the price to show. In the compat view it is null if no price is known, because REST tickers omit
   * such a market too (CMP-11).
   */
  #priced(window: WindowStatistics): WindowStatistics | null {
    const isTraded = window.traded !== null || window.priceBefore > 0;
    if (this.#surface === "root" || isTraded || this.view.tape.newest() !== undefined) {
      return window;
    }
    const priceBefore = this.#parts.standInPrice(this.view.market);
    return priceBefore > 0 ? { ...window, priceBefore } : null;
  }

  #publishAverage(nowMs: number): void {
    const { tape, market } = this.view;
    const newest = tape.newest();
    const last = newest?.price ?? this.#parts.standInPrice(market);
    if (last === 0) return;
    const average = averagePriceText(this.view, { last, nowMs });
    const times = { nowMs, tradeMs: msOf(newest?.tsUs ?? 0) };
    this.publish("avgPrice", averageText(market, average, times));
  }

  /** Publishes changed candles, and the final frame of each completed candle. */
  publishCandles(nowMs: number): void {
    if (!this.#candles.isLive) return;
    // Publish the queued trades first: the buckets include every folded trade, but the trade ids of a candle come from
    // published trades.
    this.pump(nowMs, this.#queue.ready);
    if (this.#queue.isEmpty) this.#candles.publish(nowMs);
  }

  #settleWants(): void {
    const live = [...this.#live.keys()];
    const wants = live.some(
      (feed) => feed === "trade" || feed === "aggTrade" || isCandleFeed(feed),
    );
    if (!wants) this.#queue.clear();
    this.#wantsTrades = wants;
  }

  /** Publishes the changes of queues, if this view's stream of orders has listeners. */
  #publishOrders(nowMs: number): void {
    if (this.isLive("order")) this.#orders.publish(nowMs);
  }

  #publishTrades(trades: readonly TapeTrade[], nowMs: number): void {
    const { market } = this.#shown;
    if (this.isLive("trade")) {
      for (const trade of trades) this.publish("trade", tradeText(market, trade, nowMs));
    }
    this.#publishRuns(trades, nowMs);
    this.#candles.count(trades, nowMs);
  }

  #publishRuns(trades: readonly TapeTrade[], nowMs: number): void {
    if (!this.isLive("aggTrade")) return;
    let run: TradeRun | null = null;
    const publish = (whole: TradeRun) =>
      this.publish("aggTrade", runText(this.#shown.market, whole, nowMs));
    for (const trade of trades) {
      const isSame =
        run?.first.takerOrderId === trade.takerOrderId && run.first.price === trade.price;
      if (run !== null && isSame) {
        run.lastId = trade.tradeId;
        run.qty += trade.qty;
      } else {
        if (run !== null) publish(run);
        run = { first: trade, lastId: trade.tradeId, qty: trade.qty };
      }
    }
    if (run !== null) publish(run);
  }

  #publishBest(nowMs: number): void {
    if (!this.isLive("bookTicker") || this.#bestSeq === this.view.depthSeq) return;
    this.#bestSeq = this.view.depthSeq;
    const best = bestText(this.#shown);
    if (best === this.#best) return;
    // A book that is empty from the beginning has no best prices to publish. A book that became empty is published.
    const isFirst = this.#best === "";
    this.#best = best;
    const { depth } = this.view;
    if (isFirst && depth.best(Side.buy) === 0 && depth.best(Side.sell) === 0) return;
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
}
