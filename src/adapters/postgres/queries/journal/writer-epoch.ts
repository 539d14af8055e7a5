// The epoch of the journal's writer. Each new writer has a higher one, so whoever hears of two writers knows the later.

import type { Sql } from "../../connection.ts";
import { PostgresFault } from "../../postgres-fault.ts";

/** Returns the epoch of the last process that became the journal's writer; 0 before the first. */
export async function readWriterEpoch(sql: Sql): Promise<number> {
  const [head] = await sql<{ writer_epoch: string }[]>`select writer_epoch from journal_head`;
  if (head === undefined) throw new PostgresFault("corrupt", "journal_head has no row");
  return Number(head.writer_epoch);
}
