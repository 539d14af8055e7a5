// Stores the journal in PostgreSQL. A batch is written exactly once, even if the connection is lost. Before a retry
// (services/journal/batch-committer.ts), a new session takes the writer's lock, which the server grants only after the
// old session and its transaction have ended.

import { setTimeout as pause } from "node:timers/promises";
import { OrderStatus } from "../../core/orders.ts";
import type {
  CommitBatch,
  EventChunk,
  EventStore,
  StoredSnapshot,
  TornSnapshot,
} from "../../ports/journal/event-store.ts";
import type { Log } from "../../ports/log.ts";
import { BatchCommitter } from "../../services/journal/batch-committer.ts";
import type { PostgresConnectionOptions } from "./connection.ts";
import { readJournal } from "./journal-reader.ts";
import { PgSession } from "./pg-session.ts";
import { PostgresFault } from "./postgres-fault.ts";
import { isRetryable } from "./retryable.ts";
import {
  isSnapshotKept,
  readSnapshotBytes,
  readSnapshotHeads,
  writeSnapshot,
} from "./snapshots.ts";
import { WriterSession } from "./writer-session.ts";

// Session settings of readers. Every statement reads a bounded part of the journal or one snapshot, so its duration
// does not depend on the length of a replay.
const readerSettings = { jit: "off", statement_timeout: "60000" };

export interface PostgresEventStoreOptions {
  readonly connection: PostgresConnectionOptions;
  readonly log: Log;
  /** Returns true once the venue no longer waits for a lost database. */
  readonly isStopping: () => boolean;
}

/**
 * Number of ids per lookup statement. A lookup takes a microsecond per id, so a statement stays far below its timeout
 * and few round trips are needed.
 */
const idsPerStatement = 50_000;
const openByRowStatement = {
  name: "open_by_row",
  text: `select order_id from orders
    where order_id = any ($1::bigint[]) and status = ${OrderStatus.open}`,
};

/** EventStore on PostgreSQL. It connects at the first call. */
export class PostgresEventStore implements EventStore {
  readonly #options: PostgresEventStoreOptions;
  #writing: BatchCommitter | null = null;
  #reader: PgSession | null = null;
  #prepared: PgSession | null = null;

  constructor(options: PostgresEventStoreOptions) {
    this.#options = options;
  }

  /** Opens the session of a later `becomeWriter`, so that it and its first commit are quick. */
  async prepareWriter(): Promise<void> {
    const session = await WriterSession.prepare(this.#options.connection);
    this.#prepared = session;
    await WriterSession.rehearse(session);
  }

  async becomeWriter(claimed: string | null = null): Promise<string> {
    const { connection, log, isStopping } = this.#options;
    const held = claimed === null ? null : { epoch: claimed };
    const prepared = this.#prepared?.isLost === false ? this.#prepared : null;
    this.#prepared = null;
    let session = await WriterSession.open(connection, held, undefined, prepared);
    const open = async () => {
      session = await WriterSession.open(connection, session);
      return session;
    };
    this.#writing = new BatchCommitter({ open, isRetryable, isStopping, pause, log }, session);
    return session.epoch;
  }

  async lastSeq(): Promise<number> {
    return this.#reading(async (session) => {
      const [head] = await session.queryText<{ last_seq: string }>(
        "select last_seq from journal_head",
      );
      if (head === undefined) throw new PostgresFault("corrupt", "journal_head has no row");
      return Number(head.last_seq);
    });
  }

  /** Seq after which the journal begins: 0, or that at which a fork was made. */
  async baseSeq(): Promise<number> {
    return this.#reading(async (session) => {
      const [origin] = await session.queryText<{ seq: string }>("select seq from fork_origin");
      return Number(origin?.seq ?? 0);
    });
  }

  async appendBatch(batch: CommitBatch): Promise<void> {
    if (this.#writing === null)
      throw new PostgresFault("deposed", "this event store is not the writer of the journal");
    await this.#writing.append(batch);
  }

  async openByRow(orderIds: readonly number[]): Promise<number[]> {
    const open: number[] = [];
    for (let from = 0; from < orderIds.length; from += idsPerStatement) {
      const ids = `{${orderIds.slice(from, from + idsPerStatement).join(",")}}`;
      const rows = await this.#reading((session) =>
        session.run<{ order_id: string }>(openByRowStatement, [ids]),
      );
      for (const { order_id } of rows) open.push(Number(order_id));
    }
    return open;
  }

  async readEvents(
    afterSeq: number,
    untilSeq: number | null,
    take: (chunk: EventChunk) => void,
  ): Promise<void> {
    const until = untilSeq ?? (await this.lastSeq());
    if (until <= afterSeq) return;
    await this.#reading((session) => readJournal(session, { afterSeq, untilSeq: until }, take));
  }

  async *readSnapshots(limit: number): AsyncGenerator<StoredSnapshot | TornSnapshot> {
    for (const head of await this.#reading((session) => readSnapshotHeads(session, limit))) {
      const bytes = await this.#reading((session) => readSnapshotBytes(session, head));
      const { seq, stateHash, byteCount } = head;
      if (bytes.length === byteCount) yield { seq, stateHash, bytes };
      // The running venue may have deleted this snapshot meanwhile. It deletes row and bytes in one commit, so the
      // snapshot is incomplete only if its row still exists.
      else if (await this.#reading((session) => isSnapshotKept(session, head)))
        yield { seq, message: `${bytes.length} of its ${byteCount} bytes are stored` };
    }
  }

  async writeSnapshot(snapshot: StoredSnapshot): Promise<void> {
    await this.#reading((session) => writeSnapshot(session, snapshot));
  }

  async close(): Promise<void> {
    await this.#writing?.close();
    await this.#reader?.close();
    this.#reader = null;
  }

  /** Runs `work` on the reader's session, which is separate from the writer's. A failed session is replaced. */
  async #reading<T>(work: (session: PgSession) => Promise<T>): Promise<T> {
    this.#reader ??= await PgSession.open(this.#options.connection, "reader", readerSettings);
    const session = this.#reader;
    try {
      return await work(session);
    } catch (error) {
      if (this.#reader === session) this.#reader = null;
      await session.close();
      throw error;
    }
  }
}
