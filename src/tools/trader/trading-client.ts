// A client of the venue's Binance-style routes, signed with an API key: HMAC-SHA256, or Ed25519 if the secret is a
// private key in PEM. Amounts stay texts from the command line to the request. The secret leaves this object only as a
// signature.

import { createHmac, createPrivateKey, sign } from "node:crypto";

/** Longer than the venue's own limit of 30 s, after which it answers that the outcome is unknown. */
const timeoutMs = 40_000;

export type Query = Readonly<Record<string, string | undefined>>;

export interface Credentials {
  readonly address: string;
  readonly key: string;
  readonly secret: string;
}

/** Reports that the venue refused a request, in the venue's words. */
export class RequestRefused extends Error {
  override name = "RequestRefused";
  readonly status: number;
  readonly code: number | null;

  constructor(status: number, code: number | null, message: string) {
    super(`${message} (${status}${code === null ? "" : `, ${code}`})`);
    this.status = status;
    this.code = code;
  }

  /**
   * Whether the request may have been carried out all the same: the venue says so by 408 or 500, or the error is that of
   * a proxy before the venue, which always gives a code. A venue that follows another carries nothing out.
   */
  get isUnsure(): boolean {
    const { status, code } = this;
    return status === 408 || status === 500 || (status > 500 && code === null);
  }
}

type Method = "GET" | "POST" | "DELETE";

function textOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return new URLSearchParams(given).toString();
}

/** Returns the answer to an unsigned GET; throws a RequestRefused for an error status. */
export function getPublic<T>(address: string, path: string, query: Query = {}): Promise<T> {
  return request(address, "GET", `${path}?${textOf(query)}`, {});
}

export class TradingClient {
  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /** The venue's URL. */
  get address(): string {
    return this.#credentials.address;
  }

  /** Sends a signed request. Throws a RequestRefused for an error status, and another error if no answer came. */
  send<T>(method: Method, path: string, query: Query = {}): Promise<T> {
    const { address, key, secret } = this.#credentials;
    const text = textOf({ ...query, timestamp: String(Date.now()) });
    const signature = encodeURIComponent(signatureOf(text, secret));
    const headers = { "X-MBX-APIKEY": key };
    return request(address, method, `${path}?${text}&signature=${signature}`, headers);
  }
}

function signatureOf(text: string, secret: string): string {
  if (!secret.startsWith("-----BEGIN"))
    return createHmac("sha256", secret).update(text).digest("hex");
  return sign(null, Buffer.from(text), createPrivateKey(secret)).toString("base64");
}

async function request<T>(
  address: string,
  method: Method,
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<T> {
  // A redirect would carry the key to another server, so it is an error.
  const terms = {
    method,
    headers,
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  } as const;
  const answer = await fetch(address + target, terms).catch((error: unknown) => {
    const { cause } = error as Error;
    throw new Error(
      `no answer from ${address}: ${cause instanceof Error ? cause.message : String(error)}`,
    );
  });
  const text = await answer.text();
  if (!answer.ok) throw refusalOf(answer.status, text);
  return JSON.parse(text) as T;
}

/** The body of an error: of this surface, or of a venue that follows another. */
interface FaultBody {
  readonly code?: unknown;
  readonly msg?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

/** What this surface answers for a venue that carries nothing out now. */
const unavailable = -1008;

function refusalOf(status: number, text: string): RequestRefused {
  try {
    const { code, msg, error } = JSON.parse(text) as FaultBody;
    if (status === 503 && error?.code === "unavailable")
      return new RequestRefused(status, unavailable, error.message);
    return new RequestRefused(status, typeof code === "number" ? code : null, String(msg ?? text));
  } catch {
    return new RequestRefused(status, null, text.slice(0, 200));
  }
}
