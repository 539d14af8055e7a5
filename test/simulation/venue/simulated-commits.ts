// How batches reach the simulated journal: by the very loop of the venue, over sessions that break off.
// A commit is written when the schedule says so and answered when it says so. One that breaks off was
// written, is not, or lands behind the writer's back, until the server gives a new session.

import assert from "node:assert/strict";
import { isRetryable } from "../../../src/adapters/postgres/retryable.ts";
import type { CommitBatch } from "../../../src/ports/journal/event-store.ts";
import {
  BatchCommitter,
  type CommitSession,
} from "../../../src/services/journal/batch-committer.ts";
import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { SimulationCounts } from "../simulation-counts.ts";

/** How commits go wrong, to see whether it is noticed. */
export const commitCanaries = [
  "tells-before-it-writes",
  "repeats-what-landed",
  "trusts-a-failed-commit",
] as const;
export type CommitCanary = (typeof commitCanaries)[number];

/** What a session was asked for and has not answered, or the pause behind one that broke off. */
interface Call {
  readonly kind: "open" | "look" | "commit" | "pause";
  /** What is to be committed. */
  readonly batch: CommitBatch | null;
  readonly done: () => void;
  readonly fail: (fault: Error) => void;
  isWritten: boolean;
}

type Draft = (kind: Call["kind"], batch?: CommitBatch) => Promise<void>;

export interface SimulatedCommitsParts {
  readonly random: SeededRandom;
  readonly counts: SimulationCounts;
  /** Seq of the newest event that is durable. */
  readonly lastSeq: () => number;
  /** The batch is durable now. */
  readonly keep: (batch: CommitBatch) => void;
  readonly canary: CommitCanary | null;
}

/** A fault of the database that ends the venue. */
export class FatalFault extends Error {
  readonly code = "XX000";
}

class BrokenSession extends Error {
  readonly code = "CONNECTION_CLOSED";
}

export class SimulatedCommits {
  /** While a venue starts nobody schedules: everything is written and told at once. */
  isPrompt = true;
  readonly #parts: SimulatedCommitsParts;
  /** Counts the processes that write. */
  #incarnation = 0;
  #writing: BatchCommitter;
  #call: Call | null = null;
  /** A commit whose session broke off; it lands yet, or never. */
  #stray: CommitBatch | null = null;
  /** So many of the coming calls break off. */
  #broken = 0;
  /** The last of them as nothing that can be tried again. */
  #isFatal = false;
  /** What is appended now, and how often that failed. */
  #batch: CommitBatch | null = null;
  #failures = 0;

  constructor(parts: SimulatedCommitsParts) {
    this.#parts = parts;
    this.#writing = this.#begin();
  }

  #begin(): BatchCommitter {
    const incarnation = this.#incarnation;
    // A process that is dead asks for nothing more, whatever it was in the middle of.
    const send: Draft = (kind, batch) =>
      incarnation === this.#incarnation
        ? this.#send(kind, batch ?? null)
        : new Promise(() => undefined);
    const session: CommitSession = {
      lastSeq: () => this.#look(send),
      commit: (batch) => send("commit", batch),
      close: async () => undefined,
    };
    const open = async (): Promise<CommitSession> => {
      await send("open");
      return session;
    };
    const pause = () => send("pause");
    const isStopping = () => false;
    return new BatchCommitter({ open, isRetryable, isStopping, pause, log: quietLog }, session);
  }

  get isCommitting(): boolean {
    return (this.#call?.batch ?? this.#stray) !== null;
  }

  async append(batch: CommitBatch): Promise<void> {
    this.#batch = batch;
    this.#failures = 0;
    await this.#writing.append(batch);
    if (this.#failures > 1) this.#parts.counts.commitsFailedAgain++;
  }

  /** The commit under way becomes durable, without anybody being told; or one whose session broke off does. */
  write(): void {
    if (this.#stray !== null) {
      this.#land(this.#stray);
      this.#stray = null;
      this.#parts.counts.commitsStrayed++;
    }
    const call = this.#call;
    if (call === null || call.batch === null || call.isWritten) return;
    if (this.#broken > 0 && this.#parts.random.below(2) === 0) {
      if (this.#parts.random.below(2) === 0) this.#stray = call.batch;
      this.#break(call);
      return;
    }
    call.isWritten = true;
    this.#land(call.batch);
  }

  #land(batch: CommitBatch): void {
    if (this.#parts.canary !== "repeats-what-landed")
      assert.equal(batch.firstSeq, this.#parts.lastSeq() + 1, "batches follow each other");
    this.#parts.keep(batch);
  }

  /** Who asked is told, of a commit once it is durable. */
  answer(): void {
    const call = this.#call;
    if (call === null || (call.batch !== null && !call.isWritten)) return;
    if (this.#broken > 0 && call.kind !== "pause") {
      this.#break(call);
      return;
    }
    this.#call = null;
    // The server gives a new session when nothing of the old one is under way any more.
    if (call.kind === "open") this.#stray = null;
    call.done();
  }

  /** The coming calls break off, the last of them for good where `isFatal`. */
  ail(calls: number, isFatal: boolean): void {
    this.#broken = calls;
    this.#isFatal = isFatal;
  }

  #break(call: Call): void {
    const { counts, canary } = this.#parts;
    this.#call = null;
    this.#failures++;
    const isFatal = --this.#broken === 0 && this.#isFatal;
    if (isFatal) counts.faults++;
    else if (call.kind !== "commit") counts.looksFailed++;
    if (canary === "trusts-a-failed-commit") call.done();
    else call.fail(isFatal ? new FatalFault("internal error") : new BrokenSession("cut off"));
  }

  /** How far the journal reaches, and with it what became of the batch that failed. */
  async #look(send: Draft): Promise<number> {
    await send("look");
    const { lastSeq, counts, canary } = this.#parts;
    const before = (this.#batch?.firstSeq ?? 0) - 1;
    if (lastSeq() === before) counts.commitsLost++;
    else counts.commitsFound++;
    return canary === "repeats-what-landed" ? before : lastSeq();
  }

  #send(kind: Call["kind"], batch: CommitBatch | null): Promise<void> {
    assert(this.#call === null, "one commit at a time");
    return new Promise((done, fail) => {
      this.#call = { kind, batch, done, fail, isWritten: false };
      if (kind === "commit" && this.#parts.canary === "tells-before-it-writes") done();
      if (!this.isPrompt) return;
      this.write();
      this.answer();
    });
  }

  /** The database is well again. */
  heal(): void {
    this.#broken = 0;
  }

  /** The writer is dead; its commit lands without it, or never did: then it is answered. */
  abandon(lands: boolean): CommitBatch | null {
    this.heal();
    if (lands) this.write();
    const call = this.#call;
    this.#call = null;
    this.#stray = null;
    this.#incarnation++;
    this.#writing = this.#begin();
    this.isPrompt = true;
    return call?.isWritten === false ? call.batch : null;
  }
}

/** The canary where it is one of a part's own. */
export function oneOf<Own extends string>(
  own: readonly Own[],
  canary: string | null | undefined,
): Own | null {
  return own.find((one) => one === canary) ?? null;
}
