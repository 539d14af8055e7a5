// When events of the journal happened.

import { present } from "../../../../core/assert.ts";
import type { Statements } from "../../sql.ts";

/** Of the newest one, Unix milliseconds, for who must judge a clock by it; 0 where nothing has happened yet. */
export async function newestEventMs(sql: Statements): Promise<number> {
  const [row] = await sql<{ us: string }[]>`
    select ts_us::text as us from journal order by journal.seq desc limit 1`;
  return row === undefined ? 0 : Number(row.us) / 1000;
}

/** Microseconds UTC of the event `seq`, which is in the journal. */
export async function eventTimeUs(sql: Statements, seq: number): Promise<number> {
  const [row] = await sql<{ us: string }[]>`
    select ts_us::text as us from journal where journal.seq = ${seq}`;
  return Number(present(row, "a committed event has its row").us);
}
