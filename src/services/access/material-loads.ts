// Loads what the journal does not contain (secrets, token hashes) when an event announces a key or a session. A failed
// load is retried, because the key or session would otherwise be unusable until the next start.

export interface MaterialLoadsOptions {
  /** Called when a load failed; it is retried automatically. */
  onFault(id: number, cause: unknown): void;
  /** Calls `again` after `delayMs`; the pending call does not keep the process running. */
  later(again: () => void, delayMs: number): void;
}

/**
 * Pauses before retries, in milliseconds: each is twice the one before, up to the longest. A restarting database is
 * usually back within the longest pause.
 */
const retryMs = { first: 100, longest: 30_000 } as const;

export class MaterialLoads {
  readonly #options: MaterialLoadsOptions;
  readonly #load: (id: number) => Promise<void>;
  readonly #isNeeded: (id: number) => boolean;
  readonly #loads = new Set<Promise<void>>();

  /** `load` loads the material of one id. It is called, and retried, only while `isNeeded` is true for the id. */
  constructor(
    load: (id: number) => Promise<void>,
    isNeeded: (id: number) => boolean,
    options: MaterialLoadsOptions,
  ) {
    this.#load = load;
    this.#isNeeded = isNeeded;
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#loads.size > 0;
  }

  begin(id: number): void {
    this.#try(id, retryMs.first);
  }

  /** Resolves when all loads in progress have ended, with or without success. */
  async settled(): Promise<void> {
    await Promise.all(this.#loads);
  }

  #try(id: number, retryAfterMs: number): void {
    if (!this.#isNeeded(id)) return;
    const load = this.#load(id).catch((cause: unknown) => {
      const { onFault, later } = this.#options;
      onFault(id, cause);
      const next = Math.min(2 * retryAfterMs, retryMs.longest);
      later(() => this.#try(id, next), retryAfterMs);
    });
    this.#loads.add(load);
    void load.finally(() => this.#loads.delete(load));
  }
}
