// Streams with subscribers, and their topics on the server. A payload is built once. It is then rendered and published
// once for each form that a subscriber requested. A form has a time unit, and is either the bare payload or the payload
// wrapped with a stream name. Each form is one topic, and the server library sends the text to its subscribers.

import type { Market, MarketKind } from "../../../core/markets.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { frameInMicroseconds } from "../server/microseconds.ts";
import type { FeedName, StreamName } from "./stream-name.ts";

/** The frame format of a connection. */
export interface FrameForm {
  /** True if each frame carries the name of its stream. */
  readonly isWrapped: boolean;
  readonly usesMicroseconds: boolean;
  /** True if market data is SBE, which has one form: frames name their market, and times are microseconds. */
  readonly isSbe: boolean;
}

/** One form of a stream that has listeners. */
interface LiveForm {
  readonly topic: string;
  /** The name with which the payload is wrapped; null for the bare payload. */
  readonly requested: string | null;
  readonly usesMicroseconds: boolean;
  connections: number;
}

/** A stream with listeners. */
export interface LiveStream {
  readonly feed: FeedName;
  /** The market of the stream; null for a stream of all markets. */
  readonly market: Market | null;
  readonly kind: MarketKind;
  readonly view: SurfaceView;
  readonly isSbe: boolean;
  /** The key of the stream, the same for every spelling of its name. */
  readonly key: string;
  /** The forms that have listeners, by topic. */
  readonly forms: Map<string, LiveForm>;
}

export interface TopicOutlet {
  /** Sends a text, or the bytes of a binary frame, to every socket subscribed to the topic. */
  publish(topic: string, frame: string | Uint8Array): void;
  /** Called when a stream gets its first subscriber. */
  began(stream: LiveStream): void;
  /** Called when a stream loses its last subscriber. */
  ended(stream: LiveStream): void;
}

/**
 * The topic of a stream in one form. One name can mean several streams: a name of all markets means spot or perpetuals,
 * and any other name means the stream of either view. The topic of a wrapped stream therefore contains the kind or the
 * view besides the name.
 */
export function topicOf(
  name: StreamName,
  { isWrapped, usesMicroseconds, isSbe }: FrameForm,
): string {
  const { market, kind, view, requested, key } = name;
  if (isSbe) return `sbe/${key}`;
  const unit = usesMicroseconds ? "us/" : "";
  return isWrapped ? `${unit}w/${market === null ? kind : view}/${requested}` : `${unit}b/${key}`;
}

export class StreamTopics {
  readonly #outlet: TopicOutlet;
  readonly #streams = new Map<string, LiveStream>();

  constructor(outlet: TopicOutlet) {
    this.#outlet = outlet;
  }

  /** Number of streams that have a subscriber. */
  get count(): number {
    return this.#streams.size;
  }

  add(name: StreamName, form: FrameForm): void {
    let stream = this.#streams.get(name.key);
    if (stream === undefined) {
      const { feed, market, kind, view, key } = name;
      stream = { feed, market, kind, view, isSbe: form.isSbe, key, forms: new Map() };
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

  /** Publishes a payload: the bytes of a frame on a stream in SBE, else a JSON text. */
  publish(stream: LiveStream, payload: string | Uint8Array): void {
    for (const { topic, requested, usesMicroseconds } of stream.forms.values()) {
      if (typeof payload !== "string") {
        this.#outlet.publish(topic, payload);
        continue;
      }
      const published = usesMicroseconds ? frameInMicroseconds(payload) : payload;
      this.#outlet.publish(topic, requested === null ? published : wrapped(requested, published));
    }
  }
}

/** A payload wrapped with its stream name, for combined connections. */
export function wrapped(stream: string, payload: string): string {
  return `{"stream":"${stream}","data":${payload}}`;
}
