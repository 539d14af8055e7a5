// Reads the times of journal events, and when the next order expires.

import { present } from "../../../../core/assert.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import type { Statements } from "../../sql.ts";

/**
 * Returns the time of the newest event in Unix ms, with which the machine's clock is compared; 0 for an empty journal. A
 * fork without events of its own has the time at which it was made.
 */
export async function newestEventMs(sql: Statements): Promise<number> {
  const [row] = await sql<{ us: string }[]>`
    select coalesce((select ts_us from journal order by journal.seq desc limit 1),
                    (select ts_us from fork_origin), 0)::text as us`;
  return Number(row?.us ?? 0) / 1000;
}

/**
 * Returns the newest event at or before a time in microseconds UTC, and when it happened; null if no event of the journal is
 * that old.
 */
export async function eventAtUs(
  sql: Statements,
  us: number,
): Promise<{ readonly seq: number; readonly tsUs: number } | null> {
  const [row] = await sql<{ seq: string; us: string }[]>`
    select journal.seq::text, ts_us::text as us from journal
    where journal.seq = first_event_since(${us + 1}) - 1`;
  return row === undefined ? null : { seq: Number(row.seq), tsUs: Number(row.us) };
}

/** Returns the time of the event `seq` in microseconds UTC; the event must be in the journal. */
export async function eventTimeUs(sql: Statements, seq: number): Promise<number> {
  const [row] = await sql<{ us: string }[]>`
    select ts_us::text as us from journal where journal.seq = ${seq}`;
  return Number(present(row, "the row of a committed event").us);
}

/** Returns the seq of the oldest event that the journal has; 1 for an empty journal. */
export async function oldestSeq(sql: Statements): Promise<number> {
  const [row] = await sql<{ seq: string | null }[]>`select min(seq)::text as seq from journal`;
  return Number(row?.seq ?? 1);
}

/** Returns the seq of the first event at or after `us`, in microseconds UTC; one above the last if there is none. */
export async function firstSeqSince(sql: Statements, us: number): Promise<number> {
  // Times ascend with seq, so a bisection finds it, and the journal needs no index by time.
  const [head] = await sql<{ seq: string }[]>`select last_seq::text as seq from journal_head`;
  let [low, high] = [await oldestSeq(sql), Number(head?.seq ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await eventTimeUs(sql, middle)) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns when the next open GTD order after `afterMs` expires, in Unix ms; null if there is none. */
export async function nextOrderExpiryMs(sql: Statements, afterMs: number): Promise<number | null> {
  const [row] = await sql<{ us: string | null }[]>`
    select min(good_till_us)::text as us from orders
    where status = ${OrderStatus.open} and good_till_us > ${Math.round(afterMs * 1000)}::bigint`;
  return row?.us == null ? null : Number(row.us) / 1000;
}
