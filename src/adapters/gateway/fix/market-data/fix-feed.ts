// The FIX streams of one spot market. What happens is rendered once, and every session with the stream gets the same text.
// A session that begins gets a snapshot first; what is pending then goes to the others before it, so that the next
// refresh continues where the snapshot ends. Spec FIX-38 to FIX-40.

import type { TapeTrade } from "../../../../engine/market-data/trade-tape.ts";
import { type ShownMarket, shownIn } from "../../orders/order-format.ts";
import type { MarketView } from "../../read-model.ts";
import {
  type BestPrices,
  type ChangedLevels,
  SpotFeed,
  type SpotFrames,
  type SpotStream,
} from "../../streams/markets/spot-feed.ts";
import type { SharedText } from "../field-writer.ts";
import { sharedText } from "../fix-codec.ts";
import { bestText, changesText, snapshotText, tradesText } from "./market-feed-texts.ts";

/** Takes the fields of a refresh. */
export type RefreshTaker = (text: SharedText) => void;

export class FixFeed implements SpotFrames {
  readonly feed: SpotFeed;
  readonly #market: ShownMarket;
  readonly #takers = new Map<SpotStream, Set<RefreshTaker>>();

  constructor(view: MarketView) {
    this.feed = new SpotFeed(view, this);
    this.#market = shownIn("compat", view.market);
  }

  /**
   * Begins a stream for `take`. Returns the fields of the snapshot with which it begins, of at most `levels` per side;
   * null for trades, which have none.
   */
  begin(stream: SpotStream, take: RefreshTaker, levels: number, nowMs: number): string | null {
    const takers = this.#takers.get(stream) ?? new Set();
    this.#takers.set(stream, takers);
    if (takers.size === 0) this.feed.begin(stream);
    if (stream === "depth") this.feed.publishChanges(nowMs);
    else if (stream === "bestBidAsk") this.feed.sendBest(nowMs);
    takers.add(take);
    return stream === "trade" ? null : snapshotText(this.#market, this.feed.view, levels);
  }

  end(stream: SpotStream, take: RefreshTaker): void {
    const takers = this.#takers.get(stream);
    if (takers?.delete(take) && takers.size === 0) this.feed.end(stream);
  }

  trades(trades: readonly TapeTrade[]): void {
    this.#send("trade", tradesText(this.#market, trades));
  }

  best(best: BestPrices, before: BestPrices): void {
    const seq = this.feed.view.depthSeq;
    this.#send("bestBidAsk", bestText(this.#market, { best, before, seq }));
  }

  changes(levels: ChangedLevels): void {
    this.#send("depth", changesText(this.#market, levels));
  }

  #send(stream: SpotStream, fields: string): void {
    const text = sharedText(fields);
    for (const take of this.#takers.get(stream) ?? []) take(text);
  }
}
