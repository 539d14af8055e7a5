// Stores statements of liabilities and the sum trees of the newest ones. The leader's task writes them, and fronts read
// them for members. A statement counts once the journal has its digest. Types only.

import type { EpochRecord } from "./epoch-store.ts";

/** A statement whose digest is in the journal. */
export interface LiabilityStatement {
  /** The epoch that it is about. */
  readonly epoch: number;
  /** The last entry of that epoch, after which the amounts are counted. */
  readonly statedSeq: number;
  /** Canonical JSON, exactly as it was hashed. */
  readonly text: string;
  /** SHA-256 of the text's bytes. */
  readonly digest: Uint8Array;
  /** The entry of the journal with the digest. */
  readonly entrySeq: number;
  /** Microseconds UTC at which it was made. */
  readonly madeUs: number;
}

/** What a list shows of a statement. */
export type LiabilityHead = Omit<LiabilityStatement, "text" | "madeUs">;

/** A statement that the journal may not have yet. */
export type NewStatement = Omit<LiabilityStatement, "entrySeq">;

/** Identifies 1 to 256 neighbours of one level of an asset's sum tree. */
export interface LiabilityTileName {
  /** The number of the asset. */
  readonly asset: number;
  /** 0 for leaves; 8, 16 … for the nodes over 256, 65,536 … leaves each. */
  readonly level: number;
  readonly tile: number;
}

export interface LiabilityTile extends LiabilityTileName {
  /**
   * Leaves as tag (8 bytes), hash (32) and sum (16), in the order of their tags; nodes as hash and sum. Sums are
   * big-endian, in minor units.
   */
  readonly nodes: Uint8Array;
}

export interface LiabilityReader {
  /** The newest statement; null before the first. */
  newest(): Promise<LiabilityStatement | null>;
  statement(epoch: number): Promise<LiabilityStatement | null>;
  /** At most `limit` statements, newest first; if `before` is given, only those about earlier epochs. */
  statements(before: number | null, limit: number): Promise<LiabilityHead[]>;
  /**
   * For each wanted leaf, the level-0 tile in which a leaf with this tag (8 bytes) would be, in the same order; null if
   * the trees of the epoch are not stored any more. The leaf is there only if the asset's tree has it.
   */
  leafTiles(
    epoch: number,
    wanted: readonly { readonly asset: number; readonly tag: Uint8Array }[],
  ): Promise<(LiabilityTile | null)[]>;
  /** Returns those of the named tiles that exist. */
  tiles(epoch: number, names: readonly LiabilityTileName[]): Promise<LiabilityTile[]>;
}

export interface LiabilityWriter {
  /** A sealed epoch; null if it is not sealed. */
  sealed(epoch: number): Promise<EpochRecord | null>;
  /** Fingerprints of wallet keys, 32 bytes each, by account: those of accounts that members enrolled. */
  fingerprints(): Promise<ReadonlyMap<number, Uint8Array>>;
  /**
   * Drops statements that the journal does not have, with their trees, and trees other than those of the newest two
   * statements that it has.
   */
  dropOld(): Promise<void>;
  /**
   * Stores a statement and its trees before its digest is journaled, in one transaction. Throws if there is a statement
   * about this epoch.
   */
  add(statement: NewStatement, tiles: readonly LiabilityTile[]): Promise<void>;
  close(): Promise<void>;
}
