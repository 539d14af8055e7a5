// What happens in one spot market, for streams that are not JSON: trades and best prices as they happen, and changed
// levels at intervals. It decides when there is something to send; the frames of a format render and send it, once for
// all listeners. Without a listener it collects nothing.

import type { Traded } from "../../../../core/generated/events.ts";
import { Side } from "../../../../core/orders.ts";
import type { DepthChanges } from "../../../../engine/market-data/depth-book.ts";
import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import type { MarketView } from "../../read-model.ts";
import { TradeQueue } from "./trade-queue.ts";

/** Best prices in ticks and their quantities in lots; 0 for a side without orders. */
export interface BestPrices {
  readonly bidPrice: number;
  readonly bidQty: number;
  readonly askPrice: number;
  readonly askQty: number;
}

/** The levels that changed between two update ids. `take` can be called once for each side. */
export interface ChangedLevels {
  readonly first: number;
  readonly last: number;
  readonly changes: DepthChanges;
}

/** Renders what happened in one format, and sends it. */
export interface SpotFrames {
  /** Trades of one incoming order. */
  trades(trades: readonly TapeTrade[], nowMs: number): void;
  best(best: BestPrices, before: BestPrices, nowMs: number): void;
  changes(levels: ChangedLevels, nowMs: number): void;
}

export const spotStreams = ["trade", "bestBidAsk", "depth"] as const;
export type SpotStream = (typeof spotStreams)[number];

const noPrices: BestPrices = { bidPrice: 0, bidQty: 0, askPrice: 0, askQty: 0 };

export class SpotFeed {
  readonly view: MarketView;
  readonly #frames: SpotFrames;
  readonly #live = new Set<SpotStream>();
  readonly #queue = new TradeQueue();
  /** Update id of the last diff-depth frame, and the levels that changed since then; null without listeners. */
  #depthSeq = 0;
  #changes: DepthChanges | null = null;
  /** Update id of the last best prices that were looked at, and the prices and quantities of the last frame. */
  #bestSeq = -1;
  #best = noPrices;

  constructor(view: MarketView, frames: SpotFrames) {
    this.view = view;
    this.#frames = frames;
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

  /** True if the queue is full and must be published before anything else. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  begin(stream: SpotStream): void {
    this.#live.add(stream);
    if (stream !== "depth") return;
    this.#changes = this.view.depth.watch();
    this.#depthSeq = this.view.depthSeq;
  }

  end(stream: SpotStream): void {
    this.#live.delete(stream);
    if (stream === "trade") this.#queue.clear();
    if (stream !== "depth" || this.#changes === null) return;
    this.view.depth.unwatch(this.#changes);
    this.#changes = null;
  }

  /** Queues a trade that was just folded. The event object may be reused afterwards. */
  traded(trade: Traded): void {
    this.#queue.add(trade);
  }

  /** Called when the transaction of the queued trades is complete. */
  transactionEnded(): void {
    this.#queue.complete();
  }

  /**
   * Sends about `budget` queued trades, those of one incoming order together, and the best prices. Returns the number of
   * trades sent.
   */
  pump(nowMs: number, budget: number): number {
    const trades = this.#queue.takeOrders(budget);
    this.#sendTrades(trades, nowMs);
    if (this.#live.has("bestBidAsk")) this.sendBest(nowMs);
    return trades.length;
  }

  /** Sends the best prices if they have changed since they were last sent. */
  sendBest(nowMs: number): void {
    const { depth, depthSeq } = this.view;
    if (depthSeq === this.#bestSeq) return;
    this.#bestSeq = depthSeq;
    const [bidPrice, askPrice] = [depth.best(Side.buy), depth.best(Side.sell)];
    const bidQty = depth.qtyAt(Side.buy, bidPrice);
    const askQty = depth.qtyAt(Side.sell, askPrice);
    const before = this.#best;
    const isSame =
      bidPrice === before.bidPrice &&
      bidQty === before.bidQty &&
      askPrice === before.askPrice &&
      askQty === before.askQty;
    if (isSame) return;
    this.#best = { bidPrice, bidQty, askPrice, askQty };
    this.#frames.best(this.#best, before, nowMs);
  }

  /** Sends the levels that changed since the last diff frame, or nothing if none changed. */
  publishChanges(nowMs: number): void {
    const changes = this.#changes;
    const { depthSeq: last } = this.view;
    if (changes === null || last === this.#depthSeq) return;
    const first = this.#depthSeq + 1;
    this.#depthSeq = last;
    this.#frames.changes({ first, last, changes }, nowMs);
  }

  /** Trades of one incoming order go together. */
  #sendTrades(trades: readonly TapeTrade[], nowMs: number): void {
    let from = 0;
    while (from < trades.length) {
      const taker = trades[from]?.takerOrderId;
      let to = from + 1;
      while (to < trades.length && trades[to]?.takerOrderId === taker) to++;
      this.#frames.trades(trades.slice(from, to), nowMs);
      from = to;
    }
  }
}
