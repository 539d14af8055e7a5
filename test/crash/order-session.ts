// One order session of the compat view (STR-26): logged on once, then any number of requests without waiting for the
// answers, which name the requests that they belong to.

import { createHmac } from "node:crypto";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { type ClientOptions, type Frame, StreamClient } from "../streams/stream-client.ts";
import type { Answer } from "./signed-client.ts";

export type Parameters = Readonly<Record<string, string | number>>;

export interface SessionOptions extends ClientOptions {
  /** Whether the orders of a lost connection are cancelled; default false. */
  readonly cancelsOnDisconnect?: boolean;
}

/** As for requests over HTTP: longer than any queue. */
const recvWindow = 60_000;

export class OrderSession {
  readonly #stream: StreamClient;
  readonly #waiting = new Map<number, (answer: Answer | null) => void>();
  #requests = 0;

  private constructor(stream: StreamClient) {
    this.#stream = stream;
    stream.socket.on("message", (data) => this.#take(JSON.parse(String(data))));
    stream.socket.on("close", () => this.#lose());
  }

  /** Opens and logs on; null if either fails. */
  static async open(
    url: string,
    key: LoadKey,
    options: SessionOptions,
  ): Promise<OrderSession | null> {
    const stream = await StreamClient.open(url, options).catch(() => null);
    if (stream === null) return null;
    const session = new OrderSession(stream);
    const { cancelsOnDisconnect = false } = options;
    const guard = cancelsOnDisconnect ? { cancelOnDisconnect: "true" } : {};
    const terms = { apiKey: key.key, ...guard, recvWindow, timestamp: Date.now() };
    const text = Object.entries(terms).map(([name, value]) => `${name}=${value}`);
    const signature = createHmac("sha256", key.secret).update(text.join("&")).digest("hex");
    const answer = await session.#request("session.logon", { ...terms, signature });
    if (answer?.status === 200) return session;
    session.close();
    return null;
  }

  get isLost(): boolean {
    return this.#stream.closed !== null;
  }

  /** Resolves to null if the connection is lost before the answer came. */
  request(method: string, parameters: Parameters): Promise<Answer | null> {
    return this.#request(method, { ...parameters, recvWindow, timestamp: Date.now() });
  }

  #request(method: string, params: Parameters): Promise<Answer | null> {
    if (this.isLost) return Promise.resolve(null);
    const id = ++this.#requests;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#stream.send({ id, method, params });
    });
  }

  #take({ id, status, result, error }: Frame): void {
    // The frames are kept by the stream; those of a session are read only here.
    this.#stream.frames.length = 0;
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.({ status, body: result ?? error });
  }

  #lose(): void {
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }

  close(): void {
    this.#stream.close();
  }
}
