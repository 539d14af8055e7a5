// Proves what happens when a running venue's database fails: torn or corrupt snapshots, a restart under load, a
// connection cut in the middle of a commit. Each fault is reported in words that an operator understands, and
// nothing acknowledged is lost.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { findPostmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import { StorageScene, until } from "./storage-scene.ts";

async function startedScene(
  t: TestContext,
  settings: Record<string, string> = {},
): Promise<StorageScene> {
  const scene = await StorageScene.make();
  t.after(() => scene.close());
  await scene.start({ settings });
  return scene;
}

async function withDatabase<T>(scene: StorageScene, send: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = openPostgres(await scene.venue.database(), "queries");
  try {
    return await send(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Signals the sessions in `sessions` and then the server. Without their own signal, these sessions could outlive the
 * server for a moment.
 */
async function killPostgres(
  { dataDir }: StorageScene,
  signal: NodeJS.Signals,
  sessions: readonly number[] = [],
): Promise<void> {
  const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
  assert(typeof found !== "string", String(found));
  for (const pid of [...sessions, found.pid]) process.kill(pid, signal);
}

async function snapshotSeqs(scene: StorageScene): Promise<number[]> {
  const rows = await withDatabase(
    scene,
    (sql) => sql<{ seq: string }[]>`select seq from snapshots order by seq desc`,
  );
  return rows.map(({ seq }) => Number(seq));
}

/** Resolves when no session works, because a killed venue's commit that is under way is still done. */
async function untilAtRest(scene: StorageScene): Promise<void> {
  await until("no session works any more", () =>
    withDatabase(scene, async (sql) => {
      const working = await sql`
        select from pg_stat_activity
        where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid()`;
      return working.length === 0;
    }),
  );
}

/** Places orders until two more snapshots have been taken. */
async function takeSnapshots(scene: StorageScene): Promise<void> {
  for (const which of ["a snapshot is folded", "another snapshot is folded"]) {
    const [before = 0] = await snapshotSeqs(scene);
    await scene.placeAll(10);
    await until(which, async () => ((await snapshotSeqs(scene))[0] ?? 0) > before);
  }
}

test("JRN-13 a corrupt or torn snapshot is reported, with the snapshot that is used instead", async (t) => {
  // Each order must be acknowledged, however long a commit takes on a busy machine.
  const patient = { GATEWAY_TIMEOUT_MS: "30000" };
  const settings = { SNAPSHOT_EVENTS: "10", SNAPSHOT_INTERVAL_MS: "100", ...patient };
  const scene = await startedScene(t, settings);
  const spoilt: readonly [statement: string, reason: RegExp][] = [
    ["update snapshot_parts set bytes = sha256(bytes) || substr(bytes, 33)", /./],
    [
      "update snapshots set state_hash = '0123456789abcdef'",
      /its hash is .*, the stored one is 01/,
    ],
    [
      "update snapshot_parts set bytes = substr(bytes, 1, length(bytes) / 2)",
      /^\d+ of its \d+ bytes are stored$/,
    ],
  ];
  const bad: number[] = [];
  for (const [statement, reason] of spoilt) {
    await takeSnapshots(scene);
    await scene.venue.kill();
    await untilAtRest(scene);
    const sound = (await snapshotSeqs(scene)).filter((seq) => !bad.includes(seq));
    const [newest = 0, before] = sound;
    bad.push(newest);
    await withDatabase(scene, (sql) => sql.unsafe(`${statement} where seq = ${newest}`));
    const from = (await scene.log()).length;
    await scene.start({ settings });
    const told = (await scene.log()).slice(from);
    const entry = told.find(({ seq, reason }) => seq === newest && reason !== undefined);
    assert.equal(
      entry?.msg,
      `a snapshot is unusable: recovering from the earlier snapshot ${before} instead; ` +
        "no acknowledged event is lost",
    );
    assert.match(String(entry["reason"]), reason);
    await scene.assertNothingLost();
  }
  await scene.venue.kill();
  await withDatabase(scene, (sql) => sql`update snapshots set state_hash = 'x'`);
  const from = (await scene.log()).length;
  await scene.start({ settings });
  assert.match(
    (await scene.said(/^a snapshot is unusable/, from)).msg,
    /: recovering from the whole journal instead; no acknowledged/,
  );
  await scene.assertNothingLost();
});

test("JRN-12 JRN-21 a PostgreSQL restart under load is reported, and everything acknowledged survives", async (t) => {
  const scene = await startedScene(t);
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    await scene.placeAll(20);
    const from = (await scene.log()).length;
    await killPostgres(scene, signal);
    const before = scene.acknowledged.length;
    // The trader keeps sending orders while there is no server.
    await until("orders are taken again", async () => {
      await scene.place();
      return scene.acknowledged.length >= before + 20;
    });
    await scene.said(
      /^PostgreSQL died and is being restarted; no command is acknowledged until/,
      from,
    );
    await scene.said(/^PostgreSQL is back$/, from);
    await scene.said(/^a journal commit failed; it is retried/, from);
    await scene.said(/^the journal commits again$/, from);
    await until("/health answers 200 ok", async () => (await scene.health()) === "200 ok");
    await scene.assertNothingLost();
  }
  t.diagnostic(`${scene.acknowledged.length} acknowledged, ${scene.denied.length} denied`);
});

test("JRN-12 a PostgreSQL crash during demo set-up is reported, and the venue keeps serving", async (t) => {
  const scene = await StorageScene.make();
  t.after(() => scene.close());
  // Start a venue without a demo account and kill it. Its PostgreSQL keeps running, so that the test can lock a
  // table before the next venue creates the demo account.
  await scene.startWithout({ settings: { DEV_TOOLS: "0" } });
  const admin = openPostgres(await scene.venue.database(), "queries");
  t.after(() => admin.end({ timeout: 5 }));
  await scene.venue.kill();
  // Lock api_keys, so that the demo is still waiting to create its API key when PostgreSQL is killed.
  const held = admin.begin(async (sql) => {
    await sql`lock table api_keys in share mode`;
    await scene.startWithout();
    const waiting: number[] = [];
    await until("the demo waits", async () => {
      const rows = await admin<{ pid: number }[]>`
        select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%api_keys%'`;
      waiting.push(...rows.map(({ pid }) => pid));
      return waiting.length > 0;
    });
    // Kill the demo's session first: if the test's session ended before it, the demo would get the lock and commit.
    await killPostgres(scene, "SIGKILL", waiting);
  });
  // Whether the transaction ends before the server does depends on the kernel, so an error is ignored.
  await held.catch(() => null);
  await scene.said(/^the database failed while the demo was being created/);
  await scene.said(/^PostgreSQL is back$/);
  // The journal retries within a second after PostgreSQL is back; until then the venue accepts nothing.
  await until("/health answers 200 ok", async () => (await scene.health()) === "200 ok");
  await scene.addTrader();
  await scene.placeAll(5);
  await until("/health answers 200 ok", async () => (await scene.health()) === "200 ok");
  await scene.assertNothingLost();
});

/**
 * Ends the journal's session if it is waiting for `event`, and returns whether it was. `sql` must not be in a
 * transaction, where pg_stat_activity does not change.
 */
async function cutWaiting(sql: Pick<Sql, "unsafe">, event: string): Promise<boolean> {
  const cut = await sql.unsafe(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'rialto-journal' and wait_event = $1`,
    [event],
  );
  return cut.length > 0;
}

test("JRN-12 JRN-21 JRN-3 a connection cut before or after its commit is reported, and the batch is committed exactly once", async (t) => {
  // After a cut the next commit answers the order. The timeout is long enough for both commits on a busy machine.
  const scene = await startedScene(t, { GATEWAY_TIMEOUT_MS: "30000" });
  await scene.placeAll(5);
  const admin = openPostgres(await scene.venue.database(), "queries");
  t.after(() => admin.end({ timeout: 5 }));
  // Cut before the commit: the transaction waits for a locked row and is rolled back.
  let from = (await scene.log()).length;
  const placed = await admin.begin(async (sql) => {
    await sql`select * from journal_head for update`;
    const answer = scene.place();
    await until("the journal waits for the row", () => cutWaiting(admin, "transactionid"));
    return { answer };
  });
  assert.equal((await placed.answer)?.status, 200);
  assert.equal((await scene.said(/^the journal commits again$/, from))["isThere"], false);
  // Cut after the commit: the transaction has committed and waits for a standby server, which does not exist.
  from = (await scene.log()).length;
  await admin`alter system set synchronous_standby_names = 'nobody'`;
  await admin`select pg_reload_conf()`;
  // The server applies the new setting a moment later; commits before then do not wait.
  const answers: ReturnType<typeof scene.place>[] = [];
  let isUnderWay = false;
  await until("the journal waits for a second server", async () => {
    if (!isUnderWay) {
      isUnderWay = true;
      const answer = scene.place().finally(() => {
        isUnderWay = false;
      });
      answers.push(answer);
    }
    return cutWaiting(admin, "SyncRep");
  });
  await admin`alter system reset synchronous_standby_names`;
  await admin`select pg_reload_conf()`;
  for (const answer of await Promise.all(answers)) assert.equal(answer?.status, 200);
  await scene.said(/^a journal commit failed; it is retried/, from);
  assert.equal((await scene.said(/^the journal commits again$/, from))["isThere"], true);
  await scene.placeAll(5);
  await until("each order exists once", async () => {
    const [row] = await admin<{ count: string }[]>`
      select count(*) from orders where client_id like 'o-%'`;
    return Number(row?.count) === scene.acknowledged.length;
  });
  await until("/health answers 200 ok", async () => (await scene.health()) === "200 ok");
  await scene.assertNothingLost();
});
