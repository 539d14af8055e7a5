// Which streams have a subscriber, and under which topics of the server. A payload is put together
// once; each form in which it was asked for (bare, or wrapped under a requested name) is one text
// and one topic, however many sockets listen. Nothing here runs once per subscriber.

import type { Market, MarketKind } from "../../../core/markets.ts";
import type { SurfaceView } from "../surface-view.ts";
import type { FeedName, StreamName } from "./stream-name.ts";

/** A stream somebody listens to. */
export interface LiveStream {
  readonly feed: FeedName;
  /** Null: of all markets. */
  readonly market: Market | null;
  readonly kind: MarketKind;
  readonly view: SurfaceView;
  readonly topic: string;
  /** Connections that get the bare payload. */
  bare: number;
  /** Connections that get it wrapped, by the name they asked for. */
  readonly wrapped: Map<string, number>;
}

export interface TopicOutlet {
  /** Sends a text to every socket subscribed to the topic. */
  publish(topic: string, text: string): void;
  /** A stream has its first subscriber. */
  began(stream: LiveStream): void;
  /** A stream has lost its last. */
  ended(stream: LiveStream): void;
}

/** A name of all markets is one stream for each kind, any other one for each view. */
function wrappedTopic(
  { market, kind, view }: Pick<StreamName, "market" | "kind" | "view">,
  requested: string,
): string {
  return `w/${market === null ? kind : view}/${requested}`;
}

/** The topic of a name in one of its two forms. */
export function topicOf(name: StreamName, isWrapped: boolean): string {
  return isWrapped ? wrappedTopic(name, name.requested) : `b/${name.key}`;
}

export class StreamTopics {
  readonly #outlet: TopicOutlet;
  readonly #streams = new Map<string, LiveStream>();

  constructor(outlet: TopicOutlet) {
    this.#outlet = outlet;
  }

  /** Streams with a subscriber. */
  get count(): number {
    return this.#streams.size;
  }

  add(name: StreamName, isWrapped: boolean): void {
    let stream = this.#streams.get(name.key);
    if (stream === undefined) {
      const { feed, market, kind, view, key } = name;
      stream = { feed, market, kind, view, topic: `b/${key}`, bare: 0, wrapped: new Map() };
      this.#streams.set(key, stream);
      this.#outlet.began(stream);
    }
    if (isWrapped) {
      stream.wrapped.set(name.requested, (stream.wrapped.get(name.requested) ?? 0) + 1);
    } else stream.bare++;
  }

  remove(name: StreamName, isWrapped: boolean): void {
    const stream = this.#streams.get(name.key);
    if (stream === undefined) return;
    if (!isWrapped) stream.bare--;
    else {
      const count = (stream.wrapped.get(name.requested) ?? 0) - 1;
      if (count > 0) stream.wrapped.set(name.requested, count);
      else stream.wrapped.delete(name.requested);
    }
    if (stream.bare > 0 || stream.wrapped.size > 0) return;
    this.#streams.delete(name.key);
    this.#outlet.ended(stream);
  }

  publish(stream: LiveStream, payload: string): void {
    if (stream.bare > 0) this.#outlet.publish(stream.topic, payload);
    for (const requested of stream.wrapped.keys()) {
      this.#outlet.publish(wrappedTopic(stream, requested), wrapped(requested, payload));
    }
  }
}

/** A payload as combined connections get it. */
export function wrapped(stream: string, payload: string): string {
  return `{"stream":"${stream}","data":${payload}}`;
}
