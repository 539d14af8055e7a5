// Keeps the epochs of a running venue: lets the sealer take a step at each look at the clock, with the task
// pool for its threads. One task at a time; a task that fails is told and done again after a pause.

import type { CheckEpochsTask } from "../../../workers/tasks/check-epochs.ts";
import type {
  BeginTask,
  EpochTask,
  HashTask,
  SealTask,
} from "../../../workers/tasks/seal-epochs.ts";
import type { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { Log } from "../../ports/log.ts";
import { type Begun, EpochSealer } from "../../services/epochs/epoch-sealer.ts";
import type { HashedStep, SealedStep } from "../../services/epochs/epoch-sealing.ts";
import { nonceKeyCheck } from "../../services/epochs/nonce-key.ts";
import { taskEntries } from "../entry-points.ts";
import { TaskPool } from "./task-pool.ts";

/** Differences said at a start; `replay --verify` says all. */
const differencesSaid = 3;

/** How often the clock is looked at: an epoch is closed at most this much late. */
const lookMs = 100;
/**
 * Entries worth a task before the epoch is over; fewer wait for its end. A task costs two database
 * sessions, but larger pieces hold a core longer: with eight times as many, delays of the front's loop
 * at P7 had a p99 of 17 and 18 ms instead of 11 to 12.
 */
const hashEntriesMin = 4_096;
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;
/** A pool thread with nothing to do goes away, and its memory with it. */
const poolIdleMs = 5_000;

export interface EpochSchedulerParts {
  readonly venueName: string;
  readonly epochMs: number;
  readonly task: EpochTask;
  readonly clock: Clock;
  /** The time up to which epochs may be closed. */
  readonly dutyMs: () => number;
  readonly log: Log;
  readonly committedSeq: () => number;
  /** Where it is told how far epochs are sealed. */
  readonly figures: SafetyFigures;
  /** The journal's head when the venue opened: what epochs that passed before it take. */
  readonly startSeq: number;
}

/**
 * Throws unless the epochs sealed so far were made under these settings: numbers, headers and leaves
 * would not fit each other.
 */
export function checkEpochTerms(
  stored: EpochTerms | null,
  { venueName, epochMs, task }: Pick<EpochSchedulerParts, "venueName" | "epochMs" | "task">,
): void {
  if (stored === null) return;
  if (stored.epochMs !== epochMs) {
    const message = `this venue's epochs last ${stored.epochMs / 1000} s, fixed with the first one`;
    throw new Error(`EPOCH_SECONDS=${epochMs / 1000}: ${message}`);
  }
  if (stored.venue !== venueName) {
    throw new Error(`VENUE_NAME=${venueName}: this venue's epochs carry the name ${stored.venue}`);
  }
  if (stored.nonceKeyCheck !== nonceKeyCheck(task.nonceKey)) {
    throw new Error("the nonce key in the database is not the key of this venue's epochs");
  }
}

/** The journal, or what was sealed of it, was changed by somebody: the venue must not go on from there. */
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

/** Throws SealBroken where the newest sealed entries are not what was sealed. Spec CHN-17. */
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
  readonly #timer: NodeJS.Timeout;
  #isBusy = false;
  #isClosed = false;
  #pauseMs = pauseMsMin;
  #notBeforeMs = 0;

  constructor(parts: EpochSchedulerParts) {
    const { task, dutyMs, figures, epochMs } = parts;
    this.#parts = parts;
    this.#pool = new TaskPool({ file: taskEntries.sealEpochs, idleMs: poolIdleMs });
    this.#sealer = new EpochSealer({
      ...parts,
      hashEntriesMin,
      nonceKeyCheck: nonceKeyCheck(task.nonceKey),
      nowMs: dutyMs,
      sealed: (epoch, step) => {
        figures.sealed(epoch, epochMs);
        if (step !== null) this.#tell(step);
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
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  /** Ends the pool; a task under way is given up, the next start does it again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
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
