// Stores secrets that are encrypted with master keys, and the versions of the master key. Master keys themselves are
// never stored here. Types only.

/** A version of the master key. */
export interface MasterKeyVersion {
  readonly version: number;
  /** Check value that identifies the key; null for version 1 until `adopt` sets it. */
  readonly check: string | null;
  readonly createdMs: number;
  /** Number of rows whose secret is encrypted with this version. */
  readonly rows: number;
}

/** A row of any table that contains an encrypted secret. */
export interface SealedRow {
  readonly kind: "API key" | "venue secret";
  /** Number of the API key, or name of the secret. */
  readonly id: number | string;
  /** Text that names the owner of the secret. Decryption fails with any other text. */
  readonly owner: string;
  /** The encrypted secret. Null for a row without one: an Ed25519 key, or a revoked key whose secret was erased. */
  readonly sealed: Uint8Array | null;
  readonly version: number;
  /** True if the secret is never needed again. */
  readonly isRevoked: boolean;
}

/** The new content of a row. A null `sealed` leaves a row without a secret as it is. */
export interface ResealedRow {
  readonly row: SealedRow;
  readonly sealed: Uint8Array | null;
}

export interface SealedStore {
  /** Returns all versions, oldest first. */
  versions(): Promise<MasterKeyVersion[]>;
  /** Returns the numbers of all versions, oldest first. Cheaper than `versions`, which counts rows. */
  versionNumbers(): Promise<number[]>;
  /** Sets the check value of version 1 if it has none; returns whether it was set. */
  adopt(check: string): Promise<boolean>;
  /** Adds a version after the newest one; returns false if `version` exists. */
  register(version: number, check: string): Promise<boolean>;
  /** Deletes all versions before `version`; throws while a row is still encrypted with one of them. */
  retireBefore(version: number): Promise<void>;
  /** Returns at most `limit` rows that are encrypted with versions before `version`. */
  rowsBefore(version: number, limit: number): Promise<SealedRow[]>;
  /**
   * Returns at most `limit` rows encrypted with `version`, in a fixed order: the rows that follow `after`, or the first
   * rows if `after` is null.
   */
  rowsOf(version: number, after: SealedRow | null, limit: number): Promise<SealedRow[]>;
  /** Stores rows encrypted with `version`, in one transaction. A row that changed in the meantime is left unchanged. */
  reseal(version: number, rows: readonly ResealedRow[]): Promise<void>;
  /** Returns one of the venue's own secrets, or null. */
  secret(name: string): Promise<SealedRow | null>;
  /** Adds a secret unless a secret with that name exists. */
  addSecret(name: string, sealed: Uint8Array, version: number): Promise<void>;
}
