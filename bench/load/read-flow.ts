// Sends identical reads: one signed GET from many keys in turn, or one public GET from many virtual addresses. The
// request never varies, because this benchmark measures answers from memory.

import type { RequestSource } from "../../src/tools/load/load-run.ts";
import {
  type LoadKey,
  publicRequest,
  RequestSigner,
  virtualAddress,
} from "../../src/tools/load/signed-requests.ts";

export interface ReadFlowOptions {
  readonly host: string;
  readonly path: string;
  readonly query: string;
  /** Signing keys; empty for a public read. */
  readonly keys: readonly LoadKey[];
}

/**
 * Number of virtual addresses from which a public load is sent. The venue limits the public weight of each address, so
 * a single address would soon be refused.
 */
const publicClients = 4096;

export class ReadFlow implements RequestSource {
  readonly #options: ReadFlowOptions;
  readonly #signers: readonly RequestSigner[];
  readonly #publicRequests: readonly string[];
  #turn = 0;

  constructor(options: ReadFlowOptions) {
    const { host, path, query, keys } = options;
    this.#options = options;
    this.#signers = keys.map((key, index) => new RequestSigner(key, host, virtualAddress(index)));
    this.#publicRequests =
      keys.length > 0
        ? []
        : Array.from({ length: publicClients }, (_, index) =>
            publicRequest(`${path}?${query}`, host, virtualAddress(index)),
          );
  }

  next(): string {
    const turn = this.#turn++;
    const signer = this.#signers[turn % Math.max(this.#signers.length, 1)];
    if (signer !== undefined) {
      return signer.request("GET", this.#options.path, this.#options.query);
    }
    return this.#publicRequests[turn % publicClients] ?? "";
  }

  answered(): void {}

  lost(): void {}
}
