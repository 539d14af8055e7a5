// The HTTP service of a reference provider, which has five paths. Each request must have a valid signature of the
// venue. The size of bodies and headers is limited, and invalid requests are refused without side effects.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cancelBody, quoteBody, resultBody } from "../../../schemas/http/provider-api.ts";
import type { Log } from "../../ports/log.ts";
import {
  nonceMemoryMs,
  type SignatureHeaders,
  signatureHeaderNames,
  verifyMessage,
} from "../../services/access/message-signature.ts";
import { NonceCache } from "../../services/access/nonce-cache.ts";
import type { PublicAuthority } from "../../services/access/public-authority.ts";
import { type QuoteService, shownQuote } from "./quote-service.ts";
import type { TradeAnswer, TradeService } from "./trade-service.ts";

const bodyBytesMax = 1_000_000;
const noncesMax = 100_000;
const requestMsMax = 30_000;
const tradeForm = /^\/rfq\/trades\/([0-9a-f-]{36})\/(accept-and-allocate|result|cancel)$/;

export interface ProviderServerParts {
  readonly party: string;
  /** Host and port for which the venue signs its requests. */
  readonly authority: PublicAuthority;
  readonly pairs: readonly string[];
  readonly notionalMax: number;
  readonly quotes: QuoteService;
  readonly trades: TradeService;
  /** Returns the venue's public key with that id, or null. */
  readonly venueKey: (keyId: string) => Promise<string | null>;
  readonly log: Log;
}

export class ProviderServer {
  readonly #parts: ProviderServerParts;
  readonly #server: Server;
  readonly #nonces = new NonceCache({ memoryMs: nonceMemoryMs, noncesMax });

  constructor(parts: ProviderServerParts) {
    this.#parts = parts;
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (answer) => send(response, answer),
        (error: unknown) => {
          parts.log.error({ err: error, path: request.url }, "a request failed");
          send(response, { status: 500, body: { reason: "failed" } });
        },
      );
    });
    this.#server.requestTimeout = requestMsMax;
  }

  /** Starts listening; resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        const { port: listened } = this.#server.address() as AddressInfo;
        this.#parts.authority.listens(host, listened);
        resolve(listened);
      });
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<TradeAnswer> {
    const body = await bodyOf(request);
    if (body === null) return { status: 413, body: { reason: "the body is too large" } };
    const { method = "", url: path = "" } = request;
    const received = { method, authority: request.headers.host ?? "", path, body };
    const verified = await verifyMessage(received, headersOf(request), {
      isAuthority: (host) => this.#parts.authority.has(host),
      publicKey: this.#parts.venueKey,
      takeNonce: (keyId, nonce) => this.#nonces.take(keyId, nonce, Date.now()),
      nowMs: () => Date.now(),
    });
    if (typeof verified === "string") return { status: 401, body: { reason: verified } };
    const trade = tradeForm.exec(path);
    if (method === "GET" && path === "/health") return this.#health();
    if (method === "POST" && path === "/rfq/quotes") return this.#quote(body);
    const [, swapId = "", name] = trade ?? [];
    if (method !== "POST" || trade === null)
      return { status: 404, body: { reason: "no such path" } };
    if (name === "accept-and-allocate") return this.#parts.trades.accept(swapId, body);
    return this.#notice(swapId, name === "result" ? resultBody : cancelBody, body);
  }

  #health(): TradeAnswer {
    const { pairs, notionalMax } = this.#parts;
    return { status: 200, body: { status: "ok", pairs, max_notional: `${notionalMax}` } };
  }

  async #quote(body: string): Promise<TradeAnswer> {
    const parsed = quoteBody.safeParse(jsonOf(body));
    if (!parsed.success) return { status: 400, body: { reason: "the body is not valid" } };
    const quote = await this.#parts.quotes.quote(parsed.data);
    if (quote === null) return { status: 204, body: {} };
    return { status: 200, body: shownQuote(quote, this.#parts.party) };
  }

  /** Handles a notice of a swap's end. Idempotent. */
  #notice(swapId: string, form: typeof resultBody | typeof cancelBody, body: string): TradeAnswer {
    const notice = form.safeParse(jsonOf(body));
    if (!notice.success) return { status: 400, body: { reason: "the body is not valid" } };
    this.#parts.trades.close(swapId);
    this.#parts.log.info({ swapId, notice: notice.data }, "a swap ended");
    return { status: 204, body: {} };
  }
}

function headersOf({ headers }: IncomingMessage): SignatureHeaders {
  const entries = signatureHeaderNames.map((name) => [name, String(headers[name] ?? "")] as const);
  return Object.fromEntries(entries) as unknown as SignatureHeaders;
}

function send(response: ServerResponse, { status, body }: TradeAnswer): void {
  if (status === 204) response.writeHead(204).end();
  else {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  }
}

/**
 * Returns the body of a request, or null if it is too long. A long body is still read to its end, because otherwise the
 * client might not receive the response.
 */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes <= bodyBytesMax) parts.push(part);
  }
  return bytes > bodyBytesMax ? null : Buffer.concat(parts).toString("utf8");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
