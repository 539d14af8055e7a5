// When coalesced rows of one kind are written. Each kind needs a statement of its own in the commit, and starting one
// costs as much as several rows. With one client, a row or two in every batch would delay each acknowledgement more
// than all other rows do. A commit of such rows alone would delay the next order, which arrives a fraction of a
// millisecond after the last answer.
//
//   due ──▶ joins a batch of events, once many of its kind are due or it has waited half an interval
//       ──▶ a commit of its own, once it has waited a whole one
//
// So a row is written at most once per interval, and at the latest two intervals after it changed.

/** Due rows that justify a statement: in a batch of this many, starting it is a tenth of its cost. */
export const rowsWorthAStatement = 32;

/** Waiting rows in order of due time: each one's due time, and the index of the first. */
export interface WaitingRows {
  readonly dueMs: readonly number[];
  readonly head: number;
  readonly intervalMs: number;
}

/** True if rows should join a batch that is committed anyway at `nowMs`. */
export function mayJoin({ dueMs, head, intervalMs }: WaitingRows, nowMs: number): boolean {
  const many = dueMs[head + rowsWorthAStatement - 1];
  if (many !== undefined && many <= nowMs) return true;
  const first = dueMs[head];
  return first !== undefined && first + intervalMs / 2 <= nowMs;
}

/** True if rows have waited so long at `nowMs` that they are committed without events. */
export function isOverdue({ dueMs, head, intervalMs }: WaitingRows, nowMs: number): boolean {
  const first = dueMs[head];
  return first !== undefined && first + intervalMs <= nowMs;
}
