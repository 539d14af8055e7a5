// Streams with subscribers, and their topics on the server. A payload is built once; each requested form of
// it (bare, or wrapped with a requested name, and the unit of its times) is one text and one topic, however
// many sockets listen. Nothing here runs once per subscriber.

import type { Market, MarketKind } from "../../../core/markets.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { frameInMicroseconds } from "../server/microseconds.ts";
import type { FeedName, StreamName } from "./stream-name.ts";

/** The frame format of a connection. */
export interface FrameForm {
  /** Frames carry the name of their stream. */
  readonly isWrapped: boolean;
  readonly usesMicroseconds: boolean;
}

/** One form of a stream with listeners. */
interface LiveForm {
  readonly topic: string;
  /** The name it is wrapped under; null for the bare payload. */
  readonly requested: string | null;
  readonly usesMicroseconds: boolean;
  connections: number;
}

/** A stream with listeners. */
export interface LiveStream {
  readonly feed: FeedName;
  /** Null for a stream of all markets. */
  readonly market: Market | null;
  readonly kind: MarketKind;
  readonly view: SurfaceView;
  /** Equal for equal streams. */
  readonly key: string;
  /** By topic. */
  readonly forms: Map<string, LiveForm>;
}

export interface TopicOutlet {
  /** Sends a text to every socket subscribed to the topic. */
  publish(topic: string, text: string): void;
  /** A stream has got its first subscriber. */
  began(stream: LiveStream): void;
  /** A stream has lost its last subscriber. */
  ended(stream: LiveStream): void;
}

/**
 * The topic of a name in a form. A stream of all markets exists once per market kind, any other stream once per
 * view.
 */
export function topicOf(name: StreamName, { isWrapped, usesMicroseconds }: FrameForm): string {
  const { market, kind, view, requested, key } = name;
  const unit = usesMicroseconds ? "us/" : "";
  return isWrapped ? `${unit}w/${market === null ? kind : view}/${requested}` : `${unit}b/${key}`;
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

  add(name: StreamName, form: FrameForm): void {
    let stream = this.#streams.get(name.key);
    if (stream === undefined) {
      const { feed, market, kind, view, key } = name;
      stream = { feed, market, kind, view, key, forms: new Map() };
      this.#streams.set(key, stream);
      this.#outlet.began(stream);
    }
    const topic = topicOf(name, form);
    const live = stream.forms.get(topic);
    if (live !== undefined) live.connections++;
    else {
      const { isWrapped, usesMicroseconds } = form;
      const requested = isWrapped ? name.requested : null;
      stream.forms.set(topic, { topic, requested, usesMicroseconds, connections: 1 });
    }
  }

  remove(name: StreamName, form: FrameForm): void {
    const stream = this.#streams.get(name.key);
    const live = stream?.forms.get(topicOf(name, form));
    if (stream === undefined || live === undefined) return;
    live.connections--;
    if (live.connections === 0) stream.forms.delete(live.topic);
    if (stream.forms.size > 0) return;
    this.#streams.delete(name.key);
    this.#outlet.ended(stream);
  }

  publish(stream: LiveStream, payload: string): void {
    for (const { topic, requested, usesMicroseconds } of stream.forms.values()) {
      const published = usesMicroseconds ? frameInMicroseconds(payload) : payload;
      this.#outlet.publish(topic, requested === null ? published : wrapped(requested, published));
    }
  }
}

/** A payload in the form for combined connections. */
export function wrapped(stream: string, payload: string): string {
  return `{"stream":"${stream}","data":${payload}}`;
}
