// Builds signed requests as text at low cost: the head of a key's requests is built only once, and a signature takes
// two one-shot hashes. Each key sends a different address in the header that a trusted proxy would set, because the
// venue also limits requests per address.

import { HmacSignature } from "../../services/access/signed-request.ts";

/** The API key of a load account. */
export interface LoadKey {
  readonly account: number;
  readonly key: string;
  readonly secret: string;
}

/** Validity of a request in ms: long enough for the queue of an overloaded venue, and within the venue's maximum. */
const recvWindowMs = 60_000;

export class RequestSigner {
  readonly #signature: HmacSignature;
  readonly #headers: string;

  /** Signs requests with `key` to `host`; `address` is the address of the virtual client, `more` further header lines. */
  constructor(key: LoadKey, host: string, address: string, more = "") {
    this.#signature = new HmacSignature(key.secret);
    this.#headers =
      ` HTTP/1.1\r\nHost: ${host}\r\nX-MBX-APIKEY: ${key.key}\r\n` +
      `X-Forwarded-For: ${address}\r\n${more}`;
  }

  /** Returns a signed request without a body; the parameters are in `query`, which may be empty. */
  request(method: "GET" | "POST" | "PUT" | "DELETE", path: string, query: string): string {
    const separator = query === "" ? "" : "&";
    const signed = `${query}${separator}recvWindow=${recvWindowMs}&timestamp=${Date.now()}`;
    const signature = this.#signature.sign(signed);
    const length = method === "POST" || method === "PUT" ? "Content-Length: 0\r\n" : "";
    return `${method} ${path}?${signed}&signature=${signature}${this.#headers}${length}\r\n`;
  }
}

/** Returns an unsigned GET of `target` from a virtual client. */
export function publicRequest(target: string, host: string, address: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: ${address}\r\n\r\n`;
}

/** Returns the address of virtual client `index`: 10.0.0.1 and up. */
export function virtualAddress(index: number): string {
  const host = index + 1;
  return `10.${(host >>> 16) & 255}.${(host >>> 8) & 255}.${host & 255}`;
}
