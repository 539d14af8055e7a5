// Sends signed requests to one provider, over a connection pool and only to permitted addresses. Every request has a
// deadline, and the size of the answer is limited. Redirects are not followed and requests are not retried. A fault of
// the provider is returned, not thrown.

import { Pool } from "undici";
import { providerAnswerBytesMax, providerConnectionsMax } from "../../core/provider-limits.ts";
import type { SignatureHeaders, SignedParts } from "../../services/access/message-signature.ts";
import { guardedLookup, literalFault } from "../network/guarded-lookup.ts";
import { type ProviderReply, ReplyReader } from "./reply-reader.ts";

/** Maximum time to connect in milliseconds. A slower connection would leave no time to answer within a quote round. */
const connectMsMax = 2_000;
/**
 * Time in milliseconds that an idle connection stays open: longer than the interval of health checks, so that quote
 * rounds find open connections.
 */
const keepAliveMs = 30_000;
const headerBytesMax = 8_192;

export interface ProviderClientOptions {
  /** The provider's base URL, without a trailing slash. */
  readonly url: string;
  /** True if plain HTTP is allowed, which it is only on development venues. */
  readonly isPlainAllowed: boolean;
  readonly mayReach: (address: string) => boolean;
  sign(parts: SignedParts, idempotencyKey: string): SignatureHeaders;
}

export interface ProviderRequest {
  readonly method: "GET" | "POST";
  /** Path below the provider's base URL. */
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

export class ProviderClient {
  readonly url: string;
  readonly #options: ProviderClientOptions;
  readonly #endpoint: URL;
  readonly #pool: Pool;
  /** The reason why all requests are refused; null if they are allowed. */
  readonly #refusal: string | null;

  constructor(options: ProviderClientOptions) {
    this.url = options.url;
    this.#options = options;
    this.#endpoint = new URL(options.url);
    this.#refusal = refusalOf(this.#endpoint, options);
    this.#pool = new Pool(this.#endpoint.origin, {
      connections: providerConnectionsMax,
      pipelining: 1,
      connect: { lookup: guardedLookup(options.mayReach), timeout: connectMsMax },
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: headerBytesMax,
      maxResponseSize: providerAnswerBytesMax,
    });
  }

  async send(request: ProviderRequest): Promise<ProviderReply> {
    if (this.#refusal !== null) return { kind: "fault", message: this.#refusal };
    const { method, body, idempotencyKey, signal } = request;
    if (signal.aborted) return { kind: "late" };
    const base = this.#endpoint.pathname === "/" ? "" : this.#endpoint.pathname;
    const path = base + request.path;
    const parts = { method, authority: this.#endpoint.host, path, body };
    const signed = this.#options.sign(parts, idempotencyKey);
    const headers = { ...signed, accept: "application/json", "content-type": "application/json" };
    const sent = body === "" ? {} : { body };
    return new Promise((resolve) => {
      const reader = new ReplyReader(signal, resolve);
      this.#pool.dispatch({ method, path, headers, ...sent }, reader);
    });
  }

  /** Closes the provider's connections; requests in progress end as faults. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** Returns the reason why requests to the endpoint are refused (its scheme or address); null if they are allowed. */
function refusalOf(
  endpoint: URL,
  { isPlainAllowed, mayReach }: ProviderClientOptions,
): string | null {
  if (endpoint.protocol !== "https:" && !isPlainAllowed) return "its address is not https";
  return literalFault(endpoint, mayReach);
}
