// The one session that writes the journal. It holds the venue's advisory lock and names its writer
// epoch in every commit, so that of two venues on one database at most one can write, even if a
// network or an operator makes both believe it is theirs.
//
//   open ──lock free──▶ locked ──epoch raised (take-over) or still ours (rejoin)──▶ writing
//     │                                                                              │
//     └──lock held by another: second-venue       lost: a new session rejoins ◀──────┘
//
// This client is `pg` and not the `postgres` of the other connections, for two reasons: it binds
// byte buffers in binary, and it never reconnects by itself, which would silently lose the lock.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { JournalGroup } from "../../ports/event-store.ts";
import type { PostgresConnectionOptions } from "./connection.ts";
import { groupParameters } from "./group-parameters.ts";
import { PostgresFault } from "./postgres-fault.ts";
import { codeOf } from "./retryable.ts";

// Any fixed number: it only has to differ from the other advisory locks of the venue.
const venueLock = 0x5249_414c;

/** A killed venue's session ends as soon as its last statement has; waiting longer is another venue. */
const lockWaitMs = 5_000;
const lockPollMs = 50;
const connectTimeoutMs = 10_000;

/** Role of 0006_venue_role.sql: may add to the journal, may not change it. */
const venueRole = "rialto_venue";

// Plans are made on empty tables and kept for the life of the session. Whatever would read a whole
// table or index is therefore switched off: measured, it costs a factor of 20 once tables are full.
const sessionSettings: Readonly<Record<string, string>> = {
  jit: "off",
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // A group takes milliseconds. A statement that is still running after this long is stuck.
  statement_timeout: "30000",
  lock_timeout: "10000",
};

const commitStatement = {
  name: "commit_group",
  text: `select commit_group($1::bigint, $2::integer, $3::bigint, $4::bigint[], $5::bytea[],
    $6::bigint[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[],
    $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[])`,
};

/** The connection went away; whether the last statement was carried out is unknown. */
export class ConnectionLost extends Error {
  override name = "ConnectionLost";
  readonly code = "CONNECTION_CLOSED";
}

export class WriterSession {
  readonly epoch: string;
  readonly #client: pg.Client;
  readonly #backend: number;

  private constructor(client: pg.Client, epoch: string, backend: number) {
    this.#client = client;
    this.epoch = epoch;
    this.#backend = backend;
  }

  /**
   * Opens a session that may write. With `epoch` null it takes the journal over and raises the
   * epoch; else it rejoins under the epoch it had. Throws a PostgresFault `second-venue` if another
   * session holds the lock, `deposed` if the epoch is no longer ours.
   */
  static async open(
    options: PostgresConnectionOptions,
    epoch: string | null,
  ): Promise<WriterSession> {
    const client = await connect(options);
    try {
      await takeLock(client);
      const rows = await ask<{ writer_epoch: string; backend: number }>(
        client,
        epoch === null
          ? `update journal_head set writer_epoch = writer_epoch + 1
             returning writer_epoch, pg_backend_pid() as backend`
          : "select writer_epoch, pg_backend_pid() as backend from journal_head",
      );
      const found = rows[0];
      if (found === undefined) throw new PostgresFault("corrupt", "journal_head has no row");
      const { writer_epoch, backend } = found;
      if (epoch !== null && writer_epoch !== epoch)
        throw new PostgresFault("deposed", `writer epoch ${epoch} was deposed by ${writer_epoch}`);
      await ask(
        client,
        `select set_config('role', rolname, false) from pg_roles
         where rolname = '${venueRole}' and pg_has_role(session_user, oid, 'member')`,
      );
      return new WriterSession(client, writer_epoch, backend);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Seq of the newest committed event, 0 for none. */
  async lastSeq(): Promise<number> {
    const rows = await ask<{ last_seq: string }>(this.#client, "select last_seq from journal_head");
    return Number(rows[0]?.last_seq);
  }

  /** Commits the group in one statement. After a ConnectionLost its outcome is unknown. */
  async commit(group: JournalGroup): Promise<void> {
    try {
      await this.#client.query({
        ...commitStatement,
        values: [this.epoch, this.#backend, group.firstSeq, ...groupParameters(group)],
      });
    } catch (error) {
      throw faultOf(error);
    }
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
  }
}

async function connect(options: PostgresConnectionOptions): Promise<pg.Client> {
  const settings = Object.entries(sessionSettings).map(([name, value]) => `-c ${name}=${value}`);
  const shared = {
    application_name: "rialto-journal",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    options: settings.join(" "),
  };
  const client = new pg.Client(
    "url" in options ? { ...shared, connectionString: options.url } : { ...shared, ...options },
  );
  // Each statement's own promise reports a lost connection; an idle one is found by the next.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw faultOf(error);
  }
  return client;
}

async function takeLock(client: pg.Client): Promise<void> {
  const deadline = Date.now() + lockWaitMs;
  for (;;) {
    const rows = await ask<{ taken: boolean }>(
      client,
      `select pg_try_advisory_lock(${venueLock}) as taken`,
    );
    if (rows[0]?.taken === true) return;
    if (Date.now() > deadline) break;
    await sleep(lockPollMs);
  }
  const holders = await ask<{ who: string }>(
    client,
    `select format('%s, backend %s%s, since %s', a.application_name, a.pid,
                   ' at ' || host(a.client_addr), a.backend_start) as who
     from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = ${venueLock}
       and l.database = (select oid from pg_database where datname = current_database())`,
  );
  const who = holders[0]?.who ?? "a session that has just ended: try again";
  throw new PostgresFault("second-venue", `this database is in use by another venue (${who})`);
}

async function ask<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row[]> {
  try {
    return (await client.query<Row>(text)).rows;
  } catch (error) {
    throw faultOf(error);
  }
}

const faultByState: Readonly<Record<string, "deposed" | "gap" | "unfit">> = {
  RL001: "deposed",
  RL002: "gap",
  // Only a pooler that hands out server sessions by statement makes a session change its backend.
  RL003: "unfit",
};

/** The venue's own refusals as faults, a loss without a code as ConnectionLost, the rest as it is. */
function faultOf(error: unknown): unknown {
  if (error instanceof PostgresFault) return error;
  const code = codeOf(error);
  const words = error instanceof Error ? error.message : String(error);
  const fault = faultByState[code];
  if (fault !== undefined) return new PostgresFault(fault, words, { cause: error });
  // The client reports a connection that ended or timed out in words only.
  return code === "" ? new ConnectionLost(words, { cause: error }) : error;
}
