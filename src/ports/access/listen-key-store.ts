// Where listen keys rest, so that every front knows them and they outlive a restart. They are found by
// their hash and stored sealed under the master key: reading the table lets nobody listen. Types only.

/** What a listen key opens. */
export interface ListenKeyRow {
  readonly account: number;
  /** The API key it was made with. */
  readonly keyId: number;
  /** MarketKind of the surface. */
  readonly surface: number;
  readonly expiresMs: number;
}

/** A listen key as the secret box seals it. */
export interface ListenKeySeal {
  readonly sealed: Uint8Array;
  readonly sealVersion: number;
}

export interface ListenKeyTerms {
  readonly nowMs: number;
  readonly liveMax: number;
  readonly seal: ListenKeySeal;
}

/** The API key a listen key is made with, and the surface it is made for. */
export interface ListenKeyMaker {
  readonly account: number;
  readonly surface: number;
  readonly keyId: number;
}

export interface ListenKeyStore {
  /** Adds a key by its hash; of more than `liveMax` live ones of its account and surface the oldest end. */
  add(hash: string, row: ListenKeyRow, terms: ListenKeyTerms): Promise<void>;
  /** The newest live key of an API key, or null. */
  newest(maker: ListenKeyMaker, nowMs: number): Promise<({ hash: string } & ListenKeySeal) | null>;
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
