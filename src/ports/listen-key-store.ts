// Where listen keys rest, so that every front knows them and they outlive a restart. Only hashes are
// stored: who reads the table cannot listen. Types only.

/** What a listen key opens. */
export interface ListenKeyRow {
  readonly account: number;
  /** The API key it was made with. */
  readonly keyId: number;
  /** MarketKind of the surface. */
  readonly surface: number;
  readonly expiresMs: number;
}

export interface ListenKeyStore {
  /** Adds a key by its hash; of more than `liveMax` live ones of its account and surface the oldest end. */
  add(hash: string, row: ListenKeyRow, terms: { nowMs: number; liveMax: number }): Promise<void>;
  /** The key, if it has not ended. */
  find(hash: string, nowMs: number): Promise<ListenKeyRow | null>;
  /** Moves the end of the account's live keys, or of one of them; answers how many there were. */
  extend(which: ListenKeyChoice, expiresMs: number, nowMs: number): Promise<number>;
  /** Ends the account's keys, or one of them. */
  remove(which: ListenKeyChoice): Promise<void>;
  /** Those of the hashes that have not ended. */
  live(hashes: readonly string[], nowMs: number): Promise<string[]>;
}

/** Keys of an account on a surface: one by its hash, or all. */
export interface ListenKeyChoice {
  readonly account: number;
  readonly surface: number;
  readonly hash: string | null;
}
