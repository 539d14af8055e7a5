// Which step of sealing is due: looks at the clock and at the journal's head, and has entries hashed and
// epochs closed by whoever has a thread for it. A step that failed is done again from what is stored,
// because nothing here decides anything: the same entries give the same leaves.
//
//   loading ──terms agree──▶ open ──entries wait──▶ hashing ──▶ open
//      ▲                      └──its time is over──▶ sealing ──▶ open (the next one)
//      └────────────────────── forget ───────┘

import { present } from "../../core/assert.ts";
import type { EpochRecord, EpochTerms } from "../../ports/journal/epoch-store.ts";
import type { EpochClosing, HashedStep, SealedStep } from "./epoch-sealing.ts";
import { type OpenEpoch, openAfter } from "./open-epoch.ts";

/** Entries a task hashes at most: a quarter of a second of a thread. */
const hashEntriesMax = 100_000;
/** Epochs sealed in one go: a week of downtime. More follow at the next look. */
const epochsMax = 10_080;

/** The terms all epochs share, and the newest one. */
export interface Begun {
  readonly terms: EpochTerms;
  readonly newest: EpochRecord | null;
}

/** The steps of sealing, each a function of what it is given and of what is stored. */
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
  /** The journal's head when the venue opened: what epochs that passed before it take. */
  readonly startSeq: number;
  /** Entries worth a task before the epoch is over; fewer wait for its end. */
  readonly hashEntriesMin: number;
  /** Told of the newest sealed epoch at each look, and of what was sealed now. */
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

  /** What is due now, one step at a time; nobody may call it before the last call has ended. */
  async step(): Promise<void> {
    const { nowMs, epochMs, committedSeq, startSeq, hashEntriesMin, sealed } = this.#parts;
    this.#state ??= await this.#load();
    const { open } = this.#state;
    sealed(open.epoch - 1, null);
    const lastOver = Math.floor(nowMs() / epochMs) - 1;
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

  /** A step has failed: the next one begins from what is stored. */
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
    const { terms, open, fillHashes } = present(this.#state, "what is open");
    const hashed = await this.#parts.tasks.hash(open, untilSeq);
    this.#state = { terms, open: hashed.open, fillHashes: [...fillHashes, hashed.fillHashes] };
  }

  async #seal(lastSeq: number, lastEpoch: number): Promise<void> {
    const { terms, open, fillHashes } = present(this.#state, "what is open");
    const closing = { terms, open, fillHashes, lastSeq, lastEpoch };
    const sealed = await this.#parts.tasks.seal(closing);
    this.#state = { terms, open: sealed.open, fillHashes: [] };
    this.#parts.sealed(sealed.open.epoch - 1, sealed);
  }
}
