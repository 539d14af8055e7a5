// A scripted provider on a real socket. It records its requests, checks the venue's signature as the guide
// describes, and answers correctly or incorrectly as a test needs.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type SignatureHeaders,
  type VerifiedMessage,
  verifyMessage,
} from "../../src/services/access/message-signature.ts";

export interface HostCall {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string;
  /** The verified message with its signer, or a text that says what is wrong with the signature. */
  readonly verified: VerifiedMessage | string;
}

export type HostAnswer = (call: HostCall, response: ServerResponse) => void;

export class ProviderHost {
  readonly calls: HostCall[] = [];
  readonly #server: Server;
  /** The venue's public keys by id. */
  readonly keys = new Map<string, string>();
  /** Scripted answers; a key is the end of the request's path. */
  readonly #answers = new Map<string, HostAnswer>();
  readonly #seen = new Set<string>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.answer("health", (_, response) => healthy(response));
  }

  static async open(): Promise<ProviderHost> {
    const host = new ProviderHost();
    await new Promise<void>((resolve) => host.#server.listen(0, "127.0.0.1", resolve));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the answer to calls whose path ends with `name`. */
  answer(name: string, answer: HostAnswer): this {
    this.#answers.set(name, answer);
    return this;
  }

  /** Returns the recorded calls whose path ends with `name`. */
  called(name: string): HostCall[] {
    return this.calls.filter(({ path }) => path.endsWith(`/${name}`));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString("utf8");
    const { method = "", url: path = "" } = request;
    const header = (name: string) => String(request.headers[name] ?? "");
    const headers: SignatureHeaders = {
      "content-digest": header("content-digest"),
      "venue-idempotency-key": header("venue-idempotency-key"),
      "signature-input": header("signature-input"),
      signature: header("signature"),
    };
    const params = { method, authority: header("host"), path, body };
    const verified = await verifyMessage(params, headers, {
      isAuthority: (host) => `http://${host}` === this.url,
      publicKey: (keyId) => this.keys.get(keyId) ?? null,
      takeNonce: (_, nonce) => !this.#seen.has(nonce) && this.#seen.add(nonce).size > 0,
      nowMs: () => Date.now(),
    });
    const idempotencyKey = headers["venue-idempotency-key"];
    const call = { method, path, body, idempotencyKey, verified };
    this.calls.push(call);
    const answer = this.#answers.get(path.split("/").at(-1) ?? "");
    if (answer === undefined) json(response, 404, {});
    else answer(call, response);
  }
}

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

export function healthy(response: ServerResponse): void {
  json(response, 200, { status: "ok", pairs: ["CC-USDC"], max_notional: "100000" });
}

/** Nearly as long as a quote may be valid, so that a trader on a busy machine can accept it in time. */
const quoteMs = 25_000;

/** Answers with a quote of `party` for the requested quantity; `change` replaces fields. */
export function quoting(party: string, change: object = {}): HostAnswer {
  return ({ body }, response) => {
    const { qty } = JSON.parse(body) as { qty?: string };
    json(response, 200, {
      quote_id: "q-1",
      price: "0.1500",
      qty: qty ?? "100.0",
      valid_until_ms: Date.now() + quoteMs,
      provider_party: party,
      ...change,
    });
  };
}
