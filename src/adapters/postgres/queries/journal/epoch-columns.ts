// Converts an epoch's row from text columns, for statements of the pool and of single sessions.

import type { EpochRecord } from "../../../../ports/journal/epoch-store.ts";

/**
 * SQL that selects every column under its field name. Numbers are text, so that the pool and single sessions return
 * them alike.
 */
export const epochColumns = `epoch::text as "epoch", start_ms::text as "startMs",
  end_ms::text as "endMs", first_seq::text as "firstSeq", last_seq::text as "lastSeq",
  first_trade::text as "firstTrade", journal_count::text as "journalCount",
  fill_count::text as "fillCount", encode(merkle_root, 'hex') as "merkleRoot",
  encode(prev_root, 'hex') as "prevRoot", encode(root, 'hex') as "root"`;

export type EpochColumns = { readonly [K in keyof EpochRecord]: string };

export function epochOf(row: EpochColumns): EpochRecord {
  return {
    epoch: Number(row.epoch),
    startMs: Number(row.startMs),
    endMs: Number(row.endMs),
    firstSeq: Number(row.firstSeq),
    lastSeq: Number(row.lastSeq),
    firstTrade: Number(row.firstTrade),
    journalCount: Number(row.journalCount),
    fillCount: Number(row.fillCount),
    merkleRoot: row.merkleRoot,
    prevRoot: row.prevRoot,
    root: row.root,
  };
}
