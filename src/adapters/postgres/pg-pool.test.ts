// Tests a pool that loses all connections while statements wait on them, with callers that retry at once, as the
// venue's loops do when their server stops. Also tests transactions in which something fails.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CuttingProxy } from "../../../test/support/database/cutting-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/postgres.ts";
import { openPostgres, type Sql } from "./connection.ts";
import { withDatabase } from "./connection-options.ts";
import { listenTo } from "./notices.ts";
import { PgPool } from "./pg-pool.ts";
import { ConnectionLost, OutcomeUnknown, PgSession } from "./pg-session.ts";
import { codeOf, isRetryable } from "./retryable.ts";

/** Size of the pool under test. */
const connections = 4;
const rounds = 24;
const triesMax = 50;
const listensWanted = 4;
const listenMsMin = 250;
const far = { timeout: 300_000 };

let database: TestDatabase;
let proxy: CuttingProxy;
let sql: Sql;

before(async () => {
  database = await createTestDatabase();
  proxy = await CuttingProxy.open(database.options);
  sql = openPostgres(proxy.options, "queries");
  await sql`create table kept (number integer)`;
});

after(async () => {
  await sql.end({ timeout: 0 });
  await proxy.close();
  await database.drop();
});

async function kept(): Promise<number[]> {
  const rows = await sql<{ number: number }[]>`delete from kept returning number`;
  return rows.map(({ number }) => number).sort();
}

/** Repeats a query at once after each loss until it is answered; `codes` collects the error codes. */
async function untilAnswered(own: number, codes: Set<string>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const rows = await sql`select ${own}::integer as own, pg_backend_pid() as pid`;
      assert.deepEqual([...rows.map((row) => row["own"])], [own], "it must get its own row");
      return;
    } catch (error) {
      if (!isRetryable(error) || tries === triesMax) throw error;
      codes.add(codeOf(error));
    }
  }
}

for (const how of ["cut", "reset"] as const) {
  const name = `statements that are repeated at once after all connections were ${how} are answered`;
  test(`JRN-14 ${name}`, far, async () => {
    const codes = new Set<string>();
    const query = (count: number): Promise<void>[] =>
      Array.from({ length: count }, (_, own) => untilAnswered(own, codes));
    await Promise.all(query(connections));
    for (let round = 0; round < rounds; round++) {
      const waiting = 1 + (round % connections);
      const held = proxy.hold(waiting);
      const queried = query(waiting);
      await held;
      proxy.lose(how);
      await Promise.all(queried);
      // A connection in a bad state is noticed only when it is used again, so use all of them.
      await Promise.all(query(2 * connections));
    }
    assert(codes.size > 0, "some queries must have lost their connection");
  });
}

test("JRN-14 an answer cut off after a row is a lost connection, and the next statement gets its own rows", async () => {
  for (let cut = 0; cut < 2 * connections; cut++) {
    proxy.isCutting = true;
    await assert.rejects(sql`select generate_series(1, 5000)`, (error: Error) => {
      assert.match(
        error.message,
        /in: select generate_series\(1, 5000\)/,
        "the error must quote the statement",
      );
      return error instanceof ConnectionLost;
    });
    const rows = await sql`select i from generate_series(1, 3) i`;
    assert.deepEqual(rows, [{ i: 1 }, { i: 2 }, { i: 3 }]);
    assert.equal(rows.count, 3);
  }
});

test(
  "JRN-14 while the server refuses, each statement fails after one attempt to connect",
  far,
  async (t) => {
    const own = await createTestDatabase();
    t.after(() => own.drop());
    assert("host" in own.options);
    const { database: name } = own.options;
    const beside = openPostgres(withDatabase(own.options, "postgres"), "queries");
    t.after(() => beside.end({ timeout: 0 }));
    const accept = (isOn: boolean) =>
      beside.unsafe(`alter database ${name} with allow_connections ${isOn}`);
    const proxy = await CuttingProxy.open(own.options);
    t.after(() => proxy.close());
    const pool = openPostgres(proxy.options, "queries");
    t.after(() => pool.end({ timeout: 0 }));
    const query = (number: number) => pool`select ${number}::integer as own`;
    const all = Array.from({ length: connections }, (_, number) => number);
    await Promise.all(all.map(query));
    const held = proxy.hold(connections);
    const lost = Promise.allSettled(all.map(query));
    await held;
    await accept(false);
    proxy.lose("cut");
    await lost;
    const calls = proxy.calls;
    for (const number of all) await assert.rejects(query(number));
    assert.equal(proxy.calls, calls + connections);
    await accept(true);
    const answers = await Promise.all(all.map(query));
    assert.deepEqual(
      answers.map(([row]) => row?.["own"]),
      all,
    );
  },
);

test(
  "JRN-12 a statement without an answer is lost, and the next statement is answered",
  far,
  async (t) => {
    const open = () => PgSession.open(proxy.options, "queries", { statement_timeout: "1000" });
    const pool = new PgPool({ open, sessionsMax: 1, waitMsMax: null }).sql();
    t.after(() => pool.end({ timeout: 0 }));
    await pool`select 1`;
    const held = proxy.hold(1);
    const queried = assert.rejects(pool`select 1`, { code: "CONNECTION_CLOSED" });
    await held;
    await queried;
    proxy.lose("cut");
    assert.deepEqual(await pool`select 2 as two`, [{ two: 2 }]);
  },
);

test("JRN-14 listening to an absent server retries a few times a second", far, async (t) => {
  assert("host" in database.options);
  const away = await CuttingProxy.open({ ...database.options, host: "/nowhere" });
  t.after(() => away.close());
  const beganMs = performance.now();
  const faults: unknown[] = [];
  const never = () => assert.fail("there is no server");
  const close = listenTo(away.options, {
    ...{ channel: "anything", hear: never, listening: never },
    lost: (fault) => faults.push(fault),
  });
  while (away.calls < listensWanted) await sleep(10);
  assert(performance.now() - beganMs > (listensWanted - 1) * listenMsMin, "attempts must pause");
  assert.equal(faults.length, 1, "the loss must be reported once");
  await close();
});

test(
  "JRN-14 listening resumes after a lost connection, with a call to look for missed notices",
  far,
  async () => {
    const events: string[] = [];
    const close = listenTo(proxy.options, {
      channel: "news",
      hear: (payload) => events.push(payload),
      listening: () => events.push("listening"),
      lost: () => events.push("lost"),
    });
    const until = async (last: string) => {
      while (events.at(-1) !== last) await sleep(5);
    };
    await until("listening");
    await sql`select pg_notify('news', 'one')`;
    await until("one");
    proxy.lose("cut");
    await until("listening");
    await sql`select pg_notify('news', 'two')`;
    await until("two");
    assert.deepEqual(events, ["listening", "one", "lost", "listening", "two"]);
    await close();
  },
);

test("JRN-16 a transaction that fails is rolled back, and its own error is thrown", async () => {
  const failed = sql.begin(async (tx) => {
    await tx`insert into kept values (1)`;
    throw new RangeError("no");
  });
  await assert.rejects(failed, RangeError);
  assert.deepEqual(await kept(), []);
});

test("JRN-16 a statement whose failure was ignored prevents the commit of its transaction", async () => {
  const silent = sql.begin(async (tx) => {
    await tx`insert into kept values (1)`;
    await tx`select 1 / 0`.catch(() => undefined);
  });
  await assert.rejects(silent, /undone/);
  assert.deepEqual(await kept(), []);
});

test("JRN-16 a statement after the end of its transaction is not sent", async () => {
  const late: Promise<unknown>[] = [];
  await sql.begin(async (tx) => {
    await tx`insert into kept values (1)`;
    setTimeout(() => late.push(assert.rejects(tx`insert into kept values (2)`, /has ended/)), 0);
  });
  while (late.length === 0) await sleep(1);
  await late[0];
  assert.deepEqual(await kept(), [1]);
});

test("JRN-16 a transaction whose connection is lost between two statements is rolled back and reported", async () => {
  const lost = sql.begin(async (tx) => {
    await tx`insert into kept values (1)`;
    proxy.lose("cut");
    await sleep(20);
    await tx`insert into kept values (2)`;
  });
  await assert.rejects(lost, (error) => {
    assert(error instanceof ConnectionLost && !(error instanceof OutcomeUnknown));
    return /undone/.test(error.message) && isRetryable(error);
  });
  assert.deepEqual(await kept(), []);
});

test("concurrent transactions and statements wait for one of the connections", async () => {
  const numbers = Array.from({ length: 5 * connections }, (_, number) => number);
  const calls = proxy.calls;
  await Promise.all(
    numbers.map((number) =>
      sql.begin(async (tx) => {
        await tx`insert into kept values (${number})`;
        await tx`select pg_sleep(0.001)`;
      }),
    ),
  );
  assert.equal((await kept()).length, numbers.length);
  assert(proxy.calls - calls <= connections);
});

test("a wait for a connection that takes too long fails without disturbing the connection's user", async () => {
  const open = () => PgSession.open(database.options, "queries", {});
  const pool = new PgPool({ open, sessionsMax: 1, waitMsMax: 50 }).sql();
  const holding = pool.begin(async (tx) => {
    await assert.rejects(pool`select 1`, { code: "08000" });
    return tx`select 1 as one`;
  });
  assert.deepEqual(await holding, [{ one: 1 }]);
  const under = pool`select pg_sleep(0.05), 1 as one`;
  await pool.end();
  assert.equal((await under)[0]?.["one"], 1, "ending the pool must wait for the running statement");
  await assert.rejects(pool`select 1`, { code: "CONNECTION_CLOSED" });
});

test("ending the pool waits until a busy session has closed", async () => {
  let isClosed = false;
  const open = async () => {
    const session = await PgSession.open(database.options, "queries", {});
    const close = async () => {
      await sleep(50);
      await PgSession.prototype.close.call(session);
      isClosed = true;
    };
    return Object.assign(session, { close });
  };
  const pool = new PgPool({ open, sessionsMax: 1, waitMsMax: null }).sql();
  await pool`select 1`;
  const under = pool.begin(async (tx) => tx`select pg_sleep(0.05)`);
  await pool.end();
  assert(isClosed);
  assert.equal((await under).length, 1);
});

test("ending the pool without waiting loses the statements in progress", async () => {
  const pool = openPostgres(database.options, "queries");
  const queried = assert.rejects(pool`select pg_sleep(60)`, ConnectionLost);
  await pool`select 1`;
  await pool.end({ timeout: 0 });
  await queried;
});

test("values arrive unchanged, whatever they contain", async () => {
  const bytes = new Uint8Array([0, 1, 255]);
  const text = `'; drop table kept; -- "\\ \u{1F600}`;
  const at = new Date("2026-11-23T10:00:00.001Z");
  const [row] = await sql`
    select ${text}::text as text, ${bytes}::bytea as bytes, ${at}::timestamptz as at,
           ${true}::boolean as flag, ${null}::integer as nothing, ${7}::integer as small,
           ${2n ** 62n}::bigint as big, ${"0.1"}::numeric as exact, ${'{"a":1}'}::json as json`;
  assert.deepEqual(row, {
    ...{ text, bytes: Buffer.from(bytes), at, flag: true, nothing: null, small: 7 },
    ...{ big: String(2n ** 62n), exact: "0.1", json: { a: 1 } },
  });
  const made = [
    { number: 1, "odd name": null },
    { number: 2, "odd name": 'a"b' },
  ];
  await sql.unsafe('create table rows_of (number integer, "odd name" text)');
  const { count } = await sql`insert into ${sql.identifier("rows_of")} ${sql.rows(made)}`;
  assert.equal(count, 2);
  assert.deepEqual(await sql`select * from rows_of order by number`, made);
  assert.throws(() => sql.rows([]));
  await assert.rejects(async () => sql`select ${["a list"] as never}`);
});
