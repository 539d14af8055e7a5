// One batch after the other into the journal, each exactly once, whatever becomes of the session that
// writes it. A batch is tried again only on a new session, which the store opens when nothing of the old
// one is under way any more, and only after a look at how far the journal reaches.
//
//   commit ──ends──▶ written
//     │ breaks off: outcome unknown                     ┌── the batch is there: written
//     └──▶ pause ──▶ new session ──▶ look at the end ───┤
//              ▲            └── breaks off ──┐          └── it is not: commit
//              └─────────────────────────────┘
//
// It knows no database: what may be retried, how a session is opened and how one pauses are handed in.

import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { JournalGap } from "../../ports/journal/journal-gap.ts";
import type { Log } from "../../ports/log.ts";

/** Pause before the first retry; doubled each time up to the longest. */
const retryMsMin = 20;
const retryMsMax = 1_000;

const failedMessage =
  "a journal commit failed and is tried again; what rests on it is acknowledged only when it is through";

/** What may write the journal until it breaks off. */
export interface CommitSession {
  /** Seq of the newest committed event, 0 for none. */
  lastSeq(): Promise<number>;
  /** Commits the batch whole or not at all; where it throws, which of the two is unknown. */
  commit(batch: CommitBatch): Promise<void>;
  close(): Promise<void>;
}

export interface BatchCommitterParts {
  /** A new session, once no commit of an earlier one can land any more. */
  readonly open: () => Promise<CommitSession>;
  readonly isRetryable: (error: unknown) => boolean;
  /** True once nobody waits any more for a database that does not come back. */
  readonly isStopping: () => boolean;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly log: Log;
}

export class BatchCommitter {
  readonly #parts: BatchCommitterParts;
  #session: CommitSession | null;

  /** `session` is the one to begin with; null opens one for the first batch. */
  constructor(parts: BatchCommitterParts, session: CommitSession | null) {
    this.#parts = parts;
    this.#session = session;
  }

  /**
   * Resolves when the batch is in the journal, once. Throws what may not be retried, anything while
   * stopping, and a JournalGap where the journal ends in the middle of the batch or elsewhere.
   * One call at a time.
   */
  async append(batch: CommitBatch): Promise<void> {
    const { open, isRetryable, isStopping, pause, log } = this.#parts;
    let pauseMs = retryMsMin;
    const { firstSeq } = batch;
    let tries = 0;
    for (;;) {
      try {
        this.#session ??= await open();
        // After a failure the outcome of the attempt before is unknown.
        const isThere = tries > 0 && (await isCommitted(this.#session, batch));
        if (!isThere) await this.#session.commit(batch);
        if (tries > 0) log.info({ firstSeq, tries, isThere }, "the journal commits again");
        return;
      } catch (error) {
        if (!isRetryable(error) || isStopping()) throw error;
        log.warn({ error, firstSeq }, failedMessage);
        // The session is dropped even if it might have survived: only a new one proves that nothing
        // of the old one is still under way.
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

/** Looks what became of a batch whose commit was cut off. */
async function isCommitted(session: CommitSession, batch: CommitBatch): Promise<boolean> {
  const lastSeq = await session.lastSeq();
  if (lastSeq === batch.firstSeq - 1) return false;
  if (lastSeq === batch.firstSeq + batch.count - 1) return true;
  throw new JournalGap(
    `the journal ends at ${lastSeq}, the batch is ${batch.firstSeq} with ${batch.count} events`,
  );
}
