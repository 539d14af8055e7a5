// The streams of one front put together: topics, publisher, connections and their door. It is told of
// every committed event after the read model has folded it, and publishes when the turn is over.

import type { TemplatedApp } from "uWebSockets.js";
import type { VenueEvent } from "../../../core/events.ts";
import type { Clock } from "../../../ports/clock.ts";
import { ConnectionCounter } from "../../../services/access/connection-counter.ts";
import type { RateLimiter } from "../../../services/access/rate-limiter.ts";
import type { UwsServer } from "../server/uws-server.ts";
import { type ConnectionTimes, StreamConnections } from "./stream-connections.ts";
import { StreamDoor } from "./stream-door.ts";
import { type PublisherParts, StreamPublisher } from "./stream-publisher.ts";
import { StreamTopics } from "./stream-topics.ts";

export interface StreamOptions extends ConnectionTimes {
  /** Counts of `ConnectionCounter.allocate`, shared by all fronts. */
  readonly counterMemory: SharedArrayBuffer;
  readonly connectionsPerAddressMax: number;
}

export interface StreamParts extends PublisherParts {
  readonly limiter: RateLimiter;
  readonly server: UwsServer;
}

/** The server lets a socket linger in whole units of this. */
const lingerStepSeconds = 4;
const lingerSecondsMax = 960;

export class Streams {
  readonly #clock: Clock;
  readonly #topics: StreamTopics;
  readonly #publisher: StreamPublisher;
  readonly #connections: StreamConnections;
  #app: TemplatedApp | null = null;

  constructor(parts: StreamParts, options: StreamOptions) {
    const { model, clock, limiter, server } = parts;
    this.#clock = clock;
    this.#topics = new StreamTopics({
      publish: (topic, text) => void this.#app?.publish(topic, text),
      began: (stream) => this.#publisher.began(stream),
      ended: (stream) => this.#publisher.ended(stream),
    });
    this.#publisher = new StreamPublisher(this.#topics, parts);
    const counter = new ConnectionCounter(options.counterMemory, options.connectionsPerAddressMax);
    this.#connections = new StreamConnections({
      topics: this.#topics,
      counter,
      clock,
      times: options,
      openingText: ({ feed, market }) =>
        feed === "depth" ? this.#publisher.openingText(market) : "",
    });
    const door = new StreamDoor({
      table: model.state.table,
      clock,
      counter,
      limiter,
      connections: this.#connections,
      lingerSeconds: lingerSeconds(options.pongTimeoutMs),
      addressOf: (response, request) => server.addressOf(response, request),
    });
    server.attach((app) => {
      this.#app = app;
      door.mount(app);
    });
  }

  /** Open connections and streams with a subscriber. */
  get figures(): Record<string, number> {
    return {
      front_stream_connections: this.#connections.count,
      front_stream_connections_behind: this.#connections.behind,
      front_streams_live: this.#topics.count,
    };
  }

  /** Starts timers; before the door opens. */
  open(): void {
    this.#publisher.open();
    this.#connections.start();
  }

  /** Takes note of an event the read model has just folded; the object may be reused. */
  fold(event: VenueEvent): void {
    this.#publisher.fold(event);
  }

  /** Tells clients that the venue is about to stop. */
  announceStop(): void {
    this.#connections.announce(`{"e":"serverShutdown","E":${this.#clock.nowMs()}}`);
  }

  /** Closes every connection and stops the timers. */
  close(): void {
    this.#publisher.close();
    this.#connections.close();
  }
}

/** Longer than any client that answers pings is silent. */
function lingerSeconds(pongTimeoutMs: number): number {
  const steps = Math.ceil((2 * pongTimeoutMs) / 1000 / lingerStepSeconds);
  return Math.min(Math.max(steps, 2) * lingerStepSeconds, lingerSecondsMax);
}
