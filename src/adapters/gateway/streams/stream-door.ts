// Where stream connections come in: which paths they have, how many an address may hold, what a
// client may send and how much may wait for it. A refusal before the upgrade is an HTTP answer; one
// that only a stream list can earn is a close frame. Spec STR-2 to STR-8.

import type * as uWS from "uWebSockets.js";
import { streamBacklogBytesMax, streamFrameBytesMax } from "../../../core/limits.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ConnectionCounter } from "../../../services/access/connection-counter.ts";
import type { RateLimiter } from "../../../services/access/rate-limiter.ts";
import type { ClientAddress } from "../server/client-address.ts";
import { contentTypes } from "../server/http-call.ts";
import { errorBody, tooManyConnections } from "../surface-error.ts";
import { compatPrefix } from "../surface-view.ts";
import { CloseCode, type SocketData, StreamConnection } from "./stream-connection.ts";
import type { StreamConnections } from "./stream-connections.ts";
import { readStreamList, type StreamList } from "./stream-list.ts";
import { answerStreamRequest } from "./stream-requests.ts";

/** Opening a connection weighs as much as the smallest request. */
const upgradeWeight = 1;

const roots = [
  "",
  compatPrefix,
  ...["/public", "/market", "/private"].map((r) => compatPrefix + r),
];
const streamPaths = roots.flatMap((root) =>
  ["/ws", "/ws/*", "/stream", "/stream/"].map((path) => root + path),
);

export interface DoorParts {
  readonly table: MarketTable;
  readonly clock: Clock;
  readonly counter: ConnectionCounter;
  readonly limiter: RateLimiter;
  readonly connections: StreamConnections;
  /** Seconds a socket may stay after a close that the other side never answers. */
  readonly lingerSeconds: number;
  /** Opens the user data stream that a listen key stands for. */
  openUserStream(connection: StreamConnection, list: StreamList): void;
  addressOf(response: uWS.HttpResponse, request: uWS.HttpRequest): ClientAddress;
}

export class StreamDoor {
  readonly #parts: DoorParts;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  /** Puts the stream paths on the server. */
  mount(app: uWS.TemplatedApp): void {
    const { connections } = this.#parts;
    const behavior: uWS.WebSocketBehavior<SocketData> = {
      maxPayloadLength: streamFrameBytesMax,
      maxBackpressure: streamBacklogBytesMax,
      closeOnBackpressureLimit: false,
      // Pings are ours: the server's own would count any frame as a sign of life.
      sendPingsAutomatically: false,
      idleTimeout: this.#parts.lingerSeconds,
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (socket) => this.#open(socket),
      message: (socket, message, isBinary) =>
        this.#take(socket.getUserData().connection, message, isBinary),
      dropped: (socket) => connections.dropped(socket.getUserData().connection),
      drain: (socket) => connections.drained(socket.getUserData().connection),
      pong: (socket) => connections.ponged(socket.getUserData().connection),
      close: (socket) => connections.gone(socket.getUserData().connection),
    };
    for (const path of streamPaths) app.ws(path, behavior);
  }

  #upgrade(
    response: uWS.HttpResponse,
    request: uWS.HttpRequest,
    context: uWS.us_socket_context_t,
  ): void {
    const { addressOf, limiter, counter, clock, table } = this.#parts;
    const address = addressOf(response, request);
    const hasWeight = limiter.takePublicWeight(address.hash, upgradeWeight, clock.nowMs());
    const row = hasWeight ? counter.take(address.hash) : -1;
    if (row < 0) {
      response.cork(() => {
        response.writeStatus("429 Too Many Requests");
        response.writeHeader("content-type", contentTypes.json);
        response.end(errorBody(tooManyConnections));
      });
      return;
    }
    const list = readStreamList(request.getUrl(), request.getQuery() ?? "", table);
    response.upgrade<SocketData>(
      { connection: new StreamConnection({ list, address, row }) },
      request.getHeader("sec-websocket-key"),
      request.getHeader("sec-websocket-protocol"),
      request.getHeader("sec-websocket-extensions"),
      context,
    );
  }

  #open(socket: uWS.WebSocket<SocketData>): void {
    const connection = socket.getUserData().connection;
    const { connections } = this.#parts;
    connection.socket = socket;
    connections.opened(connection);
    const list = connection.takeOpening();
    if (list.fault !== "") {
      connection.end(CloseCode.policy, list.fault);
      return;
    }
    for (const name of list.names) connections.subscribe(connection, name);
    if (list.listenKey !== null) this.#parts.openUserStream(connection, list);
  }

  /** At root nothing is asked by frames, so nothing is read (specification: Events). */
  #take(connection: StreamConnection, message: ArrayBuffer, isBinary: boolean): void {
    if (connection.view === "root") return;
    const { connections, table, clock } = this.#parts;
    if (!connection.mayAsk(clock.nowMs())) {
      connection.end(CloseCode.policy, "too many requests");
      return;
    }
    const text = isBinary ? "" : Buffer.from(message).toString("utf8");
    const answer = answerStreamRequest(text, connection, { connections, table });
    if (answer !== "") connection.send(answer);
  }
}
