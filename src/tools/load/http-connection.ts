// One keep-alive HTTP/1.1 connection of a load generator. It is minimal, because the generator shares the machine with
// the venue that it measures. The caller passes complete requests and gets each response's status and body bytes, in
// order. The connection follows no redirects and decodes no encodings; a chunked response counts as a broken
// connection.

import { connect, type Socket } from "node:net";

/** A connection of a load, over HTTP or another transport with complete requests and answers in order. */
export interface LoadConnection {
  /** Number that the caller gave this connection. */
  readonly index: number;
  /** Number of requests that have no response yet. */
  readonly unanswered: number;
  readonly isLost: boolean;
  /** Bytes sent and received. */
  readonly bytes: number;
  /** Sends a complete request; returns false if the connection is lost. */
  send(request: string): boolean;
  /** Closes the connection without notifying the listener. */
  close(): void;
}

/** Callbacks of a connection. The body is valid only during the call. */
export interface ConnectionListener {
  onResponse(connection: LoadConnection, status: number, body: Buffer): void;
  /** Called when the connection is lost; `unanswered` requests were sent and will never be answered. */
  onLost(connection: LoadConnection, unanswered: number): void;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Read buffer, shared by all connections of the thread because responses are read in place. */
const readBytes = 256 * 1024;
const sharedRead = Buffer.allocUnsafeSlow(readBytes);

const statusOffset = "HTTP/1.1 ".length;
const headEnd = Buffer.from("\r\n\r\n");
const lengthHeader = /\r\ncontent-length: *(\d+)/i;
const headBytesMax = 16 * 1024;

export class HttpConnection implements LoadConnection {
  /** Number that the caller gave this connection. */
  readonly index: number;
  readonly #listener: ConnectionListener;
  readonly #socket: Socket;
  #unanswered = 0;
  #isLost = false;
  #rest: Buffer | null = null;
  bytes = 0;

  /** Opens a connection; resolves once it accepts requests. */
  static open(
    endpoint: Endpoint,
    index: number,
    listener: ConnectionListener,
  ): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const connection = new HttpConnection(endpoint, index, listener, reject);
      connection.#socket.once("connect", () => {
        // Listen only now: a connection that never opened is reported only to the caller that tried to open it.
        connection.#socket.on("close", () => connection.#lose());
        resolve(connection);
      });
    });
  }

  private constructor(
    { host, port }: Endpoint,
    index: number,
    listener: ConnectionListener,
    refuse: (error: Error) => void,
  ) {
    this.index = index;
    this.#listener = listener;
    const onread = {
      buffer: sharedRead,
      callback: (count: number, buffer: Uint8Array): boolean => this.#read(count, buffer as Buffer),
    };
    this.#socket = connect({ host, port, noDelay: true, onread });
    this.#socket.on("error", refuse);
  }

  /** Number of requests that have no response yet. */
  get unanswered(): number {
    return this.#unanswered;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Sends `count` complete ASCII requests back to back; returns false if the connection is lost. */
  send(requests: string, count = 1): boolean {
    if (this.#isLost) return false;
    this.#unanswered += count;
    this.bytes += requests.length;
    this.#socket.write(requests, "latin1");
    return true;
  }

  /** Closes the connection without notifying the listener. */
  close(): void {
    this.#isLost = true;
    this.#socket.destroy();
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const unanswered = this.#unanswered;
    this.#unanswered = 0;
    this.#socket.destroy();
    this.#listener.onLost(this, unanswered);
  }

  #read(count: number, buffer: Buffer): boolean {
    const fresh = buffer.subarray(0, count);
    this.bytes += count;
    const bytes = this.#rest === null ? fresh : Buffer.concat([this.#rest, fresh]);
    this.#rest = null;
    let from = 0;
    while (from < bytes.length && !this.#isLost) {
      const next = this.#takeResponse(bytes, from);
      if (next === from) break;
      from = next;
    }
    // Copy the remainder, because the next read of any connection overwrites the shared buffer.
    if (from < bytes.length && !this.#isLost) this.#rest = Buffer.from(bytes.subarray(from));
    return true;
  }

  /** Delivers the response that begins at `from`. Returns the end of the response, or `from` if it is incomplete. */
  #takeResponse(bytes: Buffer, from: number): number {
    const head = bytes.indexOf(headEnd, from);
    if (head < 0) {
      if (bytes.length - from > headBytesMax) this.#lose();
      return from;
    }
    const headText = bytes.toString("latin1", from, head);
    const length = lengthHeader.exec(headText)?.[1];
    const status = Number(headText.slice(statusOffset, statusOffset + 3));
    if (length === undefined && status !== 204) {
      this.#lose();
      return bytes.length;
    }
    const bodyFrom = head + headEnd.length;
    const end = bodyFrom + Number(length ?? 0);
    if (end > bytes.length) return from;
    this.#unanswered -= 1;
    this.#listener.onResponse(this, status, bytes.subarray(bodyFrom, end));
    return end;
  }
}
