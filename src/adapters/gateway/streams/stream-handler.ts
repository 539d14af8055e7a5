// Accepts stream connections and enforces limits: paths, connections per address, size and rate of client frames,
// backlog. A connection refused before the upgrade gets an HTTP answer; a bad stream list is answered with a close
// frame. Spec STR-2 to STR-8.

import type * as uWS from "uWebSockets.js";
import {
  sessionFrameBytesMax,
  streamBacklogBytesMax,
  streamFrameBytesMax,
  streamSnapshotLevels,
} from "../../../core/limits.ts";
import { MarketKind, type MarketTable } from "../../../core/markets.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { ConnectionCounter } from "../../../services/access/connection-counter.ts";
import type { RateLimiter } from "../../../services/access/rate-limiter.ts";
import { connectionWeight, spotDepthWeight } from "../../../services/access/request-weight.ts";
import { errorBody, type SurfaceError, tooManyConnections } from "../requests/surface-error.ts";
import { compatPrefix } from "../requests/surface-view.ts";
import { wantedOfConnection } from "../requests/wanted-form.ts";
import type { ClientAddress } from "../server/client-address.ts";
import { contentTypes, keptOpen, statusLine } from "../server/http-call.ts";
import type { OrderSessions } from "./sessions/order-sessions.ts";
import { CloseCode, type SocketData, StreamConnection } from "./stream-connection.ts";
import type { StreamConnections } from "./stream-connections.ts";
import { readStreamList, type StreamList, sbePrefix } from "./stream-list.ts";
import type { StreamName } from "./stream-name.ts";
import { answerStreamRequest } from "./stream-requests.ts";

const bookWeight = spotDepthWeight(streamSnapshotLevels);

const roots = [
  "",
  compatPrefix,
  sbePrefix,
  ...["/public", "/market", "/private"].map((r) => compatPrefix + r),
];
const streamPaths = roots.flatMap((root) =>
  ["/ws", "/ws/*", "/stream", "/stream/"].map((path) => root + path),
);

/** Paths of order sessions by surface. */
const sessionPaths = [
  [`${compatPrefix}/ws-api/v3`, MarketKind.spot],
  [`${compatPrefix}/ws-fapi/v1`, MarketKind.perpetual],
] as const;

/** The stream list of an order session, whose URL names no streams. */
const emptyList: StreamList = {
  view: "compat",
  isWrapped: false,
  usesMicroseconds: false,
  isFutures: false,
  isStrict: false,
  ...{ isSbe: false, sbe: null },
  names: [],
  listenKey: null,
  resumeFrom: null,
  fault: "",
};

/** Returns whether the URL of an order session turns off the rate limits in answers. */
function hidesLimits(query: string): boolean {
  return query.split("&").some((pair) => /^returnRateLimits=false$/i.test(pair));
}

/** The settings in the URL of an order session. Only spot offers a choice of time units. */
function sessionList(surface: MarketKind, query: string): StreamList {
  const wanted = surface === MarketKind.spot ? wantedOfConnection(query, true) : {};
  return { ...emptyList, ...wanted, session: { showsLimits: !hidesLimits(query) } };
}

/** The callbacks of one kind of connection. */
interface ConnectionRole {
  listOf(path: string, query: string): StreamList;
  opened(connection: StreamConnection): void;
  take(connection: StreamConnection, text: string): void;
}

/** A user data stream requested by a connection, and the callbacks for granting or refusing it. */
export interface UserOpening {
  readonly listenKey: string;
  readonly resumeFrom: number | null;
  /** Called before the first frame of the stream. */
  confirm(): void;
  /** Called if the stream is refused. A connection that has no other stream is closed with `code`. */
  refuse(message: string, code: number): void;
}

export interface StreamHandlerParts {
  readonly table: MarketTable;
  readonly clock: Clock;
  readonly counter: ConnectionCounter;
  readonly limiter: RateLimiter;
  readonly connections: StreamConnections;
  /** Seconds for which a socket stays open after a close that the client does not answer. */
  readonly lingerSeconds: number;
  readonly sessions: OrderSessions;
  /** True if the compat view refuses streams that Binance has retired. */
  readonly isStrict: boolean;
  /** Folds everything committed so far, and from now on at once; called before a connection gets anything. */
  catchUp(): void;
  /** Opens the user data stream of a listen key. */
  openUserStream(connection: StreamConnection, opening: UserOpening): void;
  closeUserStream(connection: StreamConnection): void;
  addressOf(response: uWS.HttpResponse, request: uWS.HttpRequest): ClientAddress;
}

export class StreamHandler {
  readonly #parts: StreamHandlerParts;

  constructor(parts: StreamHandlerParts) {
    this.#parts = parts;
  }

  /** Mounts the stream paths on the server. */
  mount(app: uWS.TemplatedApp): void {
    const { table, sessions, isStrict } = this.#parts;
    const streams = this.#behavior(streamFrameBytesMax, {
      listOf: (path, query) => readStreamList(path, query, table, isStrict),
      opened: (connection) => this.#open(connection),
      take: (connection, text) => this.#take(connection, text),
    });
    for (const path of streamPaths) app.ws(path, streams);
    for (const [path, surface] of sessionPaths) {
      const orders = this.#behavior(sessionFrameBytesMax, {
        listOf: (_, query) => sessionList(surface, query),
        opened: (connection) => {
          const { session } = connection.takeOpening();
          sessions.open(connection, surface, session?.showsLimits === true);
        },
        take: (connection, text) => sessions.take(connection, text),
      });
      app.ws(path, orders);
    }
  }

  #behavior(
    frameBytesMax: number,
    { listOf, opened, take }: ConnectionRole,
  ): uWS.WebSocketBehavior<SocketData> {
    const { connections } = this.#parts;
    return {
      maxPayloadLength: frameBytesMax,
      maxBackpressure: streamBacklogBytesMax,
      closeOnBackpressureLimit: false,
      // The venue sends pings itself, because the library would count any frame as an answer to its pings.
      sendPingsAutomatically: false,
      idleTimeout: this.#parts.lingerSeconds,
      upgrade: (response, request, context) =>
        this.#upgrade(response, request, { context, listOf }),
      open: (socket) => {
        const { connection } = socket.getUserData();
        connection.socket = socket;
        this.#parts.catchUp();
        connections.opened(connection);
        opened(connection);
      },
      message: (socket, message, isBinary) => {
        const text = isBinary ? "" : Buffer.from(message).toString("utf8");
        const { connection } = socket.getUserData();
        connections.heard(connection);
        take(connection, text);
      },
      ping: (socket) => connections.heard(socket.getUserData().connection),
      dropped: (socket) => connections.dropped(socket.getUserData().connection),
      drain: (socket) => connections.drained(socket.getUserData().connection),
      pong: (socket) => connections.ponged(socket.getUserData().connection),
      close: (socket) => connections.gone(socket.getUserData().connection),
    };
  }

  #upgrade(
    response: uWS.HttpResponse,
    request: uWS.HttpRequest,
    { context, listOf }: { context: uWS.us_socket_context_t } & Pick<ConnectionRole, "listOf">,
  ): void {
    const { addressOf, limiter, counter, clock } = this.#parts;
    const address = addressOf(response, request);
    const list = listOf(request.getUrl(), request.getQuery() ?? "");
    const hasWeight = limiter.takePublicWeight(address.hash, connectionWeight, clock.nowMs());
    if (hasWeight && list.refused !== undefined) {
      refuseUpgrade(response, list.refused);
      return;
    }
    const row = hasWeight ? counter.take(address.hash) : -1;
    if (row < 0) {
      refuseUpgrade(response, tooManyConnections);
      return;
    }
    response.upgrade<SocketData>(
      { connection: new StreamConnection({ list, address, row }) },
      request.getHeader("sec-websocket-key"),
      request.getHeader("sec-websocket-protocol"),
      request.getHeader("sec-websocket-extensions"),
      context,
    );
  }

  #open(connection: StreamConnection): void {
    const { connections } = this.#parts;
    const list = connection.takeOpening();
    if (list.fault !== "") {
      connection.end(CloseCode.policy, list.fault);
      return;
    }
    if (!this.#mayBegin(connection, list.names)) {
      connection.end(CloseCode.tryAgainLater, "too many requests");
      return;
    }
    for (const name of list.names) connections.subscribe(connection, name);
    const { listenKey, resumeFrom } = list;
    if (listenKey === null) return;
    const refuse = (message: string, code: number) => connection.end(code, message);
    this.#parts.openUserStream(connection, { listenKey, resumeFrom, confirm() {}, refuse });
  }

  /** Handles a client's frame. The root view ignores all frames of clients, because it accepts no requests in them. */
  #take(connection: StreamConnection, text: string): void {
    if (connection.view === "root") return;
    const { connections, table, clock } = this.#parts;
    if (!connection.allowsRequest(clock.nowMs())) {
      connection.end(CloseCode.policy, "too many requests");
      return;
    }
    const answer = answerStreamRequest(text, connection, {
      connections,
      table,
      mayBegin: (names) => this.#mayBegin(connection, names),
      openUserStream: (listenKey, outcome) =>
        this.#parts.openUserStream(connection, { listenKey, resumeFrom: null, ...outcome }),
      closeUserStream: () => this.#parts.closeUserStream(connection),
    });
    if (answer !== "") connection.send(answer);
  }

  /**
   * Charges the weight of opening streams to the client's address; returns false if that exceeds the limit. Diff depth
   * begins with the whole book, rendered for one client, so it has the same weight as a REST request for the book; in
   * SBE it begins with the next change.
   */
  #mayBegin({ address }: StreamConnection, names: readonly StreamName[]): boolean {
    const books = names.filter(({ feed, isSbe }) => feed === "depth" && !isSbe).length;
    const { limiter, clock } = this.#parts;
    return books === 0 || limiter.takePublicWeight(address.hash, books * bookWeight, clock.nowMs());
  }
}

function refuseUpgrade(response: uWS.HttpResponse, error: SurfaceError): void {
  response.cork(() => {
    response.writeStatus(statusLine(error.status));
    response.writeHeader("content-type", contentTypes.json);
    response.writeHeader(...keptOpen);
    response.end(errorBody(error));
  });
}
