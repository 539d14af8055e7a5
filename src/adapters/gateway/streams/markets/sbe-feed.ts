// The SBE streams of one spot market. A frame is encoded once, from ticks and lots, and one buffer serves all frames of a
// front: the server library copies a frame when it is published. Prices and quantities have the exponents of the
// market's ticks and lots, so their mantissas are ticks and lots. Specs SBE-11 to SBE-16.

import { streamSchema } from "../../../../../schemas/sbe/schemas.ts";
import type { Traded } from "../../../../core/generated/events.ts";
import { Side } from "../../../../core/orders.ts";
import type { DepthChanges, LevelVisitor } from "../../../../engine/market-data/depth-book.ts";
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
import { TradeQueue } from "./trade-queue.ts";

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

export class SbeFeed {
  readonly #view: MarketView;
  readonly #topics: StreamTopics;
  readonly #exponents: { readonly priceExponent: number; readonly qtyExponent: number };
  readonly #live = new Map<FeedName, LiveStream>();
  readonly #queue = new TradeQueue();
  /** Update id of the last diff-depth frame, and the levels that changed since then; null without listeners. */
  #depthSeq = 0;
  #changes: DepthChanges | null = null;
  /** Update id of the last best prices that were looked at, and the prices and quantities of the last frame. */
  #bestSeq = -1;
  #best: readonly [bidPrice: number, bidQty: number, askPrice: number, askQty: number] = [
    0, 0, 0, 0,
  ];
  #snapshotSeq = -1;
  #snapshotMs = 0;

  constructor(view: MarketView, topics: StreamTopics) {
    this.#view = view;
    this.#topics = topics;
    const { tickDecimals, lotDecimals } = view.market;
    this.#exponents = { priceExponent: 0 - tickDecimals, qtyExponent: 0 - lotDecimals };
  }

  get wantsTrades(): boolean {
    return this.#live.has("trade");
  }

  /** True while a stream with listeners publishes changes as they happen. */
  get isEager(): boolean {
    return this.wantsTrades || this.#live.has("bestBidAsk");
  }

  get hasReady(): boolean {
    return this.#queue.ready > 0;
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  begin(stream: LiveStream): void {
    this.#live.set(stream.feed, stream);
    if (stream.feed !== "depth") return;
    this.#changes = this.#view.depth.watch();
    this.#depthSeq = this.#view.depthSeq;
  }

  end(stream: LiveStream): void {
    this.#live.delete(stream.feed);
    if (stream.feed === "trade") this.#queue.clear();
    if (stream.feed === "depth20") this.#snapshotSeq = -1;
    if (stream.feed !== "depth" || this.#changes === null) return;
    this.#view.depth.unwatch(this.#changes);
    this.#changes = null;
  }

  traded(trade: Traded): void {
    this.#queue.add(trade);
  }

  transactionEnded(): void {
    this.#queue.complete();
  }

  /** Publishes at most `budget` queued trades and the best prices. Returns the number of trades published. */
  pump(nowMs: number, budget: number): number {
    const trades = this.#queue.take(budget);
    this.#publishTrades(trades, nowMs);
    this.#publishBest(nowMs);
    return trades.length;
  }

  /** Publishes the levels that changed since the last diff frame, or nothing if none changed. */
  publishChanges(nowMs: number): void {
    const stream = this.#live.get("depth");
    const changes = this.#changes;
    const { depthSeq, market } = this.#view;
    if (stream === undefined || changes === null || depthSeq === this.#depthSeq) return;
    const firstBookUpdateId = this.#depthSeq + 1;
    this.#depthSeq = depthSeq;
    encodeDepthDiffStreamEvent(frameWriter.reset(), {
      eventTime: nowMs * 1000,
      firstBookUpdateId,
      lastBookUpdateId: depthSeq,
      ...this.#exponents,
      bids: levelsOf((visitor) => changes.take(Side.buy, visitor)),
      asks: levelsOf((visitor) => changes.take(Side.sell, visitor)),
      symbol: market.symbol,
    });
    this.#topics.publish(stream, frameWriter.bytes);
  }

  /** Publishes the best levels if they may have changed since the last snapshot, or if that is long ago. */
  publishSnapshot(nowMs: number): void {
    const stream = this.#live.get("depth20");
    const { depth, depthSeq, market } = this.#view;
    const isKnown = depthSeq === this.#snapshotSeq && nowMs - this.#snapshotMs < snapshotMsMax;
    if (stream === undefined || isKnown) return;
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
    this.#topics.publish(stream, frameWriter.bytes);
  }

  /** Publishes trades; those of one incoming order share a frame, which has the time of the first. */
  #publishTrades(trades: readonly TapeTrade[], nowMs: number): void {
    const stream = this.#live.get("trade");
    if (stream === undefined) return;
    let from = 0;
    while (from < trades.length) {
      const { tsUs: transactTime, takerOrderId } = trades[from] as TapeTrade;
      let to = from + 1;
      while (trades[to]?.takerOrderId === takerOrderId) to++;
      encodeTradesStreamEvent(frameWriter.reset(), {
        eventTime: nowMs * 1000,
        transactTime,
        ...this.#exponents,
        trades: trades.slice(from, to).map(({ tradeId, price, qty, takerSide }) => ({
          ...{ id: tradeId, price, qty },
          isBuyerMaker: takerSide === Side.sell,
        })),
        symbol: this.#view.market.symbol,
      });
      this.#topics.publish(stream, frameWriter.bytes);
      from = to;
    }
  }

  #publishBest(nowMs: number): void {
    const stream = this.#live.get("bestBidAsk");
    const { depth, depthSeq, market } = this.#view;
    if (stream === undefined || depthSeq === this.#bestSeq) return;
    this.#bestSeq = depthSeq;
    const [bidPrice, askPrice] = [depth.best(Side.buy), depth.best(Side.sell)];
    const [bidQty, askQty] = [depth.qtyAt(Side.buy, bidPrice), depth.qtyAt(Side.sell, askPrice)];
    const best = [bidPrice, bidQty, askPrice, askQty] as const;
    if (best.every((figure, at) => figure === this.#best[at])) return;
    this.#best = best;
    encodeBestBidAskStreamEvent(frameWriter.reset(), {
      eventTime: nowMs * 1000,
      bookUpdateId: depthSeq,
      ...this.#exponents,
      ...{ bidPrice, bidQty, askPrice, askQty },
      symbol: market.symbol,
    });
    this.#topics.publish(stream, frameWriter.bytes);
  }
}
