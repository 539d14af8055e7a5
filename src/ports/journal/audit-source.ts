// Reads the stored journal and epochs for an auditor, row by row with every column as stored, so that the auditor can
// identify a missing, moved or changed row. Types only.

import type { EpochRecord, EpochTerms, EpochTile } from "./epoch-store.ts";

/** Journal rows as stored. Row i has its column values at index i and its bytes at offsets[i]. */
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

/** A stored fill: the fill's number, and every other column as big-endian bytes in the format of `FillCheck`. */
export interface FillRow {
  readonly tradeId: number;
  readonly columns: Uint8Array;
}

export interface AuditSource {
  terms(): Promise<EpochTerms | null>;
  /** Returns at most `limit` sealed epochs with numbers above `after`, ascending. */
  epochsAfter(after: number, limit: number): Promise<EpochRecord[]>;
  /** Returns the newest sealed epochs, at most `limit`, ascending. */
  newestEpochs(limit: number): Promise<EpochRecord[]>;
  /** Reads the rows with afterSeq < seq ≤ untilSeq in order. `take` must not retain the arrays of a chunk. */
  readRows(afterSeq: number, untilSeq: number, take: (chunk: RowChunk) => void): Promise<void>;
  /** Reads the tiles of the epochs `first` to `last`. */
  readTiles(
    first: number,
    last: number,
    take: (epoch: number, tile: EpochTile) => void,
  ): Promise<void>;
  /** Reads the rows of the fills `first` to `last`. `take` must not retain the columns. */
  readFills(first: number, last: number, take: (row: FillRow) => void): Promise<void>;
  /** Returns the roots that the ledger confirmed for the epochs after `after` up to `last`, in order. */
  committedRoots(after: number, last: number): Promise<{ epoch: number; root: string }[]>;
  close(): Promise<void>;
}
