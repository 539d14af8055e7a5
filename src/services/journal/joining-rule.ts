// When coalesced rows of one kind are written. Each kind needs its own statement in the commit, and starting a
// statement costs as much as several rows. With one client, a batch has few rows, and a coalesced row or two in each
// would delay its acknowledgement more than all its other rows together. A commit of coalesced rows alone would delay
// the next order, which arrives a fraction of a millisecond after the last answer.
//
//   a due row ──▶ joins a batch of events, once many of its kind are due or it has been due for half an interval
//             ──▶ gets a commit without events, once it has been due for a whole interval
//
// So a row is written at most once per interval, and at the latest two intervals after it changed.

/** Number of due rows that justify a statement: with this many, starting the statement is only a tenth of its cost. */
export const rowsWorthAStatement = 32;

/** The times at which waiting rows become due, ascending; rows before index `head` are already written. */
export interface WaitingRows {
  readonly dueMs: readonly number[];
  readonly head: number;
  readonly intervalMs: number;
}

/** The time at which the oldest waiting row changed; infinite if no row waits. */
export function oldestMs({ dueMs, head, intervalMs }: WaitingRows): number {
  return (dueMs[head] ?? Number.POSITIVE_INFINITY) - intervalMs;
}

/** True if rows should join a batch that is committed anyway at `nowMs`. */
export function mayJoin({ dueMs, head, intervalMs }: WaitingRows, nowMs: number): boolean {
  const many = dueMs[head + rowsWorthAStatement - 1];
  if (many !== undefined && many <= nowMs) return true;
  const first = dueMs[head];
  return first !== undefined && first + intervalMs / 2 <= nowMs;
}

/** True if rows have been due for so long at `nowMs` that they justify a commit without events. */
export function isOverdue({ dueMs, head, intervalMs }: WaitingRows, nowMs: number): boolean {
  const first = dueMs[head];
  return first !== undefined && first + intervalMs <= nowMs;
}
