// Appends one commit batch after the other to the journal, each exactly once, even if the database session is lost.
// A batch is retried only on a new session, which the store opens when nothing of the old session can still commit,
// and only after checking the journal's end. It checks behind a barrier, a commit of its own: without it, a server that
// has lost its standby could show a batch that the standby never got, and that a promotion would undo.
//
//   commit ──ends──▶ written
//     │ breaks off: outcome unknown                     ┌── the batch is there: written
//     └──▶ pause ──▶ new session ──▶ barrier ──▶ end ───┤
//              ▲            └── breaks off ──┐          └── it is not: commit
//              └─────────────────────────────┘
//
// Independent of the database: retry rules, opening a session and pausing are injected.

import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { JournalGap } from "../../ports/journal/journal-gap.ts";
import type { Log } from "../../ports/log.ts";

/** Pause before the first retry; doubled each time up to the maximum. */
const retryMsMin = 20;
const retryMsMax = 1_000;

const failedMessage =
  "a journal commit failed; it is retried, and acknowledgements that depend on it wait";

/** A session that may write the journal until its connection is lost. */
export interface CommitSession {
  /** Resolves when a commit that changes nothing is as durable as a batch; so is then everything `lastSeq` shows. */
  barrier(): Promise<void>;
  /** Seq of the newest committed event, 0 for none. */
  lastSeq(): Promise<number>;
  /** Commits the batch completely or not at all; if it throws, the outcome is unknown. */
  commit(batch: CommitBatch): Promise<void>;
  close(): Promise<void>;
}

export interface BatchCommitterParts {
  /** Opens a session, once no commit of an earlier session can still succeed. */
  readonly open: () => Promise<CommitSession>;
  readonly isRetryable: (error: unknown) => boolean;
  /** True once the venue stops waiting for an unreachable database. */
  readonly isStopping: () => boolean;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly log: Log;
}

export class BatchCommitter {
  readonly #parts: BatchCommitterParts;
  #session: CommitSession | null;

  /** `session` is the first session to use; if null, a session is opened for the first batch. */
  constructor(parts: BatchCommitterParts, session: CommitSession | null) {
    this.#parts = parts;
    this.#session = session;
  }

  /**
   * Resolves when the batch is in the journal, exactly once. Throws errors that are not retryable, any error while
   * stopping, and a JournalGap if the journal ends neither right before nor right after the batch. Calls must not
   * overlap.
   */
  async append(batch: CommitBatch): Promise<void> {
    const { open, isRetryable, isStopping, pause, log } = this.#parts;
    let pauseMs = retryMsMin;
    const { firstSeq } = batch;
    let tries = 0;
    for (;;) {
      try {
        this.#session ??= await open();
        // After a failure the outcome of the previous attempt is unknown.
        const isThere = tries > 0 && (await isCommitted(this.#session, batch));
        if (!isThere) await this.#session.commit(batch);
        if (tries > 0) log.info({ firstSeq, tries, isThere }, "the journal commits again");
        return;
      } catch (error) {
        if (!isRetryable(error) || isStopping()) throw error;
        log.warn({ error, firstSeq }, failedMessage);
        // Close the session even if it might have survived: only a new session proves that nothing of the old session
        // can still commit.
        await this.close();
        tries += 1;
      }
      await pause(pauseMs);
      pauseMs = Math.min(pauseMs * 2, retryMsMax);
    }
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = null;
  }
}

/** Checks whether a batch was committed although its commit returned no answer. */
async function isCommitted(session: CommitSession, batch: CommitBatch): Promise<boolean> {
  await session.barrier();
  const lastSeq = await session.lastSeq();
  if (lastSeq === batch.firstSeq - 1) return false;
  if (lastSeq === batch.firstSeq + batch.count - 1) return true;
  throw new JournalGap(
    `the journal ends at seq ${lastSeq}, the batch starts at ${batch.firstSeq} and has ${batch.count} events`,
  );
}
