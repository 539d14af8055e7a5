// Reads the stored journal and epochs for an auditor, row by row with every column. It trusts no stored value, so a
// missing, moved or changed row can be identified. Types only.

import type { EpochRecord, EpochTerms, EpochTile } from "./epoch-store.ts";

/** Journal rows as stored: row i has its columns at i and its bytes at offsets[i]. */
export interface RowChunk {
  readonly count: number;
  readonly seqs: Float64Array;
  readonly tsUs: Float64Array;
  readonly accounts: Uint32Array;
  readonly kinds: Uint16Array;
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
}

/** A stored fill: every column except its number as big-endian bytes, in the form of `FillCheck`. */
export interface FillRow {
  readonly tradeId: number;
  readonly columns: Uint8Array;
}

export interface AuditSource {
  terms(): Promise<EpochTerms | null>;
  /** Sealed epochs with numbers above `after`, ascending, at most `limit`. */
  epochsAfter(after: number, limit: number): Promise<EpochRecord[]>;
  /** The newest sealed epochs, ascending, at most `limit`. */
  newestEpochs(limit: number): Promise<EpochRecord[]>;
  /** Rows with afterSeq < seq ≤ untilSeq in order; `take` must not retain the chunk's arrays. */
  readRows(afterSeq: number, untilSeq: number, take: (chunk: RowChunk) => void): Promise<void>;
  /** Tiles of the epochs `first` to `last`. */
  readTiles(
    first: number,
    last: number,
    take: (epoch: number, tile: EpochTile) => void,
  ): Promise<void>;
  /** Rows of the fills `first` to `last`; `take` must not retain the columns. */
  readFills(first: number, last: number, take: (row: FillRow) => void): Promise<void>;
  /** Roots confirmed by the ledger for epochs after `after` up to `last`, in order. */
  committedRoots(after: number, last: number): Promise<{ epoch: number; root: string }[]>;
  close(): Promise<void>;
}
