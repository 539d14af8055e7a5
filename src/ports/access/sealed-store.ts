// What rests sealed under master keys, and which versions of them there are. The keys themselves are
// never here. Types only.

/** A version of the master key that something may be sealed with. */
export interface MasterKeyVersion {
  readonly version: number;
  /** Tells keys apart; null before the first start of a program that knows versions. */
  readonly check: string | null;
  readonly createdMs: number;
  /** How many rows it seals. */
  readonly rows: number;
}

/** One sealed row, wherever it rests. */
export interface SealedRow {
  readonly kind: "API key" | "venue secret";
  /** Number of the key, or name of the secret. */
  readonly id: number | string;
  /** What was authenticated with the ciphertext. */
  readonly owner: string;
  /** Null where there is nothing to open: Ed25519 keys, and revoked ones that were emptied. */
  readonly sealed: Uint8Array | null;
  readonly version: number;
  /** Whether nobody will open it again. */
  readonly isRevoked: boolean;
}

/** A row as it is to be afterwards; `sealed` null leaves a row without a secret as it is. */
export interface ResealedRow {
  readonly row: SealedRow;
  readonly sealed: Uint8Array | null;
}

export interface SealedStore {
  /** Oldest first. */
  versions(): Promise<MasterKeyVersion[]>;
  /** Gives version 1 its check if it has none yet; answers whether it did. */
  adopt(check: string): Promise<boolean>;
  /** Adds the version behind the newest, or answers false where `version` exists. */
  register(version: number, check: string): Promise<boolean>;
  /** Deletes every version before `version`; throws while one of them seals a row. */
  retireBefore(version: number): Promise<void>;
  /** Rows sealed by versions before `version`, at most `limit`. */
  rowsBefore(version: number, limit: number): Promise<SealedRow[]>;
  /** Rows sealed by `version` behind `after` in a fixed order, at most `limit`; null begins. */
  rowsOf(version: number, after: SealedRow | null, limit: number): Promise<SealedRow[]>;
  /** Writes all of them under `version`, or none; a row that changed meanwhile stays as it is. */
  reseal(version: number, rows: readonly ResealedRow[]): Promise<void>;
  /** One of the venue's own secrets. */
  secret(name: string): Promise<SealedRow | null>;
  /** Adds a secret unless one of that name exists. */
  addSecret(name: string, sealed: Uint8Array, version: number): Promise<void>;
}
