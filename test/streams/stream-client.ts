// A WebSocket client for tests. It stores every frame and waits for one that matches. It can also misbehave: leave
// pings unanswered, or stop reading.

import { once } from "node:events";
import { WebSocket } from "ws";
import type { Json } from "../support/client/json.ts";

/** A frame that was valid JSON; its fields are untrusted. */
export type Frame = Json;

/** The machine may be busy. */
const waitMsMax = 120_000;

export interface ClientOptions {
  /** Whether the client answers pings (default true). */
  readonly pongs?: boolean;
  readonly headers?: Record<string, string>;
  /** Certificate that signs the server's, for wss addresses. */
  readonly ca?: Buffer;
}

export class StreamClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly pings: number[] = [];
  /** Code and reason of the close, once closed. */
  closed: { code: number; reason: string } | null = null;
  readonly #waits = new Set<() => void>();

  private constructor(url: string, options: ClientOptions) {
    this.socket = new WebSocket(url, {
      autoPong: options.pongs ?? true,
      perMessageDeflate: false,
      headers: options.headers ?? {},
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    this.socket.on("message", (data) => {
      this.frames.push(JSON.parse(String(data)));
      this.#wake();
    });
    this.socket.on("ping", () => {
      this.pings.push(Date.now());
      this.#wake();
    });
    this.socket.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.#wake();
    });
    this.socket.on("error", () => {});
  }

  /** Opens a connection; throws the server's answer if the server does not upgrade. */
  static async open(url: string, options: ClientOptions = {}): Promise<StreamClient> {
    const client = new StreamClient(url, options);
    const refused = new Promise<never>((_, reject) => {
      client.socket.on("unexpected-response", (_request, response) => {
        response.resume();
        reject(new Error(`refused: ${response.statusCode}`));
      });
    });
    await Promise.race([once(client.socket, "open"), refused]);
    return client;
  }

  send(value: unknown): void {
    this.socket.send(JSON.stringify(value));
  }

  /** Returns the first frame from index `from` on that matches; fails after two minutes. */
  async next(fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    await this.until(() => this.frames.slice(from).some(fits));
    return this.frames.slice(from).find(fits);
  }

  /** Waits until `holds` returns true. Checks again after each frame, each ping and the close, which is the last time. */
  async until(holds: () => boolean, timeoutMs = waitMsMax): Promise<void> {
    const endMs = Date.now() + timeoutMs;
    while (!holds()) {
      const leftMs = endMs - Date.now();
      if (leftMs <= 0 || this.closed !== null)
        throw new Error(
          `nothing matched in time; ${this.frames.length} frames, closed: ${JSON.stringify(this.closed)}`,
        );
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          this.#waits.delete(done);
          resolve();
        };
        const timer = setTimeout(done, leftMs);
        this.#waits.add(done);
      });
    }
  }

  /** Waits for the close; returns its code and reason. */
  async end(): Promise<{ code: number; reason: string }> {
    await this.until(() => this.closed !== null);
    return this.closed ?? { code: 0, reason: "" };
  }

  close(): void {
    this.socket.terminate();
  }

  #wake(): void {
    for (const done of [...this.#waits]) done();
  }
}
