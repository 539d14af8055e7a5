// Builds snapshots while the venue runs. The journal first writes all pending rows; then a task of the pool folds the
// committed journal up to that point. One snapshot is built at a time. A failure is logged and retried after a pause,
// because a missing snapshot only makes the next start slower.

import type { FoldSnapshotTask } from "../../../workers/tasks/fold-snapshot.ts";
import type { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { FoldedSnapshot } from "../../services/journal/snapshot-folding.ts";
import { taskEntries } from "../entry-points.ts";
import { TaskPool } from "./task-pool.ts";

/**
 * When to build a snapshot: often enough that a restart replays few events, and rarely enough that it does not compete
 * with trading.
 */
interface SnapshotRules {
  readonly intervalMs: number;
  /** Number of events after which a snapshot is due before the interval ends. */
  readonly events: number;
}

export interface SnapshotSituation {
  readonly nowMs: number;
  readonly committedSeq: number;
  readonly lastSnapshotSeq: number;
  readonly lastSnapshotMs: number;
  readonly isFolding: boolean;
  /** Time at which the pause after a failure ends. */
  readonly notBeforeMs: number;
}

/** Whether a snapshot at `committedSeq` is due. An idle venue needs no new one. */
export function isSnapshotDue(rules: SnapshotRules, situation: SnapshotSituation): boolean {
  const suffix = situation.committedSeq - situation.lastSnapshotSeq;
  if (situation.isFolding || suffix <= 0 || situation.nowMs < situation.notBeforeMs) return false;
  return suffix >= rules.events || situation.nowMs - situation.lastSnapshotMs >= rules.intervalMs;
}

/** Interval between checks. */
const lookMs = 1_000;
/** Pause after a failure; doubles with each further one, up to the interval. */
const pauseMsMin = 1_000;
/** An idle pool thread ends after this time, which frees its memory. */
const poolIdleMs = 1_000;

export interface SnapshotSchedulerParts {
  readonly rules: SnapshotRules;
  readonly task: Omit<FoldSnapshotTask, "untilSeq">;
  readonly clock: Clock;
  readonly log: Log;
  readonly committedSeq: () => number;
  /** Writes all pending rows; returns the seq up to which rows are complete. */
  readonly settle: () => Promise<number>;
  /** Receives the outcome of each snapshot. */
  readonly figures: SafetyFigures;
  /** Seq of the snapshot the venue started from. */
  readonly snapshotSeq: number;
  /** Called with each snapshot that was stored. */
  readonly onFolded?: (folded: FoldedSnapshot) => void;
  /** Seq of the newest stored snapshot, if other venues store some too; none is due soon after theirs. */
  readonly newestStored?: () => Promise<number>;
}

export class SnapshotScheduler {
  readonly #parts: SnapshotSchedulerParts;
  readonly #pool: TaskPool;
  readonly #timer: NodeJS.Timeout;
  #lastSeq: number;
  #lastMs: number;
  #folding: Promise<FoldedSnapshot | null> | null = null;
  #isClosed = false;
  #pauseMs = pauseMsMin;
  #notBeforeMs = 0;

  constructor(parts: SnapshotSchedulerParts) {
    this.#parts = parts;
    this.#lastSeq = parts.snapshotSeq;
    this.#lastMs = parts.clock.nowMs();
    // A snapshot that was loaded has passed the conservation check.
    if (parts.snapshotSeq > 0) parts.figures.folded(parts.snapshotSeq, 0);
    this.#pool = new TaskPool({ file: taskEntries.foldSnapshot, idleMs: poolIdleMs });
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Builds a snapshot now, or waits for the one in progress. */
  async fold(): Promise<FoldedSnapshot> {
    const folded = await this.#folding;
    if (folded !== null && folded !== undefined) return folded;
    const folding = this.#fold();
    this.#folding = folding.finally(() => {
      this.#folding = null;
    });
    return folding;
  }

  /** Ends the pool and abandons a snapshot in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#folding?.catch(() => undefined);
    await this.#pool.destroy();
  }

  #look(): void {
    const { rules, clock, committedSeq, log } = this.#parts;
    const situation = {
      nowMs: clock.nowMs(),
      committedSeq: committedSeq(),
      lastSnapshotSeq: this.#lastSeq,
      lastSnapshotMs: this.#lastMs,
      isFolding: this.#folding !== null,
      notBeforeMs: this.#notBeforeMs,
    };
    if (!isSnapshotDue(rules, situation)) return;
    this.#folding ??= this.#foldUnlessStored().finally(() => {
      this.#folding = null;
    });
    this.#folding.catch((error) => {
      if (this.#isClosed) return;
      log.error({ err: error }, "building a snapshot failed");
      // Without this the snapshot would be due again at the next check.
      this.#notBeforeMs = clock.nowMs() + this.#pauseMs;
      this.#pauseMs = Math.min(this.#pauseMs * 2, rules.intervalMs);
    });
  }

  /** Builds a snapshot that is due, unless another venue has stored one. */
  async #foldUnlessStored(): Promise<FoldedSnapshot | null> {
    const newest = (await this.#parts.newestStored?.()) ?? 0;
    if (newest <= this.#lastSeq) return this.#fold();
    this.#lastSeq = newest;
    this.#lastMs = this.#parts.clock.nowMs();
    return null;
  }

  async #fold(): Promise<FoldedSnapshot> {
    const { settle, task, clock, log } = this.#parts;
    // Set even if the attempt fails, so that a persistent fault is not retried every second.
    this.#lastMs = clock.nowMs();
    const untilSeq = await settle();
    const name = "foldSnapshotTask";
    const folded: FoldedSnapshot = await this.#pool.run({ ...task, untilSeq }, name);
    this.#lastSeq = folded.seq;
    this.#pauseMs = pauseMsMin;
    const { seq, stateHash, bytes, astray } = folded;
    this.#parts.figures.folded(seq, astray.length);
    this.#parts.onFolded?.(folded);
    // Differences are only logged, because an operator must decide which side is wrong.
    if (astray.length > 0)
      log.error(
        { seq, astray },
        "conservation violated: the balances of all accounts do not add up to deposits minus withdrawals",
      );
    log.info({ seq, stateHash, bytes, folded: folded.folded }, "snapshot stored");
    return folded;
  }
}
