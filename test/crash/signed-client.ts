// A client of the spot and fapi surfaces. It sends one request at a time over one connection, and repeats only reads.
// If the connection is lost before the answer, the outcome of the request is unknown.

import { setTimeout as sleep } from "node:timers/promises";
import { type Endpoint, HttpConnection } from "../../src/tools/load/http-connection.ts";
import { type LoadKey, RequestSigner } from "../../src/tools/load/signed-requests.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What a trader needs of its connection, over HTTP or another transport with the same requests and answers. */
export type TradingClient = Pick<SignedClient, "isConnected" | "send" | "read" | "close">;

export class SignedClient {
  readonly #signer: RequestSigner;
  readonly #index: number;
  readonly #endpoint: () => Endpoint;
  readonly #view: string;
  #connection: HttpConnection | null = null;
  #resolve: ((answer: Answer | null) => void) | null = null;

  /**
   * `endpoint` is called at each connect, because a restarted venue may listen on another port. `view` goes before each
   * path that does not name one: `/compat`, or nothing.
   */
  constructor(key: LoadKey, index: number, address: string, endpoint: () => Endpoint, view = "") {
    this.#view = view;
    this.#signer = new RequestSigner(key, "127.0.0.1", address);
    this.#index = index;
    this.#endpoint = endpoint;
  }

  /** Reconnects if needed, and returns whether there is a connection. */
  async isConnected(): Promise<boolean> {
    return (await this.#connected()) !== null;
  }

  /** Sends a request and returns the answer, or null if the connection was lost before the answer came. */
  async send(method: Method, path: string, query: string): Promise<Answer | null> {
    const connection = await this.#connected();
    if (connection === null) return null;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const whole = path.startsWith("/compat/") ? path : this.#view + path;
      if (!connection.send(this.#signer.request(method, whole, query))) this.#settle(null);
    });
  }

  /** Reads a route, and repeats the request until it is answered by what it asked for. Throws after `withinMs`. */
  async read(path: string, query: string, withinMs = 60_000): Promise<Answer> {
    const untilMs = Date.now() + withinMs;
    for (;;) {
      const answer = await this.send("GET", path, query);
      // While the database is coming back or slow, a read answers 500, 503 or 408.
      if (answer !== null && ![408, 500, 503].includes(answer.status)) return answer;
      if (Date.now() > untilMs) throw new Error(`no answer to ${path}?${query}`);
      await sleep(50);
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
    this.#settle(null);
  }

  async #connected(): Promise<HttpConnection | null> {
    if (this.#connection !== null && !this.#connection.isLost) return this.#connection;
    const listener = {
      onResponse: (_connection: HttpConnection, status: number, body: Buffer): void =>
        this.#settle({ status, body: readBody(status, body) }),
      onLost: (): void => this.#settle(null),
    };
    this.#connection = await HttpConnection.open(this.#endpoint(), this.#index, listener).catch(
      () => null,
    );
    return this.#connection;
  }

  #settle(answer: Answer | null): void {
    const resolve = this.#resolve;
    this.#resolve = null;
    resolve?.(answer);
  }
}

/** Throws with the whole answer if its body is not JSON. */
function readBody(status: number, body: Buffer): unknown {
  const text = body.toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`an answer ${status} of ${body.length} bytes is not JSON: ${text}`);
  }
}
