// Decides when market data is published. Event-driven frames are sent at the end of the event loop's turn, after every
// acknowledgement of that turn. All other frames are sent by timers. A turn publishes a bounded number of trades and
// then yields to sockets and the ring.

import { EventKind, type Traded, type VenueEvent } from "../../../core/generated/events.ts";
import { streamSnapshotLevels, tradesPerTurnMax } from "../../../core/limits.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { HistoryStore } from "../../../ports/journal/history-store.ts";
import type { Log } from "../../../ports/log.ts";
import { comingRateText, nextFundingMs } from "../fapi/markets/funding-terms.ts";
import { DepthTexts } from "../market-data/depth-texts.ts";
import { MarketStatistics } from "../market-data/market-statistics.ts";
import { lastPriceOf } from "../market-data/stand-in-price.ts";
import type { ReadModel } from "../read-model.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { AllMarketsFeed } from "./markets/all-markets-feed.ts";
import { ForceOrderFeed } from "./markets/force-order-feed.ts";
import { type FeedParts, MarketFeed } from "./markets/market-feed.ts";
import { markText } from "./markets/market-texts.ts";
import { SbeFeed } from "./markets/sbe-feed.ts";
import type { SpotFeed } from "./markets/spot-feed.ts";
import type { StreamName } from "./stream-name.ts";
import type { LiveStream, StreamTopics } from "./stream-topics.ts";

/** Interval of each kind of frame, in ms. */
export const streamCadence = {
  /** depth5, depth10 and depth20. */
  levelsMs: 250,
  /** Diff depth in the compat view, as on Binance. */
  changesMs: 100,
  /** ticker and miniTicker. Also the shortest interval of candle frames, and of liquidations of one market. */
  dayMs: 1000,
  /** Diff depth in SBE, as on Binance. */
  sbeChangesMs: 20,
  /** depth20 in SBE, as on Binance. */
  sbeSnapshotMs: 50,
} as const;

export interface PublisherParts {
  readonly model: ReadModel;
  /** The time of frames, which is the market's. */
  readonly marketClock: Clock;
  readonly history: HistoryStore;
  readonly log: Log;
}

/** A feed whose streams publish changes as they happen. */
type EventFeed = MarketFeed | SpotFeed;

export class StreamPublisher {
  readonly #model: ReadModel;
  readonly #clock: Clock;
  /**
   * The feeds of the compat view, one per market. `#rootFeeds` has one feed per spot market for the root view. A
   * perpetual has the same number format in both views, so its one feed serves both.
   */
  readonly #feeds: readonly MarketFeed[];
  readonly #rootFeeds: readonly (MarketFeed | undefined)[];
  readonly #all: readonly MarketFeed[];
  /** The feeds in SBE by market; only spot has any. */
  readonly #sbeFeeds: readonly (SbeFeed | undefined)[];
  /** The feeds of each format, by market: those above, and others that were added. */
  readonly #formats: (readonly (EventFeed | undefined)[])[];
  /** Number of SBE streams with subscribers, and the timers that run while there is one. */
  #sbeStreams = 0;
  readonly #sbeTimers: NodeJS.Timeout[] = [];
  readonly #allMarkets: AllMarketsFeed;
  readonly #forceOrders: ForceOrderFeed;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #turn = () => this.#runTurn();
  /** True while an event-driven stream has subscribers. While it is false, the publisher need not fold events. */
  isFollowing = false;
  #isQueued = false;
  #isClosed = false;
  /** Number of streams with subscribers. */
  #streams = 0;
  /** Feeds with event-driven streams. */
  #eager: readonly EventFeed[] = [];
  /** The feeds of markets in which the current transaction has traded. */
  readonly #trading: EventFeed[] = [];

  constructor(topics: StreamTopics, { model, marketClock, history, log }: PublisherParts) {
    this.#model = model;
    this.#clock = marketClock;
    const parts: FeedParts = {
      topics,
      depthTexts: new DepthTexts(),
      statistics: new MarketStatistics(model, history),
      candleMs: streamCadence.dayMs,
      standInPrice: (market) => lastPriceOf(model, market, { view: "compat" }),
      onFault: (cause) => log.error({ cause }, "failed to read the statistics of a market"),
    };
    this.#forceOrders = new ForceOrderFeed(model, topics);
    this.#feeds = model.views.map((view) => new MarketFeed(view, "compat", parts));
    this.#rootFeeds = model.views.map((view) =>
      view.market.kind === MarketKind.spot ? new MarketFeed(view, "root", parts) : undefined,
    );
    this.#sbeFeeds = model.views.map((view) =>
      view.market.kind === MarketKind.spot ? new SbeFeed(view, topics) : undefined,
    );
    this.#allMarkets = new AllMarketsFeed(model, topics, this.#feeds);
    this.#all = [...this.#feeds, ...this.#rootFeeds.filter((feed) => feed !== undefined)];
    this.#formats = [this.#feeds, this.#rootFeeds, this.#sbeFeeds.map((sbe) => sbe?.feed)];
  }

  #startTimers(): void {
    const every = (ms: number, publishFeed: (feed: MarketFeed, nowMs: number) => void) => {
      const tick = () => {
        const nowMs = this.#clock.nowMs();
        for (const feed of this.#all) publishFeed(feed, nowMs);
      };
      this.#timers.push(setInterval(tick, ms));
    };
    every(streamCadence.levelsMs, (feed, nowMs) => {
      feed.publishLevels(nowMs);
      feed.publishCandles(nowMs);
    });
    every(streamCadence.changesMs, (feed, nowMs) => feed.publishChanges(nowMs));
    every(streamCadence.dayMs, (feed, nowMs) => {
      feed.publishDay(nowMs);
      this.#publishMark(feed, nowMs);
    });
    const publishLists = () => {
      this.#allMarkets.publish();
      this.#forceOrders.publish(this.#clock.nowMs());
    };
    this.#timers.push(setInterval(publishLists, streamCadence.dayMs));
  }

  #stopTimers(): void {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
  }

  #startSbeTimers(): void {
    const every = (ms: number, publishFeed: (feed: SbeFeed, nowMs: number) => void) => {
      const tick = () => {
        const nowMs = this.#clock.nowMs();
        for (const feed of this.#sbeFeeds) if (feed !== undefined) publishFeed(feed, nowMs);
      };
      this.#sbeTimers.push(setInterval(tick, ms));
    };
    every(streamCadence.sbeChangesMs, ({ feed }, nowMs) => feed.publishChanges(nowMs));
    every(streamCadence.sbeSnapshotMs, (feed, nowMs) => feed.publishSnapshot(nowMs));
  }

  #stopSbeTimers(): void {
    for (const timer of this.#sbeTimers.splice(0)) clearInterval(timer);
  }

  /** Adds feeds of another format, by market. Whoever adds them calls `settle` when their listeners change. */
  add(feeds: readonly (SpotFeed | undefined)[]): void {
    this.#formats.push(feeds);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimers();
    this.#stopSbeTimers();
  }

  /** Records an event that the read model has just folded. The event object may be reused afterwards. */
  fold(event: VenueEvent): void {
    this.#forceOrders.fold(event);
    if (this.#eager.length === 0) return;
    if (event.kind === EventKind.traded) {
      for (const feeds of this.#formats) this.#collect(feeds[event.market], event);
    }
    if (event.isTransactionEnd && this.#trading.length > 0) {
      for (const feed of this.#trading) {
        feed.transactionEnded();
        if (feed.isFull) feed.pump(this.#clock.nowMs(), Number.POSITIVE_INFINITY);
      }
      this.#trading.length = 0;
    }
    this.#queue();
  }

  #collect(feed: EventFeed | undefined, trade: Traded): void {
    if (feed?.wantsTrades !== true) return;
    feed.traded(trade);
    if (!this.#trading.includes(feed)) this.#trading.push(feed);
  }

  began(stream: LiveStream): void {
    if (stream.isSbe) {
      this.#sbeStreams++;
      if (this.#sbeStreams === 1 && !this.#isClosed) this.#startSbeTimers();
      this.#sbeFeeds[stream.market?.id ?? 0]?.begin(stream);
      this.settle();
      return;
    }
    this.#streams++;
    // A front without subscribers has nothing to publish, so its timers need not wake it.
    if (this.#streams === 1 && !this.#isClosed) this.#startTimers();
    if (stream.feed === "forceOrder") this.#forceOrders.begin(stream);
    else if (stream.market === null) this.#allMarkets.begin(stream);
    else this.#feedOf(stream.market, stream.view)?.begin(stream);
    this.settle();
  }

  ended(stream: LiveStream): void {
    if (stream.isSbe) {
      this.#sbeStreams--;
      if (this.#sbeStreams === 0) this.#stopSbeTimers();
      this.#sbeFeeds[stream.market?.id ?? 0]?.end(stream);
      this.settle();
      return;
    }
    this.#streams--;
    if (this.#streams === 0) this.#stopTimers();
    if (stream.feed === "forceOrder") this.#forceOrders.end(stream);
    else if (stream.market === null) this.#allMarkets.end(stream);
    else this.#feedOf(stream.market, stream.view)?.end(stream);
    this.settle();
  }

  /** The first frame of a stream for a new subscriber: of diff depth the current book; empty for most streams. */
  openingText({ feed, market, isSbe }: StreamName): string {
    if (isSbe) return "";
    const opened = market === null ? undefined : this.#feeds[market.id];
    const nowMs = this.#clock.nowMs();
    if (feed === "order") return opened?.ordersOpening(nowMs) ?? "";
    return feed === "depth" ? (opened?.openingText(streamSnapshotLevels, nowMs) ?? "") : "";
  }

  #feedOf(market: Market, view: SurfaceView): MarketFeed | undefined {
    return (view === "root" ? this.#rootFeeds : this.#feeds)[market.id];
  }

  /** Looks anew at which feeds have listeners to events. */
  settle(): void {
    const feeds = this.#formats.flat().filter((feed) => feed !== undefined);
    this.#eager = feeds.filter((feed) => feed.isEager);
    this.isFollowing = this.#eager.length > 0 || this.#forceOrders.isLive;
  }

  #queue(): void {
    if (this.#isQueued || this.#isClosed) return;
    this.#isQueued = true;
    setImmediate(this.#turn);
  }

  #runTurn(): void {
    this.#isQueued = false;
    if (this.#isClosed) return;
    const nowMs = this.#clock.nowMs();
    let budget = tradesPerTurnMax;
    for (const feed of this.#eager) budget -= feed.pump(nowMs, budget);
    if (this.#eager.some((feed) => feed.hasReady)) this.#queue();
  }

  #publishMark(feed: MarketFeed, nowMs: number): void {
    const { market } = feed.view;
    const mark = feed.isLive("markPrice") ? this.#model.mark(market) : 0;
    if (mark > 0) {
      feed.publish(
        "markPrice",
        markText(
          market,
          {
            mark,
            index: this.#model.index(market),
            rate: comingRateText(this.#model, market),
            nextFundingMs: nextFundingMs(this.#model, nowMs),
          },
          nowMs,
        ),
      );
    }
  }
}
