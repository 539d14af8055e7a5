// When to fold a new snapshot: often enough that a restart replays little, seldom enough that
// folding does not compete with trading. Decides only; venue/duties/snapshots.ts acts.

export interface SnapshotRules {
  readonly intervalMs: number;
  /** A suffix of this many events calls for a snapshot before the interval is over. */
  readonly events: number;
}

export interface SnapshotSituation {
  readonly nowMs: number;
  readonly committedSeq: number;
  readonly lastSnapshotSeq: number;
  readonly lastSnapshotMs: number;
  readonly isFolding: boolean;
  /** End of the pause after a fold that failed. */
  readonly notBeforeMs: number;
}

/** True if a snapshot of `committedSeq` should be folded now. An idle venue needs no new one. */
export function isSnapshotDue(rules: SnapshotRules, situation: SnapshotSituation): boolean {
  const suffix = situation.committedSeq - situation.lastSnapshotSeq;
  if (situation.isFolding || suffix <= 0 || situation.nowMs < situation.notBeforeMs) return false;
  return suffix >= rules.events || situation.nowMs - situation.lastSnapshotMs >= rules.intervalMs;
}
