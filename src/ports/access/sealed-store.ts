// Stores secrets sealed under master keys, and the known key versions. Master keys themselves are never
// stored here. Types only.

/** A version of the master key. */
export interface MasterKeyVersion {
  readonly version: number;
  /** Identifies the key; null until a program that knows key versions has started once. */
  readonly check: string | null;
  readonly createdMs: number;
  /** Number of rows it seals. */
  readonly rows: number;
}

/** A sealed row of any table. */
export interface SealedRow {
  readonly kind: "API key" | "venue secret";
  /** Number of the key or name of the secret. */
  readonly id: number | string;
  /** The owner string authenticated with the ciphertext. */
  readonly owner: string;
  /** Null if the row has no secret: for Ed25519 keys, and for revoked keys whose secret was erased. */
  readonly sealed: Uint8Array | null;
  readonly version: number;
  /** True if the secret is never needed again. */
  readonly isRevoked: boolean;
}

/** The new state of a row; `sealed` null leaves a row without a secret unchanged. */
export interface ResealedRow {
  readonly row: SealedRow;
  readonly sealed: Uint8Array | null;
}

export interface SealedStore {
  /** Oldest first. */
  versions(): Promise<MasterKeyVersion[]>;
  /** Sets the check of version 1 if it has none; returns whether it did. */
  adopt(check: string): Promise<boolean>;
  /** Adds a version after the newest; false if `version` exists. */
  register(version: number, check: string): Promise<boolean>;
  /** Deletes every version before `version`; throws while a row is still sealed by one of those versions. */
  retireBefore(version: number): Promise<void>;
  /** Rows sealed by versions before `version`, at most `limit`. */
  rowsBefore(version: number, limit: number): Promise<SealedRow[]>;
  /** Rows sealed by `version` after `after` in a fixed order, at most `limit`; null starts. */
  rowsOf(version: number, after: SealedRow | null, limit: number): Promise<SealedRow[]>;
  /** Stores all rows under `version`, or none; a row that changed meanwhile is left unchanged. */
  reseal(version: number, rows: readonly ResealedRow[]): Promise<void>;
  /** One of the venue's own secrets. */
  secret(name: string): Promise<SealedRow | null>;
  /** Adds a secret unless one with that name exists. */
  addSecret(name: string, sealed: Uint8Array, version: number): Promise<void>;
}
