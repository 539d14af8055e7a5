// What a trader's wallet has seen of each venue's network, in a file beside its key: who settles, who issues and
// by which contracts. What it has signed once it holds every later transaction against. Many swaps of one wallet
// may be under way: each writes its part behind a lock, and none writes over what another has seen.

import { readFile, rename, writeFile } from "node:fs/promises";
import { lock } from "proper-lockfile";
import {
  joinedNetwork,
  type KnownNetwork,
  knownNetworkIn,
  unknownNetwork,
} from "../../services/swaps/known-network.ts";

const ownerOnly = 0o600;
const lookMs = 10;
/** The lock is held for the writing of a small file. One this old is of a swap that was ended in between. */
const staleMs = 3_000;
const lockMsMax = 5_000;

export class KnownNetworks {
  /** Where a person strikes out what is not true any more. */
  readonly path: string;
  readonly #venue: string;
  readonly #lockMs: number;

  /** Of the wallet whose key is in `keyFile`, at one venue, whose address is a URL. */
  constructor(keyFile: string, venue: string, lockMs = lockMsMax) {
    this.path = `${keyFile}.known.json`;
    this.#venue = originOf(venue);
    this.#lockMs = lockMs;
  }

  /** Throws where the file holds something else. */
  async read(): Promise<KnownNetwork> {
    return this.#knownIn(await this.#all());
  }

  /**
   * Adds what was seen to what is kept of the venue. Throws, and keeps nothing, where that says otherwise:
   * another swap has met the venue since `read`.
   */
  async keep(seen: KnownNetwork): Promise<void> {
    const lock = await this.#lock();
    try {
      const all = await this.#all();
      const known = joinedNetwork(this.#knownIn(all), seen);
      if (known === null) {
        const other = "a concurrent swap of this wallet saw a different operator or issuer";
        throw new Error(`${other} at ${this.#venue} (${this.path}): nothing was signed`);
      }
      const others = Object.entries(all).filter(([venue]) => originOf(venue) !== this.#venue);
      const kept = { ...Object.fromEntries(others), [this.#venue]: known };
      const unfinished = `${this.path}.new`;
      const text = `${JSON.stringify(kept, null, 2)}\n`;
      await writeFile(unfinished, text, { mode: ownerOnly, flush: true });
      if (lock.isLost()) throw this.#busy();
      await rename(unfinished, this.path);
    } finally {
      if (!lock.isLost()) await lock.release();
    }
  }

  /** The file for this swap alone; lost where this process stood still so long that another took it over. */
  async #lock(): Promise<{
    readonly release: () => Promise<void>;
    readonly isLost: () => boolean;
  }> {
    let isLost = false;
    const release = await lock(this.path, {
      // The file itself may not be there yet.
      realpath: false,
      stale: staleMs,
      retries: { retries: this.#lockMs / lookMs, factor: 1, minTimeout: lookMs },
      onCompromised: () => {
        isLost = true;
      },
    }).catch((error: unknown) => {
      const code = codeOf(error);
      if (code === "ELOCKED") throw this.#busy();
      // Earlier versions locked by a plain file of that name.
      if (code === "ENOTDIR") throw new Error(`nothing was signed: remove ${this.path}.lock`);
      throw error;
    });
    return { release, isLost: () => isLost };
  }

  #busy(): Error {
    return new Error(`nothing was signed: another swap of this wallet is writing ${this.path}`);
  }

  /** Older versions kept a venue under its address as it was given, perhaps in several ways. */
  #knownIn(all: object): KnownNetwork {
    let known: KnownNetwork | null = unknownNetwork;
    for (const [venue, kept] of Object.entries(all)) {
      if (originOf(venue) !== this.#venue) continue;
      const one = knownNetworkIn(kept);
      if (one === null) throw new Error(`${this.path} is not a list of known networks`);
      known = known === null ? null : joinedNetwork(known, one);
    }
    if (known === null) throw new Error(`${this.path} has two entries for ${this.#venue}`);
    return known;
  }

  async #all(): Promise<object> {
    const text = await readFile(this.path, "utf8").catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return "{}";
      throw error;
    });
    const found = jsonIn(text);
    if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
    throw new Error(`${this.path} holds no JSON object`);
  }
}

/** Scheme, host and port in one writing; what is no URL stands for itself. */
function originOf(venue: string): string {
  return URL.canParse(venue) ? new URL(venue).origin : venue;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
