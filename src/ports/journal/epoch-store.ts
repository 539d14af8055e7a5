// Stores epochs: written by the sealer, read to make proofs. Sealed epochs and tiles never change. Types
// only.

/** Terms shared by all epochs of a venue; fixed with the first one. */
export interface EpochTerms {
  readonly venue: string;
  readonly epochMs: number;
  readonly firstEpoch: number;
  /** Hex digits that identify the nonce key without revealing it. */
  readonly nonceKeyCheck: string;
}

/** A sealed epoch. Roots are 64 hex digits. */
export interface EpochRecord {
  readonly epoch: number;
  readonly startMs: number;
  readonly endMs: number;
  /** Seq of the first entry; `lastSeq` + 1 if the epoch has no entries. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Number of its first trade, or of the next trade if it has none. */
  readonly firstTrade: number;
  readonly journalCount: number;
  readonly fillCount: number;
  readonly merkleRoot: string;
  readonly prevRoot: string;
  readonly root: string;
}

/** 1 to 256 consecutive hashes of one level of an epoch's tree. */
export interface EpochTile {
  readonly level: number;
  readonly tile: number;
  readonly hashes: Uint8Array;
}

/** A journal entry that changed an open order. */
export interface OrderChange {
  readonly orderId: number;
  readonly seq: number;
}

/** Result of hashing some entries of the open epoch. */
export interface HashedEntries {
  readonly tiles: readonly EpochTile[];
  readonly changes: readonly OrderChange[];
}

/** Used by the sealer. */
export interface EpochWriter {
  /** The stored terms; stores these if there are none. */
  agree(terms: EpochTerms): Promise<EpochTerms>;
  newest(): Promise<EpochRecord | null>;
  /** Adds tiles and order changes of an open epoch; existing ones are unchanged. */
  keep(epoch: number, entries: HashedEntries): Promise<void>;
  /**
   * Adds the remaining tiles of an epoch, its row, and the rows of the empty epochs after it, all or nothing;
   * throws if the first does not follow the newest sealed epoch.
   */
  seal(records: readonly EpochRecord[], entries: HashedEntries): Promise<void>;
  close(): Promise<void>;
}

/** One journal row of a sealed epoch. */
export interface SealedEntry {
  readonly epoch: EpochRecord;
  readonly seq: number;
  /** The event's exact bytes. */
  readonly body: Uint8Array;
}

/** Reads what proofs and epoch lists are made of. */
export interface EpochReader {
  /** The terms that all epochs share; null before the first epoch is sealed. */
  terms(): Promise<EpochTerms | null>;
  /** Newest first, at most `limit`, with numbers below `before` if given. */
  epochs(before: number | null, limit: number): Promise<EpochRecord[]>;
  epoch(epoch: number): Promise<EpochRecord | null>;
  /** The journal entry of that seq; null while it is not sealed. */
  entry(seq: number): Promise<SealedEntry | null>;
  /** Sealed entries about an order, newest first, at most `limit`; without its trades. */
  entriesOfOrder(orderId: number, limit: number): Promise<SealedEntry[]>;
  /** The sealed entry of a trade, or null. */
  entryOfTrade(tradeId: number): Promise<SealedEntry | null>;
  /** The tiles of these names that exist. */
  tiles(epoch: number, names: readonly Omit<EpochTile, "hashes">[]): Promise<EpochTile[]>;
}
