// Decides from the clock and the journal's head which sealing step is due. Worker tasks then hash entries and seal
// epochs. A failed step is repeated from what is stored: the same entries give the same leaves.
//
//   loading ──terms agree──▶ open ──entries wait──▶ hashing ──▶ open
//      ▲                      └──its time is over──▶ sealing ──▶ open (the next one)
//      └────────────────────── forget ───────┘

import { present } from "../../core/assert.ts";
import type { EpochRecord, EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { EpochClosing, HashedStep, SealedStep } from "./epoch-sealing.ts";
import { type OpenEpoch, openAfter } from "./open-epoch.ts";

/** Maximum number of entries per task; hashing them takes one thread a quarter of a second. */
const hashEntriesMax = 100_000;
/**
 * Maximum number of epochs sealed per step: those of a week in which the venue was down. More follow on the next step.
 */
const epochsMax = 10_080;

/** The terms shared by all epochs, and the newest epoch. */
export interface Begun {
  readonly terms: EpochTerms;
  readonly newest: EpochRecord | null;
}

/** The sealing steps; each depends only on its arguments and on stored data. */
export interface SealingTasks {
  begin(terms: EpochTerms): Promise<Begun>;
  hash(open: OpenEpoch, untilSeq: number): Promise<HashedStep>;
  seal(closing: EpochClosing): Promise<SealedStep>;
}

export interface EpochSealerParts {
  readonly tasks: SealingTasks;
  readonly venueName: string;
  readonly epochMs: number;
  readonly nonceKeyCheck: string;
  readonly nowMs: () => number;
  readonly committedSeq: () => number;
  /** The journal's head when the venue started. Epochs that ended before the start take entries up to this seq. */
  readonly startSeq: number;
  /** Minimum number of entries for a hashing task before the epoch ends. Fewer entries wait for the epoch's end. */
  readonly hashEntriesMin: number;
  /** Called with the newest sealed epoch: at the start of each step (`step` null), and after each sealing. */
  readonly sealed: (epoch: number, step: SealedStep | null) => void;
}

interface OpenState {
  readonly terms: EpochTerms;
  readonly open: OpenEpoch;
  readonly fillHashes: readonly Uint8Array[];
}

export class EpochSealer {
  readonly #parts: EpochSealerParts;
  #state: OpenState | null = null;
  #isFirst = true;

  constructor(parts: EpochSealerParts) {
    this.#parts = parts;
  }

  /** Runs the step that is due; calls must not overlap. */
  async step(): Promise<void> {
    const { nowMs, epochMs, committedSeq, startSeq, hashEntriesMin, sealed } = this.#parts;
    this.#state ??= await this.#load();
    const { open } = this.#state;
    sealed(open.epoch - 1, null);
    const lastOver = Math.floor(nowMs() / epochMs) - 1;
    // Read the head once: entries committed later belong to the next epoch.
    const headSeq = this.#isFirst ? startSeq : committedSeq();
    if (open.epoch <= lastOver) {
      // A large backlog is hashed in several tasks, so that none holds all of it in memory.
      while (headSeq - this.#state.open.nextSeq >= hashEntriesMax) {
        await this.#hash(this.#state.open.nextSeq + hashEntriesMax - 1);
      }
      await this.#seal(headSeq, Math.min(lastOver, open.epoch + epochsMax - 1));
    } else if (committedSeq() - open.nextSeq >= hashEntriesMin) {
      await this.#hash(Math.min(committedSeq(), open.nextSeq + hashEntriesMax - 1));
    }
    this.#isFirst = false;
  }

  /** Called after a failed step: the next one starts from what is stored. */
  forget(): void {
    this.#state = null;
  }

  async #load(): Promise<OpenState> {
    const { nowMs, venueName: venue, epochMs, nonceKeyCheck, tasks } = this.#parts;
    const firstEpoch = Math.floor(nowMs() / epochMs);
    const { terms, newest } = await tasks.begin({ venue, epochMs, firstEpoch, nonceKeyCheck });
    return { terms, open: openAfter(newest, terms.firstEpoch), fillHashes: [] };
  }

  async #hash(untilSeq: number): Promise<void> {
    const { terms, open, fillHashes } = present(this.#state, "the open epoch");
    const hashed = await this.#parts.tasks.hash(open, untilSeq);
    this.#state = { terms, open: hashed.open, fillHashes: [...fillHashes, hashed.fillHashes] };
  }

  async #seal(lastSeq: number, lastEpoch: number): Promise<void> {
    const { terms, open, fillHashes } = present(this.#state, "the open epoch");
    const closing = { terms, open, fillHashes, lastSeq, lastEpoch };
    const sealed = await this.#parts.tasks.seal(closing);
    this.#state = { terms, open: sealed.open, fillHashes: [] };
    this.#parts.sealed(sealed.open.epoch - 1, sealed);
  }
}
