// Stores the networks that a trader's wallet knows, in a file beside its key: each venue's operator, issuers and
// contracts. A transaction is compared with this record before the wallet signs it. Concurrent swaps of one wallet
// write under a lock and never overwrite each other's entries.

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
/**
 * Age in ms at which a lock is stale. It is held only while a small file is written, so an older lock was left by a
 * killed swap.
 */
const staleMs = 3_000;
const lockMsMax = 5_000;

export class KnownNetworks {
  /** Path of the file, from which a user may delete outdated entries. */
  readonly path: string;
  readonly #venue: string;
  readonly #lockMs: number;

  /** `keyFile` is the wallet's key file, `venue` the venue's URL. */
  constructor(keyFile: string, venue: string, lockMs = lockMsMax) {
    this.path = `${keyFile}.known.json`;
    this.#venue = originOf(venue);
    this.#lockMs = lockMs;
  }

  /** Returns what is known of the venue's network; throws if the file is invalid. */
  async read(): Promise<KnownNetwork> {
    return this.#knownIn(await this.#all());
  }

  /**
   * Adds what was seen to the venue's entry. If what was seen contradicts the entry, a concurrent swap has changed the
   * entry since `read`; this method then throws and stores nothing.
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

  /** Locks the file. The lock is lost if this process pauses so long that another process takes the lock over. */
  async #lock(): Promise<{
    readonly release: () => Promise<void>;
    readonly isLost: () => boolean;
  }> {
    let isLost = false;
    const release = await lock(this.path, {
      // The file may not exist yet.
      realpath: false,
      stale: staleMs,
      retries: { retries: this.#lockMs / lookMs, factor: 1, minTimeout: lookMs },
      onCompromised: () => {
        isLost = true;
      },
    }).catch((error: unknown) => {
      const code = codeOf(error);
      if (code === "ELOCKED") throw this.#busy();
      // An earlier version used a plain file of that name as the lock.
      if (code === "ENOTDIR") throw new Error(`nothing was signed: remove ${this.path}.lock`);
      throw error;
    });
    return { release, isLost: () => isLost };
  }

  #busy(): Error {
    return new Error(`nothing was signed: another swap of this wallet is writing ${this.path}`);
  }

  /**
   * Returns what the entries of this venue contain; throws if they are invalid or contradict each other. There may be
   * several, because earlier versions stored a venue under its URL as typed, possibly in several spellings.
   */
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

/** Returns the canonical origin of a URL; other text is returned unchanged. */
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
