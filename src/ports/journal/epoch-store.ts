// Stores epochs. The sealer writes them, and fronts read them to make proofs. Sealed epochs and tiles never change.
// Types only.

/** Terms that all epochs of a venue share; fixed when the first epoch is sealed. */
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
  /** Number of the epoch's first trade, or of the next trade if the epoch has none. */
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

/** The part of the store that the sealer uses. */
export interface EpochWriter {
  /** Returns the stored terms. If no terms are stored, stores and returns `terms`. */
  agree(terms: EpochTerms): Promise<EpochTerms>;
  newest(): Promise<EpochRecord | null>;
  /** Adds tiles of an open epoch. Those already stored stay unchanged. */
  keep(epoch: number, tiles: readonly EpochTile[]): Promise<void>;
  /**
   * Seals an epoch, in one transaction: adds its remaining tiles, its row, and the rows of the empty epochs that follow
   * it. Throws if the first row does not follow the newest sealed epoch.
   */
  seal(records: readonly EpochRecord[], tiles: readonly EpochTile[]): Promise<void>;
  close(): Promise<void>;
}

/** One journal row of a sealed epoch. */
export interface SealedEntry {
  readonly epoch: EpochRecord;
  readonly seq: number;
  /** The exact bytes of the event. */
  readonly body: Uint8Array;
}

/** Reads the data from which proofs and epoch lists are made. */
export interface EpochReader {
  /** Returns the terms that all epochs share; null before the first epoch is sealed. */
  terms(): Promise<EpochTerms | null>;
  /** Returns at most `limit` epochs, newest first; if `before` is given, only epochs with lower numbers. */
  epochs(before: number | null, limit: number): Promise<EpochRecord[]>;
  epoch(epoch: number): Promise<EpochRecord | null>;
  /** Returns the journal entry with that seq; null if it is not sealed yet. */
  entry(seq: number): Promise<SealedEntry | null>;
  /**
   * Returns at most `limit` sealed entries about an order, newest first. Entries of the order's trades are not
   * included.
   */
  entriesOfOrder(orderId: number, limit: number): Promise<SealedEntry[]>;
  /** Returns the sealed entry of a trade, or null. */
  entryOfTrade(tradeId: number): Promise<SealedEntry | null>;
  /** Returns those of the named tiles that exist. */
  tiles(epoch: number, names: readonly Omit<EpochTile, "hashes">[]): Promise<EpochTile[]>;
}
