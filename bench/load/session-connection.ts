// One order session of a load generator: a WebSocket connection that logs on with its key, and then sends requests that
// are complete texts and gets their answers in order. It is minimal, like the HTTP connection beside it, and its masks
// are zero, so that a frame is its text.

import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { HmacSignature } from "../../src/services/access/signed-request.ts";
import type {
  ConnectionListener,
  Endpoint,
  LoadConnection,
} from "../../src/tools/load/http-connection.ts";
import { type LoadKey, virtualAddress } from "../../src/tools/load/signed-requests.ts";

const headEnd = Buffer.from("\r\n\r\n");
const statusField = Buffer.from('"status":');
const [continues, text, closes, ping] = [0, 1, 8, 9];

/** How a session begins, and who is told. */
interface Opening {
  readonly logon: string;
  readonly opened: (connection: SessionConnection) => void;
  readonly refused: (error: Error) => void;
}

interface SessionParts {
  readonly listener: ConnectionListener;
  readonly key: LoadKey;
  readonly opening: Opening;
}

export class SessionConnection implements LoadConnection {
  readonly index: number;
  readonly #listener: ConnectionListener;
  readonly #socket: Socket;
  #unanswered = 0;
  #isLost = false;
  #rest: Buffer = Buffer.alloc(0);
  #stage: "opening" | "logging on" | "open" = "opening";
  readonly #opening: Opening;
  /** Bytes sent and received since the logon. */
  bytes = 0;

  /** Opens a session of spot orders and logs on with `key`; rejects if the venue refuses either. */
  static open(
    endpoint: Endpoint,
    index: number,
    listener: ConnectionListener,
    key: LoadKey,
  ): Promise<SessionConnection> {
    return new Promise((resolve, reject) => {
      const opening = { logon: logonOf(key), opened: resolve, refused: reject };
      return new SessionConnection(endpoint, index, { listener, key, opening });
    });
  }

  private constructor(
    { host, port }: Endpoint,
    index: number,
    { listener, key, opening }: SessionParts,
  ) {
    this.index = index;
    this.#listener = listener;
    this.#opening = opening;
    this.#socket = connect({ host, port, noDelay: true });
    this.#socket.on("error", opening.refused);
    this.#socket.on("data", (bytes) => this.#read(bytes as Buffer));
    this.#socket.on("close", () => this.#lose());
    this.#socket.write(
      `GET /compat/ws-api/v3?returnRateLimits=false HTTP/1.1\r\nHost: ${host}:${port}\r\n` +
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n` +
        `X-Forwarded-For: ${virtualAddress(key.account)}\r\n\r\n`,
    );
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  send(request: string): boolean {
    if (this.#isLost) return false;
    this.#unanswered++;
    const frame = frameOf(text, Buffer.from(request, "latin1"));
    this.bytes += frame.length;
    this.#socket.write(frame);
    return true;
  }

  close(): void {
    this.#isLost = true;
    this.#socket.destroy();
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const unanswered = this.#unanswered;
    this.#unanswered = 0;
    this.#listener.onLost(this, unanswered);
  }

  #read(bytes: Buffer): void {
    let left = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (this.#stage === "opening") {
      const end = left.indexOf(headEnd);
      if (end < 0) {
        this.#rest = left;
        return;
      }
      left = left.subarray(end + headEnd.length);
      this.#stage = "logging on";
      this.#socket.write(frameOf(text, Buffer.from(this.#opening.logon)));
    }
    for (let taken = this.#takeFrame(left); taken > 0; taken = this.#takeFrame(left)) {
      left = left.subarray(taken);
    }
    this.#rest = left;
  }

  /** Takes the frame at the beginning of `bytes`; returns its length, 0 if it is not complete. */
  #takeFrame(bytes: Buffer): number {
    if (bytes.length < 2) return 0;
    const short = (bytes[1] ?? 0) & 127;
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < head) return 0;
    const size =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(2)
          : Number(bytes.readBigUInt64BE(2));
    if (bytes.length < head + size) return 0;
    this.#take((bytes[0] ?? 0) & 15, bytes.subarray(head, head + size), head + size);
    return head + size;
  }

  #take(opcode: number, body: Buffer, length: number): void {
    if (opcode === ping) this.#socket.write(frameOf(10, body));
    else if (opcode === closes) this.#socket.destroy();
    if (opcode !== text && opcode !== continues) return;
    const status = statusIn(body);
    if (this.#stage === "open") {
      this.bytes += length;
      this.#unanswered--;
      this.#listener.onResponse(this, status, body);
      return;
    }
    if (status !== 200) {
      this.#socket.destroy(new Error(`the logon was refused: ${body.toString("latin1")}`));
      return;
    }
    this.#stage = "open";
    this.#opening.opened(this);
  }
}

/** The value of the first `"status":` of an answer, which comes before its result. */
function statusIn(body: Buffer): number {
  const at = body.indexOf(statusField);
  return at < 0
    ? 0
    : Number(body.toString("latin1", at + statusField.length, at + statusField.length + 3));
}

/** The request with which a key logs on. */
function logonOf({ key, secret }: LoadKey): string {
  const params = { apiKey: key, recvWindow: 60_000, timestamp: Date.now() };
  const signed = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  const signature = new HmacSignature(secret).sign(signed.join("&"));
  return JSON.stringify({ id: 0, method: "session.logon", params: { ...params, signature } });
}

/** A whole frame with a mask of zeros. */
function frameOf(opcode: number, body: Buffer): Buffer {
  const { length } = body;
  const head = length < 126 ? 6 : 8;
  const frame = Buffer.alloc(head + length);
  frame[0] = 128 | opcode;
  frame[1] = 128 | Math.min(length, 126);
  if (length >= 126) frame.writeUInt16BE(length, 2);
  body.copy(frame, head);
  return frame;
}
