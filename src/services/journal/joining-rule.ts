// When coalesced rows of one kind are written. Each kind is a statement of its own inside the batch's,
// whose start costs as much as several rows: with one client, a row or two in every batch would cost
// each acknowledgement more than all its other rows. And a commit of such rows alone would be in the
// way of the next order, which comes a fraction of a millisecond after the last answer.
//
//   due ──▶ joins a batch of events, once many of its kind are due or it has waited half an interval
//       ──▶ a commit of its own, once it has waited a whole one
//
// So a row is written at most once an interval, and at the latest two intervals after it changed.

/** Due rows that are worth a statement: in a batch of this many the start is a tenth of its cost. */
export const rowsWorthAStatement = 32;

/** Rows that wait in the order in which they come due: when each does, and where the first one is. */
export interface WaitingRows {
  readonly dueMs: readonly number[];
  readonly head: number;
  readonly intervalMs: number;
}

/** True if rows should be written with a batch that is committed anyway at `nowMs`. */
export function mayJoin({ dueMs, head, intervalMs }: WaitingRows, nowMs: number): boolean {
  const many = dueMs[head + rowsWorthAStatement - 1];
  if (many !== undefined && many <= nowMs) return true;
  const first = dueMs[head];
  return first !== undefined && first + intervalMs / 2 <= nowMs;
}

/** True if rows have waited so long at `nowMs` that they are committed without any event. */
export function isOverdue({ dueMs, head, intervalMs }: WaitingRows, nowMs: number): boolean {
  const first = dueMs[head];
  return first !== undefined && first + intervalMs <= nowMs;
}
