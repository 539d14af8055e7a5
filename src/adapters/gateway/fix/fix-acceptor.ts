// A FIX listener of one front: a port of its own with TLS, its sockets, and the limits on connections. Nothing that a
// client sends or does stops the front: a faulty stream gets a Logout and its connection is closed. Spec FIX-1, FIX-2.

import { randomUUID } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Log } from "../../../ports/log.ts";
import type { ConnectionCounter } from "../../../services/access/connection-counter.ts";
import type { RateLimiter } from "../../../services/access/rate-limiter.ts";
import { connectionWeight } from "../../../services/access/request-weight.ts";
import type { ClientAddresses } from "../server/client-address.ts";
import { AccountWindow } from "./account-window.ts";
import { FixDecoder, type FixMessage, field } from "./fix-codec.ts";
import { FixConnection, type FixListener, type FixParts } from "./fix-connection.ts";
import { MsgType, Tag } from "./fix-fields.ts";
import {
  backlogBytesMax,
  connectionsMax,
  marketBacklogBytesMax,
  type SessionKind,
  sessionLimits,
} from "./fix-limits.ts";
import type { FixWire } from "./fix-outbox.ts";
import { Reports } from "./fix-reports.ts";
import type { MarketDataParts } from "./market-data/market-data-session.ts";

export interface FixAcceptorOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Certificate and key as PEM; null for a listener without TLS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  /** Set for a listener of market data. */
  readonly marketData: MarketDataParts | null;
}

export interface FixAcceptorParts extends FixParts {
  readonly addresses: ClientAddresses;
  /** Counts connections per address, those of streams too. */
  readonly counter: ConnectionCounter;
  readonly limiter: RateLimiter;
  readonly log: Log;
}

/** Interval in ms at which heartbeats and deadlines are looked at. */
const lookMs = 250;
const handshakeMsMax = 10_000;
/** Time in ms for a client to read what was sent before its connection was closed. */
const closingMsMax = 5_000;

export class FixAcceptor implements FixListener {
  readonly uuid = randomUUID();
  readonly reports = new Reports();
  readonly #parts: FixAcceptorParts;
  readonly marketData: MarketDataParts | null;
  readonly #port: number;
  readonly #server: Server;
  readonly #connections = new Map<FixConnection, Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #logons: Readonly<Record<SessionKind, AccountWindow>> = {
    orderEntry: new AccountWindow(sessionLimits.orderEntry.logons),
    dropCopy: new AccountWindow(sessionLimits.dropCopy.logons),
    marketData: new AccountWindow(sessionLimits.marketData.logons),
  };
  #timer: NodeJS.Timeout | null = null;
  /** True once the venue is about to stop. */
  #isStopping = false;

  constructor(parts: FixAcceptorParts, { port, tls, marketData }: FixAcceptorOptions) {
    this.#parts = parts;
    this.#port = port;
    this.marketData = marketData;
    const take = (socket: Socket) => this.#take(socket);
    this.#server =
      tls === null
        ? createServer({ noDelay: true }, take)
        : createTlsServer(
            { ...tls, noDelay: true, minVersion: "TLSv1.2", handshakeTimeout: handshakeMsMax },
            take,
          );
    // Sockets count from their first byte, so that handshakes that stall count too.
    this.#server.on("connection", (socket: Socket) => this.#count(socket));
    this.#server.on("error", (error) => parts.log.error({ err: error }, "the FIX listener failed"));
    this.#server.on("tlsClientError", (_, socket: Socket) => socket.destroy());
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Opens the listener; returns the port. */
  listen(host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(this.#port, host, () => {
        const address = this.#server.address();
        this.#timer = setInterval(() => this.#look(), lookMs);
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
  }

  admit(connection: FixConnection): string | null {
    const { member, session, kind } = connection;
    if (member === null) return "Not logged on.";
    const { account } = member;
    const { sessions, logons } = sessionLimits[kind];
    const { max, windowMs } = logons;
    if (!this.#logons[kind].allows(account, this.#parts.clock.nowMs()))
      return `Too many logons of this account; the limit is ${max} within ${windowMs / 1000} seconds.`;
    const others = [...this.#connections.keys()].filter(
      (other) => other !== connection && other.member?.account === account && !other.session.isOver,
    );
    if (others.some((other) => other.session.clientCompId === session.clientCompId))
      return "SenderCompID (49) is in use by another session of this account.";
    const alike = others.filter((other) => other.kind === kind);
    return alike.length < sessions
      ? null
      : `Too many connections of this account; the limit is ${sessions}.`;
  }

  /** Ends the sessions of a key that was revoked or replaced; 0 means no key. */
  endKey(keyId: number): void {
    for (const connection of this.#ofKey(keyId))
      connection.session.logout("The API key of this session has ended.");
  }

  /** Called when a key's permissions or addresses have changed: ends sessions that it may not have any more. */
  checkKey(keyId: number): void {
    const { pipeline } = this.#parts;
    for (const connection of this.#ofKey(keyId)) {
      const { address, permission } = connection;
      void pipeline.may(permission, keyId, address.text).then((may) => {
        if (!may) connection.session.logout("The API key may not have this session any more.");
      });
    }
  }

  /** Tells clients that the venue is about to stop. */
  announceStop(): void {
    this.#isStopping = true;
    const text = "Your connection is about to be closed. Please reconnect.";
    for (const { session } of this.#connections.keys())
      if (session.isOn) session.send(MsgType.news, field(Tag.headline, text));
  }

  /** Logs every session out and closes the listener. */
  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#server.close();
    for (const { session } of [...this.#connections.keys()]) session.logout("The venue stops.");
    for (const socket of this.#sockets) socket.destroySoon();
  }

  #ofKey(keyId: number): FixConnection[] {
    if (keyId === 0) return [];
    return [...this.#connections.keys()].filter(({ member }) => member?.keyId === keyId);
  }

  #look(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const connection of [...this.#connections.keys()]) {
      connection.session.look(nowMs);
      connection.sweep(nowMs);
    }
  }

  /** Counts a socket that was accepted; closes it if there are too many. */
  #count(socket: Socket): void {
    const { limiter, counter, clock } = this.#parts;
    const { hash } = this.#addressOf(socket);
    const isOpen = !this.#isStopping && this.#sockets.size < connectionsMax;
    const mayOpen = isOpen && limiter.takePublicWeight(hash, connectionWeight, clock.nowMs());
    const row = mayOpen ? counter.take(hash) : -1;
    if (row < 0) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      counter.release(row);
    });
  }

  #addressOf({ remoteAddress }: Socket) {
    return this.#parts.addresses.ofSocket(remoteAddress);
  }

  /** Serves a socket whose handshake is done. */
  #take(socket: Socket): void {
    if (socket.destroyed) return;
    const wire = new SocketWire(
      socket,
      this.marketData === null ? backlogBytesMax : marketBacklogBytesMax,
    );
    const connection = new FixConnection(this.#parts, this, wire, this.#addressOf(socket));
    this.#connections.set(connection, socket);
    const decoder = new FixDecoder();
    const goesOn = () => !connection.session.isOver;
    const each = (message: FixMessage) => connection.receive(message);
    socket.on("data", (bytes: Buffer) => {
      if (!goesOn()) return;
      this.#parts.catchUp();
      const fault = decoder.take(bytes, each, goesOn);
      if (fault !== null) connection.session.logout(fault);
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#connections.delete(connection);
      connection.leave();
    });
  }
}

/** Sends messages over a socket: those of one turn together, and none to a client that does not read. */
class SocketWire implements FixWire {
  readonly #socket: Socket;
  readonly #bytesMax: number;
  #texts = "";
  readonly #endTurn = () => this.flush();

  /** A client that has more than `bytesMax` bytes unread loses its connection. */
  constructor(socket: Socket, bytesMax: number) {
    this.#socket = socket;
    this.#bytesMax = bytesMax;
  }

  send(text: string): void {
    if (this.#texts === "") process.nextTick(this.#endTurn);
    this.#texts += text;
    // Many snapshots in one turn must not pile up before the backlog is looked at.
    if (this.#texts.length > this.#bytesMax) this.flush();
  }

  flush(): void {
    const texts = this.#texts;
    this.#texts = "";
    if (texts === "" || this.#socket.destroyed) return;
    if (this.#socket.writableLength > this.#bytesMax) this.#socket.destroy();
    else this.#socket.write(texts, "latin1");
  }

  drained(): Promise<void> {
    this.flush();
    const socket = this.#socket;
    return new Promise((resolve) => {
      const done = () => {
        socket.off("drain", done);
        socket.off("close", done);
        resolve();
      };
      if (!socket.writableNeedDrain || socket.destroyed) setImmediate(done);
      else socket.on("drain", done).on("close", done);
    });
  }

  end(): void {
    this.flush();
    if (this.#socket.destroyed) return;
    // Not only ended: a client that keeps its side open, sends on or does not read, must not keep the socket.
    const timer = setTimeout(() => this.#socket.destroy(), closingMsMax);
    this.#socket.once("close", () => clearTimeout(timer));
    this.#socket.destroySoon();
  }
}
