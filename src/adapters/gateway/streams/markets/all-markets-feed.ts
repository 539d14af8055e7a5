// Streams of all markets of a kind: what each market's feed makes is gathered and told as one list a second,
// best prices one by one as they change. A market that is delisted, or has no price yet, is not in a list.
// Spec STR-37.

import { type Market, MarketStatus } from "../../../../core/markets.ts";
import type { ReadModel } from "../../read-model.ts";
import type { LiveStream, StreamTopics } from "../stream-topics.ts";
import type { MarketFeed } from "./market-feed.ts";

/** The newest payload of each market that was not told yet. */
interface GatheredList {
  readonly stream: LiveStream;
  readonly newest: Map<Market, string>;
}

export class AllMarketsFeed {
  readonly #model: ReadModel;
  readonly #topics: StreamTopics;
  readonly #feeds: readonly MarketFeed[];
  readonly #lists = new Map<string, GatheredList>();

  /** `feeds` are those of the compat view, which alone has such streams. */
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

  /** Tells each list what was gathered since. */
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
