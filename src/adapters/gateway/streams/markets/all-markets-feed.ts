// Streams of all markets of a kind. Payloads of each market's feed are collected and published as one list a second;
// best prices are published one by one as they change. Lists omit markets that are delisted or have no price yet. Spec
// STR-37.

import { type Market, MarketStatus } from "../../../../core/markets.ts";
import type { ReadModel } from "../../read-model.ts";
import type { LiveStream, StreamTopics } from "../stream-topics.ts";
import type { MarketFeed } from "./market-feed.ts";

/** The newest unpublished payload of each market. */
interface GatheredList {
  readonly stream: LiveStream;
  readonly newest: Map<Market, string>;
}

export class AllMarketsFeed {
  readonly #model: ReadModel;
  readonly #topics: StreamTopics;
  readonly #feeds: readonly MarketFeed[];
  readonly #lists = new Map<string, GatheredList>();

  /** Creates the feed; `feeds` are the feeds of the compat view, the only view with such streams. */
  constructor(model: ReadModel, topics: StreamTopics, feeds: readonly MarketFeed[]) {
    this.#model = model;
    this.#topics = topics;
    this.#feeds = feeds;
  }

  begin(stream: LiveStream): void {
    const newest = new Map<Market, string>();
    const isListed = stream.feed !== "bookTicker";
    if (isListed) this.#lists.set(stream.key, { stream, newest });
    for (const feed of this.#feedsOf(stream)) {
      const { market } = feed.view;
      feed.gather(stream.feed, (payload) => {
        if (!this.#isShown(market)) return;
        if (isListed) newest.set(market, payload);
        else this.#topics.publish(stream, payload);
      });
    }
  }

  end(stream: LiveStream): void {
    this.#lists.delete(stream.key);
    for (const feed of this.#feedsOf(stream)) feed.gather(stream.feed, null);
  }

  /** Publishes each list collected since the last call. */
  publish(): void {
    for (const { stream, newest } of this.#lists.values()) {
      if (newest.size === 0) continue;
      this.#topics.publish(stream, `[${[...newest.values()].join(",")}]`);
      newest.clear();
    }
  }

  #feedsOf({ kind }: LiveStream): readonly MarketFeed[] {
    return this.#feeds.filter(({ view }) => view.market.kind === kind);
  }

  #isShown({ id }: Market): boolean {
    return this.#model.state.marketStatus[id] !== MarketStatus.delisted;
  }
}
