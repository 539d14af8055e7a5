// All stream connections of this front: opening, pings and pongs, slow readers, closing. Each connection gets a ping at
// a fixed interval; a bounded number of pings is sent at a time. A connection whose client has not answered within the
// timeout is closed. Only pongs count as answers. Spec STR-6, STR-7, STR-12.

import { streamBacklogBytesMax } from "../../../core/limits.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ConnectionCounter } from "../../../services/access/connection-counter.ts";
import { CloseCode, type StreamConnection } from "./stream-connection.ts";
import type { StreamName } from "./stream-name.ts";
import { type StreamTopics, topicOf, wrapped } from "./stream-topics.ts";

export interface ConnectionTimes {
  /** Interval of pings in milliseconds (20 s). */
  readonly pingMs: number;
  /** Time without a pong after which a connection is closed, in milliseconds (60 s). */
  readonly pongTimeoutMs: number;
}

/** Maximum number of pings that are sent at a time. Sending this many takes a few milliseconds of system calls. */
const pingsPerSweepMax = 500;
const sweepMsMax = 250;

/** Stream name of the venue's notices on combined connections. */
export const venueNotices = "!venue";

/** Size in bytes to which the backlog of a slow client must shrink before the client gets frames again. */
const caughtUpBytes = streamBacklogBytesMax / 4;

export interface ConnectionsParts {
  readonly topics: StreamTopics;
  readonly counter: ConnectionCounter;
  readonly clock: Clock;
  readonly times: ConnectionTimes;
  /** The first frame of a stream for a new subscriber; empty for most streams. */
  openingText(name: StreamName): string;
  /** Called when a connection gets frames again, after its client had read too slowly. */
  caughtUp(connection: StreamConnection): void;
  closed(connection: StreamConnection): void;
}

export class StreamConnections {
  readonly #parts: ConnectionsParts;
  /** Open connections in the order of their next ping. */
  readonly #open = new Set<StreamConnection>();
  #behind = 0;
  #sweeper: NodeJS.Timeout | null = null;
  readonly #slow: StreamConnection[] = [];
  readonly #settle = () => this.#settleSlow();

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Number of connections whose clients read too slowly. */
  get behind(): number {
    return this.#behind;
  }

  /**
   * Sends a text to every connection of the compat view. On combined connections, the frame carries the stream name
   * `name`.
   */
  announce(name: string, text: string): void {
    for (const connection of this.#open) {
      if (connection.view === "compat") connection.notice(name, text);
    }
  }

  /** Closes every connection with a reason, and stops the pings. */
  close(): void {
    for (const connection of [...this.#open]) {
      connection.end(CloseCode.goingAway, "the venue is stopping");
    }
    this.#stopSweeper();
  }

  opened(connection: StreamConnection): void {
    const nowMs = this.#parts.clock.nowMs();
    connection.lastPongMs = nowMs;
    connection.nextPingMs = nowMs + this.#parts.times.pingMs;
    this.#open.add(connection);
    this.#startSweeper();
  }

  /** Called when the socket is closed and must not be used any more. */
  gone(connection: StreamConnection): void {
    connection.socket = null;
    if (connection.isBehind) this.#behind--;
    this.#open.delete(connection);
    if (this.#open.size === 0) this.#stopSweeper();
    for (const name of connection.streams.values()) {
      this.#parts.topics.remove(name, connection);
    }
    connection.streams.clear();
    this.#parts.counter.release(connection.row);
    this.#parts.closed(connection);
  }

  ponged(connection: StreamConnection): void {
    connection.lastPongMs = this.#parts.clock.nowMs();
    connection.lastHeardMs = connection.lastPongMs;
  }

  /** Called when any frame but a pong has arrived. */
  heard(connection: StreamConnection): void {
    connection.lastHeardMs = this.#parts.clock.nowMs();
  }

  /** Adds a stream to a connection; does nothing if the connection already has it. */
  subscribe(connection: StreamConnection, name: StreamName): void {
    const topic = topicOf(name, connection);
    if (connection.streams.has(topic)) return;
    connection.streams.set(topic, name);
    this.#parts.topics.add(name, connection);
    if (!connection.isBehind) this.#begin(connection, topic, name);
  }

  /** Removes a stream from a connection; returns false if the connection did not have it. */
  unsubscribe(connection: StreamConnection, name: StreamName): boolean {
    const topic = topicOf(name, connection);
    if (!connection.streams.delete(topic)) return false;
    connection.socket?.unsubscribe(topic);
    this.#parts.topics.remove(name, connection);
    return true;
  }

  /**
   * Called when the server dropped a frame because the client reads too slowly. The call may come while frames are
   * being sent to other clients.
   */
  dropped(connection: StreamConnection): void {
    connection.dropped++;
    if (connection.isBehind) return;
    connection.isBehind = true;
    this.#behind++;
    if (this.#slow.length === 0) setImmediate(this.#settle);
    this.#slow.push(connection);
  }

  /** Called when part of the backlog has been sent. */
  drained(connection: StreamConnection): void {
    const { socket } = connection;
    if (!connection.isBehind || socket === null) return;
    if (socket.getBufferedAmount() <= caughtUpBytes) this.#catchUp(connection);
  }

  #settleSlow(): void {
    for (const connection of this.#slow.splice(0)) {
      for (const topic of connection.streams.keys()) connection.socket?.unsubscribe(topic);
      this.drained(connection);
    }
  }

  /**
   * Resumes the streams and notifies the client. Closes the connection instead if it has a trade stream of the root
   * view or a stream of orders, or if an answer was dropped, because what was lost cannot be sent again.
   */
  #catchUp(connection: StreamConnection): void {
    const names = [...connection.streams.values()];
    if (connection.view === "root" && names.some(({ feed }) => feed === "trade")) {
      connection.end(CloseCode.tryAgainLater, "read too slowly: trades were missed");
      return;
    }
    if (names.some(({ feed }) => feed === "order")) {
      connection.end(CloseCode.tryAgainLater, "read too slowly: changes of orders were missed");
      return;
    }
    if (connection.hasMissedAnswer) {
      connection.end(CloseCode.tryAgainLater, "read too slowly: answers were missed");
      return;
    }
    const { dropped } = connection;
    connection.isBehind = false;
    this.#behind--;
    connection.dropped = 0;
    if (connection.view === "compat") this.#tellConflated(connection, names, dropped);
    for (const [topic, name] of connection.streams) this.#begin(connection, topic, name);
    this.#parts.caughtUp(connection);
  }

  #tellConflated(
    connection: StreamConnection,
    names: readonly StreamName[],
    dropped: number,
  ): void {
    const streams = JSON.stringify(names.map(({ requested }) => requested));
    const nowMs = this.#parts.clock.nowMs();
    const text = `{"e":"conflated","E":${nowMs},"dropped":${dropped},"streams":${streams}}`;
    connection.notice(venueNotices, text);
  }

  #begin(connection: StreamConnection, topic: string, name: StreamName): void {
    const opening = this.#parts.openingText(name);
    if (opening !== "") {
      connection.send(connection.isWrapped ? wrapped(name.requested, opening) : opening);
    }
    connection.socket?.subscribe(topic);
  }

  #startSweeper(): void {
    const { pingMs } = this.#parts.times;
    const everyMs = Math.max(Math.min(pingMs / 4, sweepMsMax), 1);
    this.#sweeper ??= setInterval(() => this.#sweep(), everyMs);
  }

  #stopSweeper(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
  }

  #sweep(): void {
    const { clock, times } = this.#parts;
    const nowMs = clock.nowMs();
    let pings = 0;
    for (const connection of this.#open) {
      if (connection.nextPingMs > nowMs || pings === pingsPerSweepMax) return;
      pings++;
      if (nowMs - connection.lastPongMs >= times.pongTimeoutMs) {
        connection.end(CloseCode.policy, "no pong in time");
        continue;
      }
      this.#open.delete(connection);
      connection.nextPingMs = nowMs + times.pingMs;
      connection.socket?.ping(`${nowMs}`);
      this.#open.add(connection);
    }
  }
}
