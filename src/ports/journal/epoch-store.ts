// The home of epochs, seen from the services: what the sealer writes, and what a proof is made of.
// Sealed epochs and tiles never change. Types only.

/** What all epochs of a venue have in common; fixed with the first one. */
export interface EpochTerms {
  readonly venue: string;
  readonly epochMs: number;
  readonly firstEpoch: number;
  /** Hexadecimal digits that follow from the nonce key and do not lead back to it. */
  readonly nonceKeyCheck: string;
}

/** A sealed epoch. Roots are 64 hexadecimal digits. */
export interface EpochRecord {
  readonly epoch: number;
  readonly startMs: number;
  readonly endMs: number;
  /** One past `lastSeq` where the epoch has no entries. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Number of its first trade, or of the next one to come. */
  readonly firstTrade: number;
  readonly journalCount: number;
  readonly fillCount: number;
  readonly merkleRoot: string;
  readonly prevRoot: string;
  readonly root: string;
}

/** 1 to 256 hashes of one level of an epoch's tree, back to back. */
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

/** What comes of hashing some entries of the open epoch. */
export interface HashedEntries {
  readonly tiles: readonly EpochTile[];
  readonly changes: readonly OrderChange[];
}

/** The sealer's side. */
export interface EpochWriter {
  /** The stored terms; where there are none yet, stores these. */
  agree(terms: EpochTerms): Promise<EpochTerms>;
  newest(): Promise<EpochRecord | null>;
  /** Adds tiles and changes of an open epoch; those that are there already stay as they are. */
  keep(epoch: number, entries: HashedEntries): Promise<void>;
  /**
   * Adds the rest of an epoch's tiles and the rows of it and of the empty ones behind it, all or
   * nothing; throws if the first does not follow the newest sealed one.
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

/** What proofs and lists of epochs are made of. */
export interface EpochReader {
  /** The venue's name in headers; null before the first start has sealed anything. */
  terms(): Promise<EpochTerms | null>;
  /** Newest first, at most `limit`, with numbers below `before` if given. */
  epochs(before: number | null, limit: number): Promise<EpochRecord[]>;
  epoch(epoch: number): Promise<EpochRecord | null>;
  /** The journal entry of that seq; null while it is not sealed. */
  entry(seq: number): Promise<SealedEntry | null>;
  /** Sealed entries about an order, newest first, at most `limit`; its trades are not among them. */
  entriesOfOrder(orderId: number, limit: number): Promise<SealedEntry[]>;
  /** The sealed entry of a trade, or null. */
  entryOfTrade(tradeId: number): Promise<SealedEntry | null>;
  /** Those of the named tiles that there are. */
  tiles(epoch: number, names: readonly Omit<EpochTile, "hashes">[]): Promise<EpochTile[]>;
}
