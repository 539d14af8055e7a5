// Proves that interrupted commits lose and repeat nothing. Another session kills the writer's session at random
// moments while batches are appended as fast as possible. Each batch must be in the journal exactly once, in order,
// and the store must report no error.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  openPostgres,
  type PostgresConnectionOptions,
  type Sql,
} from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { ConnectionLost, PgSession } from "../../src/adapters/postgres/pg-session.ts";
import { isRetryable } from "../../src/adapters/postgres/retryable.ts";
import { WriterSession } from "../../src/adapters/postgres/writer-session.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { BatchSource } from "../support/journal/journal-batches.ts";
import { quietLog } from "../support/quiet-log.ts";

/**
 * A few kills are enough to prove the mechanism. The crash tests kill more often, and they kill whole processes under
 * full load.
 */
const killsWanted = 15;
/** How long in ms the old session keeps its lock. The writer's first attempt to take the lock times out earlier. */
const oldSessionMs = 4_000;
const shape = { orders: 60, crossingPercent: 50, stateRowsPercent: 20 };

let database: TestDatabase;
let sql: Sql;
let retries: number;
let isStopping: boolean;
let store: PostgresEventStore;

beforeEach(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  retries = 0;
  isStopping = false;
  store = new PostgresEventStore({
    connection: database.options,
    log: { ...quietLog, warn: countRetry },
    isStopping: () => isStopping,
  });
  await store.becomeWriter();
});

afterEach(async () => {
  await store.close();
  await sql.end();
  await database.drop();
});

function countRetry(): void {
  retries += 1;
}

async function killWriter(): Promise<number> {
  const killed = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'rialto-journal'`;
  return killed.length;
}

test("batches exist exactly once, although the session that appends them is killed again and again", async () => {
  const source = new BatchSource({ seed: 11, firstSeq: 1 });
  let events = 0;
  let fills = 0;
  let orders = 0;
  let kills = 0;
  let isDone = false;
  const appending = (async () => {
    while (!isDone) {
      const batch = source.next(shape);
      await store.appendBatch(batch);
      events += batch.count;
      fills += batch.fills.tradeId.length;
      orders += batch.orders.orderId.length;
    }
  })();
  // The pauses vary and are not multiples of a commit's duration, so that the kills hit every phase of a commit.
  try {
    for (let turn = 0; kills < killsWanted; turn += 1) {
      await sleep(3 + ((turn * 7) % 40));
      kills += await killWriter();
    }
  } finally {
    isDone = true;
  }
  await appending;
  assert.ok(
    retries >= killsWanted / 4,
    `the kills must have interrupted commits (only ${retries} retries)`,
  );
  const [counts] = await sql`
    select (select count(*) from journal) as events, (select max(seq) from journal) as last,
           (select last_seq from journal_head) as head, (select count(*) from fills) as fills,
           (select count(*) from orders) as orders`;
  assert.deepEqual(counts, {
    events: String(events),
    last: String(events),
    head: String(events),
    fills: String(fills),
    orders: String(orders),
  });
});

test("JRN-7 a commit whose answer was lost is found in the journal and not repeated", async () => {
  await store.close();
  const proxy = await openProxy(database.options);
  store = new PostgresEventStore({
    connection: proxy.options,
    log: { ...quietLog, warn: countRetry },
    isStopping: () => false,
  });
  await store.becomeWriter();
  const source = new BatchSource({ seed: 12, firstSeq: 1 });
  try {
    await store.appendBatch(source.next(shape));
    for (let turn = 1; turn <= 5; turn += 1) {
      const batch = source.next(shape);
      const before = retries;
      proxy.cutNextAnswer();
      await store.appendBatch(batch);
      assert(retries > before, `the answer of commit ${turn} must have been lost`);
      const [rows] = await sql`select count(*) as events, max(seq) as last from journal`;
      const lastSeq = String(batch.firstSeq + batch.count - 1);
      assert.deepEqual(rows, { events: lastSeq, last: lastSeq });
    }
  } finally {
    await store.close();
    await proxy.close();
  }
});

test("JRN-12 JRN-21 a connection to a server that stops answering is closed", {
  timeout: 60_000,
}, async () => {
  const proxy = await openProxy(database.options);
  const session = await PgSession.open(proxy.options, "reader", { statement_timeout: "100" });
  const idle = await PgSession.open(proxy.options, "reader", {});
  try {
    proxy.fallSilent();
    await assert.rejects(session.queryText("select 1"), ConnectionLost);
    await session.close();
    await idle.close();
  } finally {
    await proxy.close();
  }
});

interface Proxy {
  readonly options: PostgresConnectionOptions;
  /** Drops the next bytes from the server and closes the client's connection. */
  cutNextAnswer(): void;
  /** Stops all bytes in both directions, without closing a connection. */
  fallSilent(): void;
  close(): Promise<void>;
}

/** A proxy in front of the server that can lose an answer after the server has done the work. */
async function openProxy(options: PostgresConnectionOptions): Promise<Proxy> {
  assert.ok(!("url" in options));
  const folder = await mkdtemp(join(tmpdir(), "rialto-proxy-"));
  const socketName = `.s.PGSQL.${options.port}`;
  let isCutting = false;
  let isSilent = false;
  const clients = new Set<Socket>();
  // Half-open, so that a client that closes its side does not close the proxy's side automatically.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = options.host.startsWith("/")
      ? connect(join(options.host, socketName))
      : connect(options.port, options.host);
    clients.add(client);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.on("data", (bytes) => {
      if (!isSilent) upstream.write(bytes);
    });
    client.on("end", () => {
      if (!isSilent) client.end();
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    upstream.on("data", (bytes) => {
      if (isSilent) return;
      if (isCutting) client.destroy();
      else client.write(bytes);
      isCutting = false;
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(join(folder, socketName), resolve);
  });
  return {
    options: { ...options, host: folder },
    cutNextAnswer: () => {
      isCutting = true;
    },
    fallSilent: () => {
      isSilent = true;
    },
    close: async () => {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true });
    },
  };
}

test("a writer stops if it has lost its session and then its epoch", async () => {
  const source = new BatchSource({ seed: 13, firstSeq: 1 });
  await store.appendBatch(source.next(shape));
  await killWriter();
  await sql`update journal_head set writer_epoch = writer_epoch + 1`;
  await assert.rejects(store.appendBatch(source.next(shape)), { code: "deposed" });
});

test("a writer stops if another venue has taken its lock meanwhile", async () => {
  const source = new BatchSource({ seed: 14, firstSeq: 1 });
  await store.appendBatch(source.next(shape));
  await killWriter();
  const other = new PostgresEventStore({
    connection: database.options,
    log: quietLog,
    isStopping: () => false,
  });
  try {
    await other.becomeWriter();
    await assert.rejects(store.appendBatch(source.next(shape)), { code: "second-venue" });
  } finally {
    await other.close();
  }
});

test("JRN-12 a writer that was cut off waits until the server has ended its old session", async () => {
  const source = new BatchSource({ seed: 16, firstSeq: 1 });
  await store.appendBatch(source.next(shape));
  const [lock] = await sql<{ objid: number }[]>`
    select objid from pg_locks
    where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`;
  // This session stands in for the writer's old session: it holds the writer's lock, as on a server that has not yet
  // noticed that the old session is dead.
  const old = openPostgres(database.options, "migrations");
  try {
    await killWriter();
    await old`select pg_advisory_lock(${lock?.objid ?? 0}::bigint)`;
    const batch = source.next(shape);
    const appending = store.appendBatch(batch);
    await Promise.all([appending, sleep(oldSessionMs).then(() => old.end())]);
    assert.equal(await store.lastSeq(), batch.firstSeq + batch.count - 1);
  } finally {
    await old.end();
  }
});

test("JRN-12 a writer whose old session is still open on a stuck server waits for the server, and does not report a second venue", async () => {
  await store.close();
  const earlier = await WriterSession.open(database.options, null);
  try {
    await assert.rejects(WriterSession.open(database.options, earlier, 100), (error) =>
      isRetryable(error),
    );
  } finally {
    await earlier.close();
  }
});

test("a stopping venue does not wait for a database that is gone", async () => {
  const source = new BatchSource({ seed: 15, firstSeq: 1 });
  await killWriter();
  isStopping = true;
  await assert.rejects(store.appendBatch(source.next(shape)));
  assert.equal(retries, 0);
});
