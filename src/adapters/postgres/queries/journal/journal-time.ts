// When the newest event of the journal happened, for who must judge a clock by it.

import type { Statements } from "../../sql.ts";

/** Unix milliseconds; 0 where nothing has happened yet. */
export async function newestEventMs(sql: Statements): Promise<number> {
  const [row] = await sql<{ us: string }[]>`
    select ts_us::text as us from journal order by journal.seq desc limit 1`;
  return row === undefined ? 0 : Number(row.us) / 1000;
}
