// Keeps the epochs of a running venue: looks at the clock, lets tasks of the pool hash what has been
// committed and seal what is over. One task at a time. A task that fails is told and done again from
// what is stored, because nothing here decides anything: the same entries give the same leaves.
//
//   loading ──terms agree──▶ open ──entries wait──▶ hashing ──▶ open
//      ▲                      └──its time is over──▶ sealing ──▶ open (the next one)
//      └────────────── any failure, after a pause ────┘

import type {
  BeginTask,
  Begun,
  EpochTask,
  HashTask,
  SealTask,
} from "../../workers/tasks/seal-epochs.ts";
import type { SafetyFigures } from "../adapters/telemetry/safety-figures.ts";
import { present } from "../core/assert.ts";
import type { Clock } from "../ports/clock.ts";
import type { EpochTerms } from "../ports/epoch-store.ts";
import type { Log } from "../ports/log.ts";
import type { HashedStep, SealedStep } from "../services/epochs/epoch-sealing.ts";
import { nonceKeyCheck } from "../services/epochs/nonce-key.ts";
import { type OpenEpoch, openAfter } from "../services/epochs/open-epoch.ts";
import { TaskPool } from "./task-pool.ts";

const taskUrl = new URL("../../workers/tasks/seal-epochs.js", import.meta.url);

/** How often the clock is looked at: an epoch is closed at most this much late. */
const lookMs = 100;
/**
 * Entries worth a task before the epoch is over; fewer wait for its end. A task costs two database
 * sessions, but larger pieces hold a core longer: with eight times as many, delays of the front's loop
 * at P7 had a p99 of 17 and 18 ms instead of 11 to 12.
 */
const hashEntriesMin = 4_096;
/** Entries a task hashes at most: a quarter of a second of a thread. */
const hashEntriesMax = 100_000;
/** Epochs sealed in one go: a week of downtime. More follow at the next look. */
const epochsMax = 10_080;
const pauseMsMin = 1_000;
const pauseMsMax = 30_000;
/** A pool thread with nothing to do goes away, and its memory with it. */
const poolIdleMs = 5_000;

export interface EpochKeeperParts {
  readonly venueName: string;
  readonly epochMs: number;
  readonly task: EpochTask;
  readonly clock: Clock;
  readonly log: Log;
  readonly committedSeq: () => number;
  /** Where it is told how far epochs are sealed. */
  readonly figures: SafetyFigures;
  /** The journal's head when the venue opened: what epochs that passed before it take. */
  readonly startSeq: number;
}

interface OpenState {
  readonly terms: EpochTerms;
  readonly open: OpenEpoch;
  readonly fillHashes: readonly Uint8Array[];
}

/**
 * Throws unless the epochs sealed so far were made under these settings: numbers, headers and leaves
 * would not fit each other.
 */
export function checkEpochTerms(
  stored: EpochTerms | null,
  { venueName, epochMs, task }: Pick<EpochKeeperParts, "venueName" | "epochMs" | "task">,
): void {
  if (stored === null) return;
  if (stored.epochMs !== epochMs) {
    const words = `this venue's epochs last ${stored.epochMs / 1000} s since the first`;
    throw new Error(`EPOCH_SECONDS=${epochMs / 1000}: ${words}`);
  }
  if (stored.venue !== venueName) {
    throw new Error(`VENUE_NAME=${venueName}: this venue is ${stored.venue} in its epochs`);
  }
  if (stored.nonceKeyCheck !== nonceKeyCheck(task.nonceKey)) {
    throw new Error("the nonce key in the database is not the one of this venue's epochs");
  }
}

export class EpochKeeper {
  readonly #parts: EpochKeeperParts;
  readonly #pool: TaskPool;
  readonly #timer: NodeJS.Timeout;
  #state: OpenState | null = null;
  #isBusy = false;
  #isClosed = false;
  #isFirst = true;
  #pauseMs = pauseMsMin;
  #notBeforeMs = 0;

  constructor(parts: EpochKeeperParts) {
    this.#parts = parts;
    this.#pool = new TaskPool({ file: taskUrl, idleMs: poolIdleMs });
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
    this.#step()
      .then(() => {
        this.#pauseMs = pauseMsMin;
      })
      .catch((error) => {
        if (this.#isClosed) return;
        log.error({ err: error }, "epochs could not be sealed, trying again");
        this.#state = null;
        this.#notBeforeMs = clock.nowMs() + this.#pauseMs;
        this.#pauseMs = Math.min(this.#pauseMs * 2, pauseMsMax);
      })
      .finally(() => {
        this.#isBusy = false;
      });
  }

  async #step(): Promise<void> {
    const { clock, epochMs, committedSeq, startSeq } = this.#parts;
    this.#state ??= await this.#load();
    const { open } = this.#state;
    this.#parts.figures.sealed(open.epoch - 1, epochMs);
    const lastOver = Math.floor(clock.nowMs() / epochMs) - 1;
    // Read once: entries that commit from here on are of the next epoch.
    const headSeq = this.#isFirst ? startSeq : committedSeq();
    if (open.epoch <= lastOver) {
      // A long way to go is gone in steps, so that no task holds all of it at once.
      while (headSeq - this.#state.open.nextSeq >= hashEntriesMax) {
        await this.#hash(this.#state.open.nextSeq + hashEntriesMax - 1);
      }
      await this.#seal(headSeq, Math.min(lastOver, open.epoch + epochsMax - 1));
    } else if (committedSeq() - open.nextSeq >= hashEntriesMin) {
      await this.#hash(Math.min(committedSeq(), open.nextSeq + hashEntriesMax - 1));
    }
    this.#isFirst = false;
  }

  async #load(): Promise<OpenState> {
    const { clock, venueName: venue, epochMs, task } = this.#parts;
    const terms: EpochTerms = {
      venue,
      epochMs,
      firstEpoch: Math.floor(clock.nowMs() / epochMs),
      nonceKeyCheck: nonceKeyCheck(task.nonceKey),
    };
    const begin: BeginTask = { ...task, terms };
    const begun: Begun = await this.#pool.run(begin, "beginEpochsTask");
    return {
      terms: begun.terms,
      open: openAfter(begun.newest, begun.terms.firstEpoch),
      fillHashes: [],
    };
  }

  async #hash(untilSeq: number): Promise<void> {
    const { terms, open, fillHashes } = present(this.#state, "what is open");
    const task: HashTask = { ...this.#parts.task, open, untilSeq };
    const hashed: HashedStep = await this.#pool.run(task, "hashEntriesTask");
    this.#state = { terms, open: hashed.open, fillHashes: [...fillHashes, hashed.fillHashes] };
  }

  async #seal(lastSeq: number, lastEpoch: number): Promise<void> {
    const { terms, open, fillHashes } = present(this.#state, "what is open");
    const closing = { terms, open, fillHashes, lastSeq, lastEpoch };
    const task: SealTask = { ...this.#parts.task, closing };
    const sealed: SealedStep = await this.#pool.run(task, "sealEpochsTask");
    this.#state = { terms, open: sealed.open, fillHashes: [] };
    this.#parts.figures.sealed(sealed.open.epoch - 1, this.#parts.epochMs);
    const { epochs, entries, fills, root } = sealed;
    this.#parts.log.debug({ epoch: open.epoch, epochs, entries, fills, root }, "epoch sealed");
  }
}
