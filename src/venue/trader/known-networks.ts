// What a trader's wallet has seen of each venue's network, in a file beside its key: who settles, who issues and
// by which contracts. What it has signed once it holds every later transaction against.

import { readFile, rename, writeFile } from "node:fs/promises";
import {
  type KnownNetwork,
  knownNetworkIn,
  unknownNetwork,
} from "../../services/swaps/known-network.ts";

const ownerOnly = 0o600;

export class KnownNetworks {
  readonly #path: string;
  readonly #venue: string;

  /** Of the wallet whose key is in `keyFile`, at one venue. */
  constructor(keyFile: string, venue: string) {
    this.#path = `${keyFile}.known.json`;
    this.#venue = venue;
  }

  /** Throws where the file holds something else. */
  async read(): Promise<KnownNetwork> {
    const all = await this.#all();
    const kept = new Map(Object.entries(all)).get(this.#venue);
    const known = kept === undefined ? unknownNetwork : knownNetworkIn(kept);
    if (known === null) throw new Error(`${this.#path} does not say what is known`);
    return known;
  }

  async keep(known: KnownNetwork): Promise<void> {
    const all = { ...(await this.#all()), [this.#venue]: known };
    const unfinished = `${this.#path}.new`;
    await writeFile(unfinished, `${JSON.stringify(all, null, 2)}\n`, { mode: ownerOnly });
    await rename(unfinished, this.#path);
  }

  /** Where a person strikes out what is not true any more. */
  get path(): string {
    return this.#path;
  }

  async #all(): Promise<object> {
    const text = await readFile(this.#path, "utf8").catch((error: unknown) => {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return "{}";
      throw error;
    });
    const found = jsonIn(text);
    if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
    throw new Error(`${this.#path} holds no JSON object`);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
