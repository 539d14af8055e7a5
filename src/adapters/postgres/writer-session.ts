// The one session that writes the journal. It holds the venue's advisory lock and sends its writer epoch with every
// commit, so that of two venues on one database at most one can write, even if each of them believes it owns the
// database.
//
//   open ──lock free──▶ locked ──epoch raised (take-over) or still ours (rejoin)──▶ writing
//     │                                                                              │
//     └──lock held by another: second-venue       lost: a new session rejoins ◀──────┘

import { setTimeout as sleep } from "node:timers/promises";
import type { CommitBatch } from "../../ports/journal/event-store.ts";
import {
  copyStatements,
  newRows,
  noRows,
  projectionParameters,
  statedParameters,
  statedStatement,
} from "./batch-encoding.ts";
import type { PostgresConnectionOptions } from "./connection.ts";
import { ConnectionLost, PgSession } from "./pg-session.ts";
import { PostgresFault } from "./postgres-fault.ts";
import { copyMessages, executeMessage } from "./protocol-messages.ts";
import { checkReplication } from "./replication-check.ts";

// Number of the venue's advisory lock, which differs from all its other advisory locks. sql/0005_leadership.sql names it
// too.
const venueLock = 0x5249_414c;

/**
 * Maximum time to wait for the lock on a take-over. A killed venue's session ends with its last statement, so a lock
 * held longer belongs to another venue.
 */
const takeOverWaitMs = 3_000;
/**
 * Maximum time to wait for the lock on a rejoin: longer than the server takes to notice that the connection of our
 * previous session is lost.
 */
const rejoinWaitMs = 15_000;
const lockPollMs = 10;
/** Maximum time to wait for a session that was told to end. */
const endMsMax = 5_000;

/** Database role from 0001_baseline.sql that may add to the journal but not change it. */
const venueRole = "rialto_venue";

// Plans are made on empty tables and kept as long as the session. Plans that read a whole table or index are therefore
// disabled, because they take 20 times as long once tables are full.
const sessionSettings: Readonly<Record<string, string>> = {
  jit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // A batch takes milliseconds, so a statement that runs this long is stuck.
  statement_timeout: "30000",
  lock_timeout: "10000",
};

/** Moves the journal's head over the batch, or refuses the batch. */
const beginStatement = {
  name: "begin_group",
  text: "select begin_group($1::bigint, $2::integer, $3::bigint, $4::integer)",
};

/** Number of sections that write_projections takes. */
const projectionSections = 8;
const projectionsStatement = {
  name: "write_projections",
  text: `select write_projections($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
    $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])`,
};

/** A writer epoch that this process has claimed with a lease. */
export interface ClaimedEpoch {
  readonly epoch: string;
}

export class WriterSession {
  readonly epoch: string;
  readonly #session: PgSession;
  /** Id of the server's backend process for this session. */
  readonly #backend: string;

  readonly #isSynchronous: boolean;

  private constructor(
    session: PgSession,
    epoch: string,
    { backend, isSynchronous }: { readonly backend: string; readonly isSynchronous: boolean },
  ) {
    this.#session = session;
    this.#isSynchronous = isSynchronous;
    this.epoch = epoch;
    this.#backend = backend;
  }

  /**
   * Opens a session that may write. If `earlier` is null, the session takes the journal over and raises the epoch,
   * unless a venue with a lease leads; otherwise it joins under that epoch, of an earlier session of this process or of
   * a lease that it has claimed. Waits at most `waitMs` for the lock. After this time, throws a PostgresFault
   * `second-venue` if another venue's session holds the lock, and ConnectionLost if our previous session still holds
   * it, because the server has not noticed its end. Throws a PostgresFault `deposed` if another venue has raised the
   * epoch.
   */
  static async open(
    options: PostgresConnectionOptions,
    earlier: WriterSession | ClaimedEpoch | null,
    waitMs = earlier instanceof WriterSession ? rejoinWaitMs : takeOverWaitMs,
    prepared: PgSession | null = null,
  ): Promise<WriterSession> {
    const session = prepared ?? (await WriterSession.prepare(options).catch(waitable(earlier)));
    try {
      if (mayStick(options) && earlier instanceof WriterSession)
        await endBackend(session, earlier.#backend);
      const holder = await takeLock(session, waitMs);
      if (holder !== null) throw heldBy(holder, earlier);
      if (earlier === null) await checkNobodyLeads(session);
      const { writer_epoch, backend } = await readEpoch(session, earlier === null);
      if (earlier !== null && writer_epoch !== earlier.epoch)
        throw new PostgresFault(
          "deposed",
          `writer epoch ${earlier.epoch} was replaced by epoch ${writer_epoch}`,
        );
      await session.queryText(
        `select set_config('role', rolname, false) from pg_roles
         where rolname = '${venueRole}' and pg_has_role(session_user, oid, 'member')`,
      );
      const isSynchronous = options.synchronous !== undefined;
      return new WriterSession(session, writer_epoch, { backend, isSynchronous });
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Opens a session that `open` can later make the writer's, so that a take-over need not wait for a connection. */
  static async prepare(options: PostgresConnectionOptions): Promise<PgSession> {
    const { synchronous } = options;
    // The wait for the standby happens in the commit, where the server's own timeout does not apply.
    const session = await PgSession.open(options, "journal", sessionSettings, synchronous?.waitMs);
    try {
      if (synchronous !== undefined) {
        await checkReplication((text) => session.queryText(text));
        await session.prepareStandbys();
      }
      for (const statement of [
        beginStatement,
        ...copyStatements,
        projectionsStatement,
        statedStatement,
      ])
        await session.prepare(statement);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /**
   * Makes a prepared session do once what a commit does, without a row and without a lock that a leader's commit waits
   * for. The server then has read its catalogue and made all plans: the first commit takes a tenth of the time.
   */
  static async rehearse(session: PgSession): Promise<void> {
    const noSections = Array.from({ length: projectionSections }, () => "{}");
    const messages = copyStatements.flatMap(({ name }) => copyMessages(name, noRows));
    messages.push(executeMessage(projectionsStatement.name, noSections));
    await session.exchange(messages);
    const [own] = await session.queryText<{ backend: string }>(
      "select pg_backend_pid()::text as backend",
    );
    // No venue has this epoch, so the head is read, neither changed nor locked, and the batch is refused.
    const head = ["-1", own?.backend ?? "", "1", "0"];
    await session.exchange([executeMessage(beginStatement.name, head)]).catch((error: unknown) => {
      if (!(error instanceof PostgresFault && error.code === "deposed")) throw error;
    });
  }

  /** True if `backend` is the backend id of this session. */
  isBackend(backend: string): boolean {
    return backend === this.#backend;
  }

  /** Returns the seq of the newest committed event; 0 if there is none. */
  async lastSeq(): Promise<number> {
    const [head] = await this.#session.queryText<{ last_seq: string }>(
      "select last_seq from journal_head",
    );
    if (head === undefined) throw new PostgresFault("corrupt", "journal_head has no row");
    return Number(head.last_seq);
  }

  /** Commits a change of nothing. Throws a PostgresFault `deposed` if another venue has raised the epoch. */
  async barrier(): Promise<void> {
    const heads = await this.#session.queryText(
      `update journal_head set writer_epoch = writer_epoch where writer_epoch = ${BigInt(this.epoch)}
       returning only_row`,
    );
    if (heads.length === 0)
      throw new PostgresFault(
        "deposed",
        `writer epoch ${this.epoch} was replaced by another venue`,
      );
    if (this.#isSynchronous) await this.#session.checkStandbys();
  }

  /**
   * Commits the batch in one exchange, which is one transaction. After a ConnectionLost it is unknown whether the batch
   * was committed.
   */
  async commit(batch: CommitBatch): Promise<void> {
    const head = [this.epoch, this.#backend, String(batch.firstSeq), String(batch.count)];
    const messages = [executeMessage(beginStatement.name, head)];
    for (const { statement, data } of newRows(batch))
      messages.push(...copyMessages(statement, data));
    // After the new rows, because details of an order are written to its row.
    const projections = projectionParameters(batch);
    if (projections.some((section) => section !== null))
      messages.push(executeMessage(projectionsStatement.name, projections));
    for (const stated of statedParameters(batch))
      messages.push(executeMessage(statedStatement.name, stated));
    if (this.#isSynchronous) await this.#session.exchangeWithStandby(messages);
    else await this.#session.exchange(messages);
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}

/**
 * Returns what to do with a fault of a new session: for a venue that writes already, a server without standbys is waited
 * for, like one whose standbys are away.
 */
function waitable(earlier: WriterSession | ClaimedEpoch | null): (error: unknown) => never {
  return (error) => {
    const isUnfit = error instanceof PostgresFault && error.code === "unfit";
    if (!(isUnfit && earlier instanceof WriterSession)) throw error;
    throw new ConnectionLost(error.message, { cause: error });
  };
}

/** True if an earlier session of ours may outlive its connection on the server. */
function mayStick({ synchronous, leader }: PostgresConnectionOptions): boolean {
  return synchronous !== undefined || leader !== undefined;
}

async function readEpoch(
  session: PgSession,
  isTakeOver: boolean,
): Promise<{ writer_epoch: string; backend: string }> {
  const [head] = await session.queryText<{ writer_epoch: string; backend: string }>(
    isTakeOver
      ? `update journal_head set writer_epoch = writer_epoch + 1
         returning writer_epoch, pg_backend_pid()::text as backend`
      : "select writer_epoch, pg_backend_pid()::text as backend from journal_head",
  );
  if (head === undefined) throw new PostgresFault("corrupt", "journal_head has no row");
  return head;
}

/** Throws a PostgresFault `second-venue` if a venue with a lease leads, even if it has no session at the moment. */
async function checkNobodyLeads(session: PgSession): Promise<void> {
  const [leader] = await session.queryText<{ address: string }>(
    `select address from leadership
     where holder <> '' and renewed_at + lease_ms * interval '1 millisecond' > clock_timestamp()`,
  );
  if (leader !== undefined)
    throw new PostgresFault(
      "second-venue",
      `the venue at ${leader.address} leads on this database: run the command there, or set ROLE=auto`,
    );
}

/**
 * Ends our earlier session on the server. It may still wait for the standby, and it would hold the lock until the
 * standby answers.
 */
async function endBackend(session: PgSession, backend: string): Promise<void> {
  await session.queryText(
    `select pg_terminate_backend(pid, ${endMsMax}) from pg_locks
     where locktype = 'advisory' and granted and classid = 0 and objid = ${venueLock}
       and database = (select oid from pg_database where datname = current_database())
       and pid = ${BigInt(backend)}`,
  );
}

/** The session that holds the venue's lock. */
interface LockHolder {
  readonly backend: string;
  readonly who: string;
}

/** Takes the venue's lock and returns null. If another session still holds it after `waitMs`, returns that session. */
async function takeLock(session: PgSession, waitMs: number): Promise<LockHolder | null> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const [answer] = await session.queryText<{ taken: boolean }>(
      `select pg_try_advisory_lock(${venueLock}) as taken`,
    );
    if (answer?.taken === true) return null;
    if (performance.now() > deadline) break;
    await sleep(lockPollMs);
  }
  const [holder] = await session.queryText<{ backend: string; who: string }>(
    `select a.pid::text as backend,
            format('%s, backend %s%s, since %s', a.application_name, a.pid,
                   ' at ' || host(a.client_addr), a.backend_start) as who
     from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = ${venueLock}
       and l.database = (select oid from pg_database where datname = current_database())`,
  );
  return holder ?? { backend: "", who: "a session that has just ended: try again" };
}

function heldBy({ backend, who }: LockHolder, earlier: WriterSession | ClaimedEpoch | null): Error {
  if (earlier instanceof WriterSession && earlier.isBackend(backend)) {
    return new ConnectionLost(`the server still has our earlier session (${who})`);
  }
  return new PostgresFault("second-venue", `this database is in use by another venue (${who})`);
}
