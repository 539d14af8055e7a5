// Loading what the journal does not carry (secrets, token hashes) when an event says that it exists. A
// load that fails is tried again: what is registered must not stay unknown until the next start.

export interface MaterialLoadsOptions {
  /** A load failed; it is tried again by itself. */
  onFault(id: number, cause: unknown): void;
  /** Calls `again` after that long, unless everything has ended by then. */
  later(again: () => void, delayMs: number): void;
}

/** A database that restarts is back within this; one that stays away is not asked more than this. */
const retryMs = { first: 100, longest: 30_000 } as const;

export class MaterialLoads {
  readonly #options: MaterialLoadsOptions;
  readonly #load: (id: number) => Promise<void>;
  readonly #isNeeded: (id: number) => boolean;
  readonly #loads = new Set<Promise<void>>();

  /** Loads by `load` as long as `isNeeded` says so. */
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

  /** Resolves when the loads now under way have ended, well or not. */
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
