// Stores listen keys, so that every front can use them and they survive a restart. They are looked up by their hash and
// encrypted with the master key, so reading the table gives no access. Types only.

/** The account and surface to which a listen key gives access. */
export interface ListenKeyRow {
  readonly account: number;
  /** Id of the API key that created the listen key. */
  readonly keyId: number;
  /** The surface, as the MarketKind that it trades: spot or perpetual. */
  readonly surface: number;
  readonly expiresMs: number;
}

/** A listen key encrypted by the secret box, and the version of the master key. */
export interface ListenKeySeal {
  readonly sealed: Uint8Array;
  readonly sealVersion: number;
}

export interface ListenKeyTerms {
  readonly nowMs: number;
  readonly liveMax: number;
  readonly seal: ListenKeySeal;
}

/** The API key that creates a listen key, and the surface. */
export interface ListenKeyMaker {
  readonly account: number;
  readonly surface: number;
  readonly keyId: number;
}

export interface ListenKeyStore {
  /**
   * Adds a key by its hash. If the account then has more than `liveMax` live keys on the surface, the oldest ones are
   * deleted.
   */
  add(hash: string, row: ListenKeyRow, terms: ListenKeyTerms): Promise<void>;
  /** Returns the newest live listen key of an API key, or null. */
  newest(maker: ListenKeyMaker, nowMs: number): Promise<({ hash: string } & ListenKeySeal) | null>;
  /** Returns the key with this hash, or null if it is unknown or has expired. */
  find(hash: string, nowMs: number): Promise<ListenKeyRow | null>;
  /** Extends all live keys of an account on a surface, or one of them. Returns how many were extended. */
  extend(which: ListenKeyChoice, expiresMs: number, nowMs: number): Promise<number>;
  /** Ends all keys of an account on a surface, or one of them. */
  remove(which: ListenKeyChoice): Promise<void>;
  /** Returns those of the hashes whose keys have not expired. */
  live(hashes: readonly string[], nowMs: number): Promise<string[]>;
}

/** Selects keys of an account on a surface: one by its hash, or all of them. */
export interface ListenKeyChoice {
  readonly account: number;
  readonly surface: number;
  readonly hash: string | null;
}
