// The journal in PostgreSQL. A group is written exactly once, whatever happens to the connection:
// before a group is tried again, a fresh session takes the lock, which the server gives only when
// the old session and its transaction have ended, and then looks how far the journal reaches.

import { setTimeout as sleep } from "node:timers/promises";
import type {
  EventChunk,
  EventStore,
  JournalGroup,
  StoredSnapshot,
} from "../../ports/event-store.ts";
import type { Log } from "../../ports/log.ts";
import { openPostgres, type PostgresConnectionOptions, type Sql } from "./connection.ts";
import { readJournal } from "./journal-reader.ts";
import { PostgresFault } from "./postgres-fault.ts";
import { isRetryable } from "./retryable.ts";
import { readSnapshots, writeSnapshot } from "./snapshots.ts";
import { WriterSession } from "./writer-session.ts";

/** Pause before the first retry; doubled each time up to the longest. */
const retryMsMin = 20;
const retryMsMax = 1_000;

export interface PostgresEventStoreOptions {
  readonly connection: PostgresConnectionOptions;
  readonly log: Log;
  /** True once the venue gives up waiting for a database that does not come back. */
  readonly isStopping: () => boolean;
}

/** The port on PostgreSQL. Nothing is opened before the first call. */
export class PostgresEventStore implements EventStore {
  readonly #connection: PostgresConnectionOptions;
  readonly #log: Log;
  readonly #isStopping: () => boolean;
  #session: WriterSession | null = null;
  #epoch: string | null = null;
  #openReader: Sql | null = null;

  constructor(options: PostgresEventStoreOptions) {
    this.#connection = options.connection;
    this.#log = options.log;
    this.#isStopping = options.isStopping;
  }

  async becomeWriter(): Promise<void> {
    this.#session = await WriterSession.open(this.#connection, null);
    this.#epoch = this.#session.epoch;
  }

  async lastSeq(): Promise<number> {
    const [head] = await this.#reader()<{ last_seq: string }[]>`select last_seq from journal_head`;
    if (head === undefined) throw new PostgresFault("corrupt", "journal_head has no row");
    return Number(head.last_seq);
  }

  async appendGroup(group: JournalGroup): Promise<void> {
    let pauseMs = retryMsMin;
    let isOutcomeKnown = true;
    for (;;) {
      try {
        this.#session ??= await this.#rejoin();
        if (!isOutcomeKnown && (await isCommitted(this.#session, group))) return;
        await this.#session.commit(group);
        return;
      } catch (error) {
        if (!isRetryable(error) || this.#isStopping()) throw error;
        this.#log.warn({ error, firstSeq: group.firstSeq }, "journal commit failed, trying again");
        // The session is dropped even if it might have survived: only a new one, which holds the
        // lock, proves that nothing of the old one is still under way.
        await this.#session?.close();
        this.#session = null;
        isOutcomeKnown = false;
      }
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, retryMsMax);
    }
  }

  async readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void> {
    const until = untilSeq ?? (await this.lastSeq());
    if (until > afterSeq) await readJournal(this.#reader(), { afterSeq, untilSeq: until }, take);
  }

  async readSnapshots(limit: number): Promise<StoredSnapshot[]> {
    return readSnapshots(this.#reader(), limit);
  }

  async writeSnapshot(snapshot: StoredSnapshot): Promise<void> {
    await writeSnapshot(this.#reader(), snapshot);
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = null;
    await this.#openReader?.end({ timeout: 5 });
    this.#openReader = null;
  }

  async #rejoin(): Promise<WriterSession> {
    if (this.#epoch === null)
      throw new PostgresFault("deposed", "this store never became the writer");
    return WriterSession.open(this.#connection, this.#epoch);
  }

  #reader(): Sql {
    this.#openReader ??= openPostgres(this.#connection, "reader");
    return this.#openReader;
  }
}

/** Looks what became of a group whose commit was cut off. */
async function isCommitted(session: WriterSession, group: JournalGroup): Promise<boolean> {
  const lastSeq = await session.lastSeq();
  if (lastSeq === group.firstSeq - 1) return false;
  if (lastSeq === group.firstSeq + group.count - 1) return true;
  throw new PostgresFault(
    "gap",
    `the journal ends at ${lastSeq}, the group is ${group.firstSeq} with ${group.count} events`,
  );
}
