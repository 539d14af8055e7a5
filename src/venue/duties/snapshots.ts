// Folds snapshots while the venue runs: asks the journal to bring its rows up to date, then lets a
// task of the pool fold the committed journal up to there. One at a time; a fold that fails is told
// and tried again after a pause, because nothing depends on it but the length of a restart.

import type { FoldSnapshotTask } from "../../../workers/tasks/fold-snapshot.ts";
import type { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { FoldedSnapshot } from "../../services/journal/snapshot-folding.ts";
import { taskEntries } from "../entry-points.ts";
import { TaskPool } from "./task-pool.ts";

// When to fold a new snapshot: often enough that a restart replays little, seldom enough that
// folding does not compete with trading. Decides only; venue/duties/snapshots.ts acts.

interface SnapshotRules {
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

/** How often the rules are asked. */
const lookMs = 1_000;
/** The pause after a fold that failed; doubled after each one more, up to the interval. */
const pauseMsMin = 1_000;
/** A pool thread with nothing to do goes away, and its memory with it. */
const poolIdleMs = 1_000;

export interface SnapshotSchedulerParts {
  readonly rules: SnapshotRules;
  readonly task: Omit<FoldSnapshotTask, "untilSeq">;
  readonly clock: Clock;
  readonly log: Log;
  readonly committedSeq: () => number;
  /** Brings rows up to date; answers the seq they are complete up to. */
  readonly settle: () => Promise<number>;
  /** Where the outcome of each fold is told. */
  readonly figures: SafetyFigures;
  /** Seq of the snapshot the venue started from. */
  readonly snapshotSeq: number;
}

export class SnapshotScheduler {
  readonly #parts: SnapshotSchedulerParts;
  readonly #pool: TaskPool;
  readonly #timer: NodeJS.Timeout;
  #lastSeq: number;
  #lastMs: number;
  #folding: Promise<FoldedSnapshot> | null = null;
  #isClosed = false;
  #pauseMs = pauseMsMin;
  #notBeforeMs = 0;

  constructor(parts: SnapshotSchedulerParts) {
    this.#parts = parts;
    this.#lastSeq = parts.snapshotSeq;
    this.#lastMs = parts.clock.nowMs();
    // A snapshot whose sums are not what came in is not loaded.
    if (parts.snapshotSeq > 0) parts.figures.folded(parts.snapshotSeq, 0);
    this.#pool = new TaskPool({ file: taskEntries.foldSnapshot, idleMs: poolIdleMs });
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Folds a snapshot now, or joins the one being folded. */
  fold(): Promise<FoldedSnapshot> {
    this.#folding ??= this.#fold().finally(() => {
      this.#folding = null;
    });
    return this.#folding;
  }

  /** Ends the pool; a fold under way is given up, the next start folds the same events again. */
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
    this.fold().catch((error) => {
      if (this.#isClosed) return;
      log.error({ err: error }, "building a snapshot failed");
      // A long suffix stays long: by itself it would be due again at the next look.
      this.#notBeforeMs = clock.nowMs() + this.#pauseMs;
      this.#pauseMs = Math.min(this.#pauseMs * 2, rules.intervalMs);
    });
  }

  async #fold(): Promise<FoldedSnapshot> {
    const { settle, task, clock, log } = this.#parts;
    // Also after a failure: a fault that lasts must not be tried every second.
    this.#lastMs = clock.nowMs();
    const untilSeq = await settle();
    const name = "foldSnapshotTask";
    const folded: FoldedSnapshot = await this.#pool.run({ ...task, untilSeq }, name);
    this.#lastSeq = folded.seq;
    this.#pauseMs = pauseMsMin;
    const { seq, stateHash, bytes, astray } = folded;
    this.#parts.figures.folded(seq, astray.length);
    // Told and not acted on: the venue stops for what a thread knows to be wrong; this needs a person.
    if (astray.length > 0)
      log.error(
        { seq, astray },
        "conservation violated: the balances of all accounts do not add up to deposits minus withdrawals",
      );
    log.info({ seq, stateHash, bytes, folded: folded.folded }, "snapshot stored");
    return folded;
  }
}
