// Seals the epochs of a running venue: at each interval the sealer takes a step on the task pool. One task runs at
// a time; a task that fails is logged and repeated after a pause.

import type { CheckEpochsTask } from "../../../workers/tasks/check-epochs.ts";
import type {
  BeginTask,
  EpochTask,
  HashTask,
  SealTask,
} from "../../../workers/tasks/seal-epochs.ts";
import { alignedInterval } from "../../adapters/runtime/aligned-interval.ts";
import type { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { Log } from "../../ports/log.ts";
import { type Begun, EpochSealer } from "../../services/epochs/epoch-sealer.ts";
import type { HashedStep, SealedStep } from "../../services/epochs/epoch-sealing.ts";
import { nonceKeyCheck } from "../../services/epochs/nonce-key.ts";
import { taskEntries } from "../entry-points.ts";
import { idleMsBetween, TaskPool } from "./task-pool.ts";

/** Number of differences that the log of a start names; `replay --verify` lists all. */
const differencesSaid = 3;

/** Interval in ms at which the time is checked; an epoch may close later by up to this time. */
const lookMs = 200;
/**
 * If at least this many entries wait, a task starts before the epoch ends; fewer entries wait for its end. A task costs
 * two database sessions, so a small one does not pay. A larger task occupies a core longer: with eight times as many
 * entries, the p99 of the front's event loop delay in the benchmark P7 is 17 to 18 ms instead of 11 to 12.
 */
const hashEntriesMin = 4_096;
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;

export interface EpochSchedulerParts {
  readonly venueName: string;
  readonly epochMs: number;
  readonly task: EpochTask;
  readonly clock: Clock;
  /** The time up to which epochs may be closed. */
  readonly dutyMs: () => number;
  readonly log: Log;
  readonly committedSeq: () => number;
  /** Receives how far epochs are sealed. */
  readonly figures: SafetyFigures;
  /** Called at each step with the newest sealed epoch. */
  readonly onSealed?: (epoch: number) => void;
  /**
   * Seq of the newest event when the venue opened. Later events cannot belong to an epoch that ended before the venue
   * opened.
   */
  readonly startSeq: number;
}

/** Throws unless the existing epochs were sealed with these settings: otherwise the chain would be inconsistent. */
export function checkEpochTerms(
  stored: EpochTerms | null,
  { venueName, epochMs, task }: Pick<EpochSchedulerParts, "venueName" | "epochMs" | "task">,
): void {
  if (stored === null) return;
  if (stored.epochMs !== epochMs) {
    const message = `this venue's epochs last ${stored.epochMs / 1000} s, which cannot be changed`;
    throw new Error(`EPOCH_SECONDS=${epochMs / 1000}: ${message}`);
  }
  checkVenueName(stored, venueName);
  if (stored.nonceKeyCheck !== nonceKeyCheck(task.nonceKey)) {
    throw new Error("the nonce key in the database is not the key of this venue's epochs");
  }
}

/** Throws if the venue's epochs carry another name: gateways and leader find each other by it. */
export function checkVenueName(stored: EpochTerms | null, venueName: string): void {
  if (stored === null || stored.venue === venueName) return;
  throw new Error(`VENUE_NAME=${venueName}: this venue's epochs carry the name ${stored.venue}`);
}

/** Thrown if the journal or its seals were altered: the venue must not continue on such a journal. */
export class SealBroken extends Error {
  constructor(differences: readonly string[]) {
    const [first = ""] = differences;
    const more = differences.length > 1 ? `, and ${differences.length - 1} more` : "";
    super(
      `the journal was changed after it was sealed: ${first}${more}; ` +
        "inspect it with 'rialto replay --verify' and restore the database from a backup or a standby " +
        "(EPOCH_CHECK_ENTRIES=0 starts without this check)",
    );
  }
}

/** Throws SealBroken if the newest sealed entries differ from their seals. Spec CHN-17. */
export async function checkNewestEpochs(task: CheckEpochsTask, log: Log): Promise<void> {
  if (task.entriesMax === 0) return;
  const pool = new TaskPool({ file: taskEntries.checkEpochs, idleMs: 0 });
  try {
    const differences = await pool.run<readonly string[]>(task, "checkEpochsTask");
    if (differences.length === 0) return;
    log.error(
      { differences: differences.slice(0, differencesSaid) },
      "sealed entries were changed",
    );
    throw new SealBroken(differences);
  } finally {
    await pool.destroy();
  }
}

export class EpochScheduler {
  readonly #parts: EpochSchedulerParts;
  readonly #pool: TaskPool;
  readonly #sealer: EpochSealer;
  readonly #stopLooking: () => void;
  #isBusy = false;
  #isClosed = false;
  #pauseMs = pauseMsMin;
  #notBeforeMs = 0;

  constructor(parts: EpochSchedulerParts) {
    const { task, dutyMs, figures, epochMs, onSealed } = parts;
    this.#parts = parts;
    this.#pool = new TaskPool({ file: taskEntries.sealEpochs, idleMs: idleMsBetween(epochMs) });
    this.#sealer = new EpochSealer({
      ...parts,
      hashEntriesMin,
      nonceKeyCheck: nonceKeyCheck(task.nonceKey),
      nowMs: dutyMs,
      sealed: (epoch, step) => {
        figures.sealed(epoch, epochMs);
        if (step !== null) this.#tell(step);
        onSealed?.(epoch);
      },
      tasks: {
        begin: (terms): Promise<Begun> => {
          const begin: BeginTask = { ...task, terms };
          return this.#pool.run(begin, "beginEpochsTask");
        },
        hash: (open, untilSeq): Promise<HashedStep> => {
          const hash: HashTask = { ...task, open, untilSeq };
          return this.#pool.run(hash, "hashEntriesTask");
        },
        seal: (closing): Promise<SealedStep> => {
          const seal: SealTask = { ...task, closing };
          return this.#pool.run(seal, "sealEpochsTask");
        },
      },
    });
    this.#stopLooking = alignedInterval(() => this.#look(), lookMs);
  }

  /** Ends the pool and abandons a running task; the next start repeats it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopLooking();
    await this.#pool.destroy();
  }

  #look(): void {
    const { clock, log } = this.#parts;
    if (this.#isBusy || this.#isClosed || clock.nowMs() < this.#notBeforeMs) return;
    this.#isBusy = true;
    this.#sealer
      .step()
      .then(() => {
        this.#pauseMs = pauseMsMin;
      })
      .catch((error) => {
        if (this.#isClosed) return;
        log.error({ err: error }, "sealing epochs failed; retrying");
        this.#sealer.forget();
        this.#notBeforeMs = clock.nowMs() + this.#pauseMs;
        this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMsMax);
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  #tell({ open, epochs, entries, fills, root }: SealedStep): void {
    const epoch = open.epoch - epochs;
    this.#parts.log.debug({ epoch, epochs, entries, fills, root }, "epoch sealed");
  }
}
