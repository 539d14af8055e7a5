// The streams of one front: topics, publisher, connections and their handler. The publisher and the user streams
// receive committed events after the read model has folded them, and publish at the end of the event loop's turn.

import type { TemplatedApp } from "uWebSockets.js";
import { MarketKind } from "../../../core/markets.ts";
import type { ListenKeyStore } from "../../../ports/access/listen-key-store.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Entropy } from "../../../ports/entropy.ts";
import type { Log } from "../../../ports/log.ts";
import { ConnectionCounter } from "../../../services/access/connection-counter.ts";
import type { RateLimiter } from "../../../services/access/rate-limiter.ts";
import type { SecretBox } from "../../../services/access/secret-box.ts";
import type { CommandBridge } from "../orders/command-bridge.ts";
import type { ErrorMap } from "../orders/order-flow.ts";
import type { RequestPipeline } from "../requests/request-pipeline.ts";
import type { CheckedRoute } from "../requests/route.ts";
import type { StoreWait } from "../requests/store-wait.ts";
import type { UwsServer } from "../server/uws-server.ts";
import { OrderSessions } from "./sessions/order-sessions.ts";
import { SessionGuards } from "./sessions/session-guards.ts";
import { CloseCode, type StreamConnection } from "./stream-connection.ts";
import { type ConnectionTimes, StreamConnections, venueNotices } from "./stream-connections.ts";
import { StreamHandler, type UserOpening } from "./stream-handler.ts";
import { type PublisherParts, StreamPublisher } from "./stream-publisher.ts";
import { StreamTopics, wrapped } from "./stream-topics.ts";
import { ListenKeys } from "./user/listen-keys.ts";
import { UserStreams } from "./user/user-streams.ts";

export interface StreamOptions extends ConnectionTimes {
  readonly listenKeys: ListenKeyStore;
  /** Time for which a listen key is valid after its last extension, in milliseconds. */
  readonly listenKeyMs: number;
  readonly entropy: Entropy;
  /** Memory from `ConnectionCounter.allocate` with the connections per client address, shared by all fronts. */
  readonly counterMemory: SharedArrayBuffer;
  readonly connectionsPerAddressMax: number;
}

export interface StreamParts extends PublisherParts {
  /** The time of connections: pings, limits, sessions. */
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly pipeline: RequestPipeline;
  readonly bridge: CommandBridge;
  /** How the surfaces of order sessions render refusals of clearing. */
  readonly errors: Readonly<Record<MarketKind, ErrorMap>>;
  readonly storeWait: StoreWait;
  /** Encrypts listen keys. */
  readonly secretBox: SecretBox;
  readonly deadlineMs: number;
  /** The compat route with that method name in the order sessions of a surface; undefined if there is none. */
  routeOf(name: `${"api" | "fapi"} ${string}`): CheckedRoute | undefined;
  catchUp(): void;
  readonly server: UwsServer;
  /** True if the compat view refuses streams that Binance has retired (COMPAT_STRICT). */
  readonly isStrict: boolean;
}

/** Linger times are multiples of this, in seconds, because the library counts in such steps. */
const lingerStepSeconds = 4;
const lingerSecondsMax = 960;

export class Streams {
  readonly #clock: Clock;
  readonly #topics: StreamTopics;
  readonly publisher: StreamPublisher;
  readonly #connections: StreamConnections;
  readonly #log: Log;
  readonly #pipeline: RequestPipeline;
  readonly #storeWait: StoreWait;
  readonly #isStrict: boolean;
  readonly users: UserStreams;
  readonly listenKeys: ListenKeys;
  readonly #sessions: OrderSessions;
  readonly guards: SessionGuards;
  /** Counts connections per client address, for all fronts. */
  readonly counter: ConnectionCounter;
  #sweeper: NodeJS.Timeout | null = null;
  #lookout: NodeJS.Timeout | null = null;
  #app: TemplatedApp | null = null;

  constructor(parts: StreamParts, options: StreamOptions) {
    const { model, clock, marketClock, limiter, server } = parts;
    this.#clock = clock;
    this.#log = parts.log;
    this.#pipeline = parts.pipeline;
    this.#storeWait = parts.storeWait;
    this.#isStrict = parts.isStrict;
    this.users = new UserStreams(model, marketClock);
    this.listenKeys = new ListenKeys({
      store: options.listenKeys,
      clock,
      entropy: options.entropy,
      box: parts.secretBox,
      lifeMs: options.listenKeyMs,
    });
    this.#topics = new StreamTopics({
      publish: (topic, frame) => void this.#app?.publish(topic, frame, typeof frame !== "string"),
      began: (stream) => this.publisher.began(stream),
      ended: (stream) => this.publisher.ended(stream),
    });
    this.publisher = new StreamPublisher(this.#topics, parts);
    const { counterMemory, connectionsPerAddressMax } = options;
    const counter = new ConnectionCounter(counterMemory, connectionsPerAddressMax);
    this.counter = counter;
    this.#connections = new StreamConnections({
      topics: this.#topics,
      counter,
      clock,
      times: options,
      openingText: (name) => this.publisher.openingText(name),
      caughtUp: (connection) => this.users.caughtUp(connection),
      closed: (connection) => {
        this.#sessions.leave(connection);
        this.users.leave(connection);
        this.listenKeys.leave(connection);
      },
    });
    this.guards = new SessionGuards({ ...parts, state: model.state });
    this.#sessions = new OrderSessions({ ...parts, users: this.users, guards: this.guards });
    const handler = new StreamHandler({
      table: model.state.table,
      clock,
      counter,
      limiter,
      connections: this.#connections,
      sessions: this.#sessions,
      isStrict: parts.isStrict,
      catchUp: parts.catchUp,
      lingerSeconds: lingerSeconds(options.pongTimeoutMs),
      openUserStream: (connection, opening) => void this.#openUserStream(connection, opening),
      closeUserStream: (connection) => this.#closeUserStream(connection),
      addressOf: (response, request) => server.addressOf(response, request),
    });
    server.attach((app) => {
      this.#app = app;
      handler.mount(app);
    });
  }

  /** Numbers of open connections and of streams with subscribers. */
  get figures() {
    return {
      front_stream_connections: this.#connections.count,
      front_stream_connections_behind: this.#connections.behind,
      front_streams_live: this.#topics.count,
    };
  }

  get hasClients(): boolean {
    return this.#connections.count > 0;
  }

  /** Starts the timers; called before the listener opens. */
  open(): void {
    this.#sweeper = setInterval(() => this.#sessions.sweep(), sessionSweepMs);
    this.#lookout = setInterval(() => void this.#endListenKeys(), lookoutMs);
  }

  /** Called when an order connection that cancels on disconnect has ended, whoever ended it. */
  endConnection(connectionId: number): void {
    this.guards.ended(connectionId);
  }

  /** Ends the streams of a revoked key, and cancels the orders of its connections; 0 means no key. */
  endKey(keyId: number): void {
    if (keyId === 0) return;
    for (const { connection } of this.guards.ofKey(keyId)) this.guards.loseKey(connection, keyId);
    for (const { connection } of this.users.ofKey(keyId)) this.#tellExpired(connection);
  }

  /**
   * Called when a key's permissions or addresses have changed: ends the streams that it no longer has the right to
   * read, and the order connections over which it no longer may trade. Spec KEY-11, COD-7.
   */
  checkKey(keyId: number): void {
    for (const { connection } of this.users.ofKey(keyId))
      void this.#pipeline.mayRead(keyId, connection.address.text).then((mayRead) => {
        if (!mayRead && connection.socket !== null) this.#tellExpired(connection);
      });
    for (const { connection, permission } of this.guards.ofKey(keyId))
      void this.#pipeline.may(permission, keyId, connection.address.text).then((may) => {
        if (!may) this.guards.loseKey(connection, keyId);
      });
  }

  /** Notifies clients that the venue is about to stop. */
  announceStop(): void {
    const text = `{"e":"serverShutdown","E":${this.#clock.nowMs()}}`;
    this.#connections.announce("!serverShutdown", text);
  }

  /** Closes every connection and stops the timers. */
  close(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    if (this.#lookout !== null) clearInterval(this.#lookout);
    this.publisher.close();
    this.#connections.close();
    this.guards.close();
  }

  async #openUserStream(connection: StreamConnection, opening: UserOpening): Promise<void> {
    const { listenKey, resumeFrom, confirm, refuse } = opening;
    // Set before the lookup, so that two concurrent requests do not open two user data streams.
    connection.listenKey = listenKey;
    try {
      const open = () => this.listenKeys.open(listenKey, connection);
      const request = {
        get isOver() {
          return connection.socket === null;
        },
      };
      const row = await this.#storeWait.result(request, open(), open);
      const { text: address } = connection.address;
      const mayRead = row !== null && (await this.#pipeline.mayRead(row.keyId, address));
      // The client may have disconnected while its key was looked up.
      if (connection.socket === null) return;
      if (connection.listenKey !== listenKey) {
        this.listenKeys.leave(connection);
        refuse("unsubscribed meanwhile", CloseCode.policy);
        return;
      }
      const isRetired = this.#isStrict && row?.surface === MarketKind.spot;
      if (row !== null && mayRead && !isRetired) {
        const { account, keyId } = row;
        const surface = row.surface as MarketKind;
        const wrap = (text: string) => (connection.isWrapped ? wrapped(listenKey, text) : text);
        confirm();
        this.users.subscribe(connection, { account, surface, keyId, resumeFrom, wrap });
        return;
      }
      connection.listenKey = null;
      refuse("unknown listenKey", CloseCode.policy);
    } catch (fault) {
      this.#log.error({ fault }, "failed to look up a listen key");
      connection.listenKey = null;
      refuse("try again", CloseCode.tryAgainLater);
    }
  }

  #closeUserStream(connection: StreamConnection): void {
    connection.listenKey = null;
    this.users.leave(connection);
    this.listenKeys.leave(connection);
  }

  async #endListenKeys(): Promise<void> {
    try {
      for (const connection of await this.listenKeys.ended()) this.#tellExpired(connection);
    } catch (fault) {
      // The failure is only logged, because the next check retries.
      this.#log.error({ fault }, "failed to look up listen keys");
    }
  }

  #tellExpired(connection: StreamConnection): void {
    const text = `{"e":"listenKeyExpired","E":${this.#clock.nowMs()}}`;
    connection.notice(venueNotices, text);
    connection.end(CloseCode.policy, "the listen key of this stream has ended");
  }
}

/** Interval of deadline checks: a request of an order session is refused at most this long after its deadline. */
const sessionSweepMs = 1000;

/**
 * Interval at which a front checks whether another front has ended a listen key. It is much shorter than a key's
 * lifetime.
 */
const lookoutMs = 10_000;

/**
 * Time in seconds after which the library closes a socket without traffic: longer than a client that answers pings can
 * be silent.
 */
function lingerSeconds(pongTimeoutMs: number): number {
  const steps = Math.ceil((2 * pongTimeoutMs) / 1000 / lingerStepSeconds);
  return Math.min(Math.max(steps, 2) * lingerStepSeconds, lingerSecondsMax);
}
