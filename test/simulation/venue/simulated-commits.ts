// Appends commit batches to the simulated journal with the venue's real commit loop, over sessions that fail. The
// schedule decides when a commit is written and when it is answered. If a commit fails, its batch has been written, is
// lost, or is written later, but never after the server has given a new session.

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

/** Deliberate faults of commits; a simulation run with one of them must fail. */
export const commitCanaries = [
  "tells-before-it-writes",
  "repeats-what-landed",
  "trusts-a-failed-commit",
] as const;
export type CommitCanary = (typeof commitCanaries)[number];

/** A pending call of a session, or the pause after a failed call. */
interface Call {
  readonly kind: "open" | "look" | "commit" | "pause";
  /** The batch to commit; null for other calls. */
  readonly batch: CommitBatch | null;
  readonly done: () => void;
  readonly fail: (fault: Error) => void;
  isWritten: boolean;
}

type Draft = (kind: Call["kind"], batch?: CommitBatch) => Promise<void>;

export interface SimulatedCommitsParts {
  readonly random: SeededRandom;
  readonly counts: SimulationCounts;
  /** Returns the seq of the newest durable event. */
  readonly lastSeq: () => number;
  /** Called when the batch is durable. */
  readonly keep: (batch: CommitBatch) => void;
  readonly canary: CommitCanary | null;
}

/** A database fault that stops the venue. */
export class FatalFault extends Error {
  readonly code = "XX000";
}

class BrokenSession extends Error {
  readonly code = "CONNECTION_CLOSED";
}

export class SimulatedCommits {
  /** True while the venue starts: no schedule runs yet, so everything is written and answered at once. */
  isPrompt = true;
  readonly #parts: SimulatedCommitsParts;
  /** Number of writer processes so far. */
  #incarnation = 0;
  #writing: BatchCommitter;
  #call: Call | null = null;
  /** A commit whose session failed; it is written later or never. */
  #stray: CommitBatch | null = null;
  /** Number of coming calls that fail. */
  #broken = 0;
  /** Whether the last failing call is fatal instead of retryable. */
  #isFatal = false;
  /** The batch being appended, and how often appending it failed. */
  #batch: CommitBatch | null = null;
  #failures = 0;

  constructor(parts: SimulatedCommitsParts) {
    this.#parts = parts;
    this.#writing = this.#begin();
  }

  #begin(): BatchCommitter {
    const incarnation = this.#incarnation;
    // Ignore calls of a dead process.
    const send: Draft = (kind, batch) =>
      incarnation === this.#incarnation
        ? this.#send(kind, batch ?? null)
        : new Promise(() => undefined);
    const session: CommitSession = {
      // The simulated store has no standby: everything it shows is durable.
      barrier: async () => undefined,
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

  /**
   * Writes the commit in flight without answering it, or breaks its session. Also writes a commit whose session broke
   * before.
   */
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
      assert.equal(
        batch.firstSeq,
        this.#parts.lastSeq() + 1,
        "Commit batches must follow each other without a gap",
      );
    this.#parts.keep(batch);
  }

  /** Answers the pending call, or makes it fail. A commit is answered only after it is written. */
  answer(): void {
    const call = this.#call;
    if (call === null || (call.batch !== null && !call.isWritten)) return;
    if (this.#broken > 0 && call.kind !== "pause") {
      this.#break(call);
      return;
    }
    this.#call = null;
    // The server gives a new session only when nothing of the old session is in flight.
    if (call.kind === "open") this.#stray = null;
    call.done();
  }

  /** Makes the next `calls` calls fail, the last one fatally if `isFatal`. */
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

  /** Reads the end of the journal, which shows whether the failed batch was written. */
  async #look(send: Draft): Promise<number> {
    await send("look");
    const { lastSeq, counts, canary } = this.#parts;
    const before = (this.#batch?.firstSeq ?? 0) - 1;
    if (lastSeq() === before) counts.commitsLost++;
    else counts.commitsFound++;
    return canary === "repeats-what-landed" ? before : lastSeq();
  }

  #send(kind: Call["kind"], batch: CommitBatch | null): Promise<void> {
    assert(this.#call === null, "Only one commit may be in flight");
    return new Promise((done, fail) => {
      this.#call = { kind, batch, done, fail, isWritten: false };
      if (kind === "commit" && this.#parts.canary === "tells-before-it-writes") done();
      if (!this.isPrompt) return;
      this.write();
      this.answer();
    });
  }

  /** Ends all failures: the database is healthy again. */
  heal(): void {
    this.#broken = 0;
  }

  /**
   * Replaces the writer after its death. Its pending commit is lost, or written if `lands`. Returns the lost commit, or
   * null.
   */
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

/** Returns the canary if it is one of `own`, otherwise null. */
export function oneOf<Own extends string>(
  own: readonly Own[],
  canary: string | null | undefined,
): Own | null {
  return own.find((one) => one === canary) ?? null;
}
