// Proves what counts as a commit on a server with a synchronous standby. The server of this test names a standby that
// does not exist, so every commit waits until it is cancelled or cut, and is then on this server only. Nothing of that
// may ever count as committed.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  openPostgres,
  type PostgresConnectionOptions,
  type Sql,
} from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { OutcomeUnknown } from "../../src/adapters/postgres/pg-session.ts";
import { replicationFault } from "../../src/adapters/postgres/replication-check.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../src/adapters/postgres/server/embedded-postgres.ts";
import { BatchSource } from "../support/journal/journal-batches.ts";
import { quietLog } from "../support/quiet-log.ts";

const shape = { orders: 5, crossingPercent: 50, stateRowsPercent: 20 };
/** Longer than any wait of these tests, unless a test sets its own. */
const longWaitMs = 60_000;

let folder: string;
let server: EmbeddedPostgres;
let admin: Sql;
const source = new BatchSource({ seed: 5, firstSeq: 1 });
let store: PostgresEventStore;
let warnings: number;
let isStopping: boolean;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-sync-"));
  server = await startEmbeddedPostgres({ dataDir: folder, holderFile: null, log: () => undefined });
  const sql = openPostgres(server.connection, "migrations");
  await migrate(sql);
  await sql.end();
  admin = openPostgres(server.connection, "queries");
  await admin.unsafe("set synchronous_commit = local");
});

after(async () => {
  await admin.end({ timeout: 1 });
  await server.stop("immediate");
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  [warnings, isStopping] = [0, false];
});

afterEach(async () => {
  isStopping = true;
  await nameStandby("");
  await store.close();
});

async function nameStandby(name: string): Promise<void> {
  await admin.unsafe(`alter system set synchronous_standby_names = '${name}'`);
  await admin.unsafe("select pg_reload_conf()");
  await until(async () => {
    const [row] = await admin<{ names: string }[]>`
      select current_setting('synchronous_standby_names') as names`;
    return row?.names === name;
  });
  // The server tells all its sessions before it takes another one, so none has the earlier setting from here on.
  const next = openPostgres(server.connection, "queries");
  await next`select 1`;
  await next.end();
  if (name !== "") await untilCommitsWait();
}

/**
 * Commits until a commit waits for the standby, and cancels that wait. The server's checkpointer decides whether commits
 * wait at all, and may take over the setting after the sessions.
 */
async function untilCommitsWait(): Promise<void> {
  for (let isWaiting = false; !isWaiting; ) {
    const sql = openPostgres(server.connection, "migrations");
    let isOver = false;
    const committed = sql`select pg_logical_emit_message(true, 'probe', '')`.finally(() => {
      isOver = true;
    });
    // A commit whose wait is cancelled may be reported as unknown.
    const ended = committed.catch(() => undefined);
    await until(async () => {
      const waiting = await admin`
        select pg_cancel_backend(pid) from pg_stat_activity
        where application_name = 'rialto-migrations' and wait_event = 'SyncRep'`;
      isWaiting ||= waiting.length > 0;
      return isOver;
    });
    await ended;
    await sql.end({ timeout: 1 });
  }
}

/**
 * Makes the store the writer. The take-over is a commit too, so it waits until the server has its standby for a moment;
 * a store that does not wait so long tries again.
 */
async function takeOver(): Promise<void> {
  for (let triesLeft = 20; ; triesLeft--) {
    await nameStandby("absent");
    let isOver = false;
    const opening = store.becomeWriter().then(
      () => null,
      (error: unknown) => error,
    );
    void opening.then(() => {
      isOver = true;
    });
    await until(async () => isOver || (await waitingOf("rialto-journal")) !== 0);
    await nameStandby("");
    const error = await opening;
    if (error === null) break;
    if (triesLeft === 0) throw error;
  }
  await nameStandby("absent");
}

/** The process id of a session with this name that waits for the standby; 0 if there is none. */
async function waitingOf(name: string): Promise<number> {
  const [row] = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = ${name} and wait_event = 'SyncRep'`;
  return row?.pid ?? 0;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const endMs = performance.now() + 60_000; !(await isTrue()); await sleep(10))
    assert(performance.now() < endMs, "waited too long");
}

function demanding(waitMs: number): PostgresConnectionOptions {
  return { ...server.connection, synchronous: { waitMs } };
}

function storeOn(waitMs: number): PostgresEventStore {
  const warn = () => {
    warnings += 1;
  };
  const connection = demanding(waitMs);
  return new PostgresEventStore({
    connection,
    log: { ...quietLog, warn },
    isStopping: () => isStopping,
  });
}

/** Waits until a session with this name waits for the standby, and returns its process id. */
async function waitingFor(name: string): Promise<number> {
  let pid = 0;
  await until(async () => {
    pid = await waitingOf(name);
    return pid !== 0;
  });
  return pid;
}

/** Appends a batch that waits for the standby. */
async function waitingAppend() {
  const batch = source.next(shape);
  let isDone = false;
  const ended = store.appendBatch(batch).then(
    () => {
      isDone = true;
    },
    (error: unknown) => {
      if (!isStopping) throw error;
    },
  );
  return { pid: await waitingFor("rialto-journal"), batch, ended, isDone: () => isDone };
}

test("LDR-1 a server whose commits wait for no standby is refused, with the setting that is missing", async () => {
  store = storeOn(longWaitMs);
  await assert.rejects(store.becomeWriter(), {
    code: "unfit",
    message: /SYNCHRONOUS_STANDBY=required: synchronous_standby_names is empty/,
  });
});

test("LDR-1 every setting under which a commit may be on one server only is named", () => {
  assert.equal(replicationFault(150_013, "on", "ANY 1 (a, b)"), null);
  assert.equal(replicationFault(180_000, "on", "a"), null);
  for (const commit of ["off", "local", "remote_write"])
    assert.match(replicationFault(150_018, commit, "a") ?? "", new RegExp(`= ${commit}, it must`));
  assert.match(replicationFault(150_018, "on", " ") ?? "", /name the standbys/);
  assert.match(replicationFault(150_012, "on", "a") ?? "", /15\.13 or newer/);
  assert.match(replicationFault(170_004, "on", "a") ?? "", /17\.5 or newer/);
});

test("LDR-2 LDR-3 a commit whose wait for the standby is cancelled never counts, although the server shows it", async () => {
  const ready = openPostgres({ ...server.connection }, "queries");
  store = storeOn(longWaitMs);
  await takeOver();
  const { pid, batch, ...appending } = await waitingAppend();
  await admin`select pg_cancel_backend(${pid})`;
  // The next session waits with its barrier.
  await until(async () => warnings >= 1);
  const next = await waitingFor("rialto-journal");
  assert.notEqual(next, pid);
  const [head] = await ready<{ last_seq: string }[]>`select last_seq from journal_head`;
  assert.equal(Number(head?.last_seq), batch.firstSeq + batch.count - 1);
  await admin`select pg_cancel_backend(${next})`;
  await until(async () => warnings >= 2);
  await waitingFor("rialto-journal");
  assert.equal(appending.isDone(), false);
  isStopping = true;
  await nameStandby("");
  await appending.ended;
  await ready.end({ timeout: 1 });
});

test("LDR-4 the wait for the standby is cut by the client, and the next session ends the one that waits", async () => {
  store = storeOn(500);
  await takeOver();
  const { pid: first, ...appending } = await waitingAppend();
  // This may be any of the sessions that wait one after the other. The second loss from now on is of a later one.
  const lost = warnings;
  await until(async () => warnings >= lost + 2);
  const pids = await admin<{ pid: number }[]>`
    select pid from pg_stat_activity where application_name = 'rialto-journal'`;
  assert(!pids.some(({ pid }) => pid === first), "the first session must be gone");
  assert.equal(appending.isDone(), false);
  isStopping = true;
  await nameStandby("");
  await appending.ended;
});

test("LDR-2 a transaction of a store whose wait is cancelled is reported as unknown", async () => {
  store = storeOn(longWaitMs);
  await nameStandby("absent");
  const sql = openPostgres(demanding(longWaitMs), "queries");
  const cancelled = async (work: Promise<unknown>) => {
    const outcome = assert.rejects(work, OutcomeUnknown);
    await admin`select pg_cancel_backend(${await waitingFor("rialto-queries")})`;
    await outcome;
  };
  try {
    await cancelled(sql.begin((tx) => tx`update journal_head set last_seq = last_seq`));
    await cancelled(sql`update journal_head set last_seq = last_seq`);
  } finally {
    await sql.end({ timeout: 1 });
  }
});
