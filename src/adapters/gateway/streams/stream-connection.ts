// One stream connection: its subscriptions, its frame format, and its backlog.
//
//   (upgrade) ──▶ open ──▶ behind ──backlog sent──▶ open
//                  │          │
//                  └──────────┴──▶ closed: bad list or no pong 1008, missed trades or answers 1013, venue stops 1001
//
// A connection is behind if the server dropped a frame because the client reads too slowly. The venue then sends it
// nothing until its backlog is empty, so that a connection never holds more memory than one backlog.

import type { WebSocket } from "uWebSockets.js";
import { present } from "../../../core/assert.ts";
import { streamRequestsPerSecondMax } from "../../../core/limits.ts";
import type { SurfaceView } from "../requests/surface-view.ts";
import { encodedEvent, type SbeForm } from "../sbe/sbe-answer.ts";
import type { ClientAddress } from "../server/client-address.ts";
import { frameInMicroseconds } from "../server/microseconds.ts";
import type { StreamList } from "./stream-list.ts";
import type { StreamName } from "./stream-name.ts";
import { wrapped } from "./stream-topics.ts";

/** Close codes of the venue's streams. */
export const CloseCode = { goingAway: 1001, policy: 1008, tryAgainLater: 1013 } as const;

export interface ConnectionTerms {
  /** The streams and settings requested in the connection's URL. */
  readonly list: StreamList;
  readonly address: ClientAddress;
  /** The connection's row in the counter of connections per client address. */
  readonly row: number;
}

/** The data that the server library stores with a socket. The library copies these fields. */
export interface SocketData {
  readonly connection: StreamConnection;
}

export class StreamConnection {
  readonly view: SurfaceView;
  /** True if each frame carries the name of its stream. */
  readonly isWrapped: boolean;
  readonly usesMicroseconds: boolean;
  /** True if the connection's URL is a futures root: a path below /public, /market or /private. */
  readonly isFutures: boolean;
  /** True if streams that Binance has retired are refused. */
  readonly isStrict: boolean;
  /** True if market data is SBE. */
  readonly isSbe: boolean;
  /** The form of answers and user data in SBE, in an order session; null for JSON. */
  readonly sbe: SbeForm | null;
  /** True if the connection takes requests of an order session. */
  readonly isSession: boolean;
  readonly address: ClientAddress;
  readonly row: number;
  #opening: StreamList | null;
  /** The open socket; null before the connection opens and after it closes. */
  socket: WebSocket<SocketData> | null = null;
  /** Subscriptions by topic. */
  readonly streams = new Map<string, StreamName>();
  /** The listen key of the connection's user data stream. It is set before the key is looked up. */
  listenKey: string | null = null;
  lastPongMs = 0;
  /** When any frame of the client last arrived. */
  lastHeardMs = 0;
  nextPingMs = 0;
  isBehind = false;
  /** Number of frames dropped since the client fell behind. */
  dropped = 0;
  /** True if the answer to a request was dropped. */
  hasMissedAnswer = false;
  #secondMs = 0;
  #requests = 0;

  constructor({ list, address, row }: ConnectionTerms) {
    this.view = list.view;
    this.isWrapped = list.isWrapped;
    this.usesMicroseconds = list.usesMicroseconds;
    this.isFutures = list.isFutures;
    this.isStrict = list.isStrict;
    this.isSbe = list.isSbe;
    this.sbe = list.sbe;
    this.isSession = list.session !== undefined;
    this.address = address;
    this.row = row;
    this.#opening = list;
  }

  /** Returns the streams and settings of the connection's URL. Can be called only once. */
  takeOpening(): StreamList {
    const opening = present(this.#opening, "a stream connection must be opened only once");
    this.#opening = null;
    return opening;
  }

  /**
   * Sends a text with times in the connection's unit, or a binary frame; does nothing if the connection is closed.
   */
  send(frame: string | Uint8Array): void {
    if (typeof frame !== "string") this.socket?.send(frame, true);
    else this.socket?.send(this.usesMicroseconds ? frameInMicroseconds(frame) : frame);
  }

  /** Sends a notice about the connection itself, in the format of its other frames. */
  notice(name: string, text: string): void {
    if (this.isSession) this.send(this.eventFrame(null, text));
    else this.send(this.isWrapped ? wrapped(name, text) : text);
  }

  /**
   * The frame of an event in an order session: in SBE if the session has chosen it and the schema has a template, else
   * JSON.
   */
  eventFrame(subscriptionId: number | null, text: string): string | Uint8Array {
    const encoded = this.sbe === null ? null : encodedEvent(this.sbe, subscriptionId, text);
    if (encoded !== null) return encoded;
    const subscription = subscriptionId === null ? "" : `"subscriptionId":${subscriptionId},`;
    return `{${subscription}"event":${text}}`;
  }

  /**
   * Sends the answer to a request unchanged. If the server drops the answer, the connection is closed later, because a
   * client must not wait for an answer that was lost.
   */
  answer(frame: string | Uint8Array): void {
    const before = this.dropped;
    this.socket?.send(frame, typeof frame !== "string");
    if (this.dropped > before) this.hasMissedAnswer = true;
  }

  /** Asks the client for a sign of life, a pong frame. */
  ping(text: string): void {
    this.socket?.ping(text);
  }

  /** Closes the connection with a readable reason, cut to the 123 bytes of a control frame. */
  end(code: number, reason: string): void {
    this.socket?.end(code, reason.replace(/[^ -~]/g, "?").slice(0, 123));
  }

  /** Counts a request; returns false if it exceeds the limit per second. */
  allowsRequest(nowMs: number): boolean {
    if (nowMs - this.#secondMs >= 1000) {
      this.#secondMs = nowMs;
      this.#requests = 0;
    }
    this.#requests++;
    return this.#requests <= streamRequestsPerSecondMax;
  }
}
