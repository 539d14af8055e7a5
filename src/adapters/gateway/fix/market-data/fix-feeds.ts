// The FIX streams of all spot markets of a front. The publisher of streams tells them what happens; the timer of depth runs
// while a stream of depth has a session.

import type { Market } from "../../../../core/markets.ts";
import { MarketKind } from "../../../../core/markets.ts";
import type { Clock } from "../../../../ports/clock.ts";
import type { ReadModel } from "../../read-model.ts";
import type { SpotStream } from "../../streams/markets/spot-feed.ts";
import { type StreamPublisher, streamCadence } from "../../streams/stream-publisher.ts";
import { FixFeed, type RefreshTaker } from "./fix-feed.ts";

/** A stream of one market. */
export interface FixStream {
  readonly market: Market;
  readonly stream: SpotStream;
}

export class FixFeeds {
  readonly #publisher: StreamPublisher;
  readonly #clock: Clock;
  /** By market; only spot has feeds. */
  readonly #feeds: readonly (FixFeed | undefined)[];
  #depthStreams = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(model: ReadModel, publisher: StreamPublisher, clock: Clock) {
    this.#publisher = publisher;
    this.#clock = clock;
    this.#feeds = model.views.map((view) =>
      view.market.kind === MarketKind.spot ? new FixFeed(view) : undefined,
    );
    publisher.add(this.#feeds.map((fix) => fix?.feed));
  }

  /** Begins a stream; returns the fields of its snapshot, or null if it has none. */
  begin({ market, stream }: FixStream, take: RefreshTaker, levels: number): string | null {
    const feed = this.#feeds[market.id];
    const text = feed?.begin(stream, take, levels, this.#clock.nowMs()) ?? null;
    this.#count(stream, 1);
    this.#publisher.settle();
    return text;
  }

  end({ market, stream }: FixStream, take: RefreshTaker): void {
    this.#feeds[market.id]?.end(stream, take);
    this.#count(stream, -1);
    this.#publisher.settle();
  }

  #count(stream: SpotStream, change: number): void {
    if (stream !== "depth") return;
    this.#depthStreams += change;
    if (this.#depthStreams > 0) this.#timer ??= setInterval(this.#tick, streamCadence.changesMs);
    else if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  readonly #tick = (): void => {
    const nowMs = this.#clock.nowMs();
    for (const fix of this.#feeds) fix?.feed.publishChanges(nowMs);
  };
}
