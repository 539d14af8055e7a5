// The SBE streams of one spot market. A frame is encoded once, from ticks and lots, and one buffer serves all frames of a
// front: the server library copies a frame when it is published. Prices and quantities have the exponents of the
// market's ticks and lots, so their mantissas are ticks and lots. Specs SBE-11 to SBE-16.

import { streamSchema } from "../../../../../schemas/sbe/schemas.ts";
import { Side } from "../../../../core/orders.ts";
import type { LevelVisitor } from "../../../../engine/market-data/depth-book.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { MarketView } from "../../read-model.ts";
import {
  type DepthDiffStreamEventBids,
  encodeBestBidAskStreamEvent,
  encodeDepthDiffStreamEvent,
  encodeDepthSnapshotStreamEvent,
  encodeTradesStreamEvent,
} from "../../sbe/generated/stream-codec.ts";
import { SbeWriter } from "../../sbe/sbe-writer.ts";
import type { FeedName } from "../stream-name.ts";
import type { LiveStream, StreamTopics } from "../stream-topics.ts";
import {
  type BestPrices,
  type ChangedLevels,
  SpotFeed,
  type SpotFrames,
  type SpotStream,
} from "./spot-feed.ts";

const snapshotLevels = 20;

/** The longest time after which a snapshot is sent again, so that a new subscriber soon gets one. */
const snapshotMsMax = 1000;

type Levels = readonly DepthDiffStreamEventBids[];

function levelsOf(visit: (visitor: LevelVisitor) => void): Levels {
  const levels: DepthDiffStreamEventBids[] = [];
  visit((price, qty) => levels.push({ price, qty }));
  return levels;
}

/** Writes the frames of all SBE feeds of a front. */
const frameWriter = new SbeWriter(streamSchema.version);

export class SbeFeed implements SpotFrames {
  readonly feed: SpotFeed;
  readonly #view: MarketView;
  readonly #topics: StreamTopics;
  readonly #exponents: { readonly priceExponent: number; readonly qtyExponent: number };
  readonly #live = new Map<FeedName, LiveStream>();
  #snapshotSeq = -1;
  #snapshotMs = 0;

  constructor(view: MarketView, topics: StreamTopics) {
    this.feed = new SpotFeed(view, this);
    this.#view = view;
    this.#topics = topics;
    const { tickDecimals, lotDecimals } = view.market;
    this.#exponents = { priceExponent: 0 - tickDecimals, qtyExponent: 0 - lotDecimals };
  }

  begin(stream: LiveStream): void {
    this.#live.set(stream.feed, stream);
    if (stream.feed !== "depth20") this.feed.begin(stream.feed as SpotStream);
  }

  end(stream: LiveStream): void {
    this.#live.delete(stream.feed);
    if (stream.feed === "depth20") this.#snapshotSeq = -1;
    else this.feed.end(stream.feed as SpotStream);
  }

  changes({ first, last, changes }: ChangedLevels, nowMs: number): void {
    encodeDepthDiffStreamEvent(frameWriter.reset(), {
      eventTime: nowMs * 1000,
      firstBookUpdateId: first,
      lastBookUpdateId: last,
      ...this.#exponents,
      bids: levelsOf((visitor) => changes.take(Side.buy, visitor)),
      asks: levelsOf((visitor) => changes.take(Side.sell, visitor)),
      symbol: this.#view.market.symbol,
    });
    this.#publish("depth");
  }

  /** Publishes the best levels if they may have changed since the last snapshot, or if that is long ago. */
  publishSnapshot(nowMs: number): void {
    const { depth, depthSeq, market } = this.#view;
    const isKnown = depthSeq === this.#snapshotSeq && nowMs - this.#snapshotMs < snapshotMsMax;
    if (!this.#live.has("depth20") || isKnown) return;
    this.#snapshotSeq = depthSeq;
    this.#snapshotMs = nowMs;
    encodeDepthSnapshotStreamEvent(frameWriter.reset(), {
      eventTime: nowMs * 1000,
      bookUpdateId: depthSeq,
      ...this.#exponents,
      bids: levelsOf((visitor) => depth.visit(Side.buy, snapshotLevels, visitor)),
      asks: levelsOf((visitor) => depth.visit(Side.sell, snapshotLevels, visitor)),
      symbol: market.symbol,
    });
    this.#publish("depth20");
  }

  /** Trades share a frame, which has the time of the first. */
  trades(trades: readonly TapeTrade[], nowMs: number): void {
    encodeTradesStreamEvent(frameWriter.reset(), {
      eventTime: nowMs * 1000,
      transactTime: trades[0]?.tsUs ?? 0,
      ...this.#exponents,
      trades: trades.map(({ tradeId, price, qty, takerSide }) => ({
        ...{ id: tradeId, price, qty },
        isBuyerMaker: takerSide === Side.sell,
      })),
      symbol: this.#view.market.symbol,
    });
    this.#publish("trade");
  }

  best(best: BestPrices, _before: BestPrices, nowMs: number): void {
    encodeBestBidAskStreamEvent(frameWriter.reset(), {
      eventTime: nowMs * 1000,
      bookUpdateId: this.#view.depthSeq,
      ...this.#exponents,
      ...best,
      symbol: this.#view.market.symbol,
    });
    this.#publish("bestBidAsk");
  }

  /** Publishes the frame that was just written. */
  #publish(feed: FeedName): void {
    const stream = this.#live.get(feed);
    if (stream !== undefined) this.#topics.publish(stream, frameWriter.bytes);
  }
}
