// Watches for a rotation of the master key that another process makes: the leader, for its gateways and followers. A
// rotation is in the database before anything is encrypted with the new key. This process then uses the new key too, if
// it was given to it.

import { isRetryable } from "../../adapters/postgres/retryable.ts";
import type { Log } from "../../ports/log.ts";
import type { WorkerThread } from "../spawn.ts";
import type { VenueKeys } from "./venue-keys.ts";

/** How long a rotation may go unnoticed; what is encrypted with the new key meanwhile is read a moment later. */
const lookMs = 500;

export interface KeyWatchParts {
  readonly keys: VenueKeys;
  /** The threads that encrypt and decrypt. */
  readonly threads: readonly Pick<WorkerThread, "tell">[];
  readonly log: Log;
}

export class KeyWatch {
  readonly #parts: KeyWatchParts;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;

  constructor(parts: KeyWatchParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.look(), lookMs);
    this.#timer.unref();
  }

  /** Gives the threads the keys of the database's versions, if these have changed; resolves when that is done. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { keys: own, threads, log } = this.#parts;
    try {
      const keys = await own.refreshed();
      if (keys === null) return;
      for (const thread of threads) thread.tell({ kind: "master-keys", keys });
      const versions = keys.map(({ version }) => version);
      log.info({ versions }, "the master key was rotated: these versions are in use");
    } catch (err) {
      // A missing key is for the operator; what works goes on working. The database may also be away for a moment.
      if (!isRetryable(err))
        log.error({ err }, "the master key was rotated, and this process lacks the new key");
    }
  }
}
