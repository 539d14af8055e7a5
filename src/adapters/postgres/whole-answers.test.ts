// Cuts real connections in the middle of an answer, as a server that dies does.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import postgres from "postgres";
import { CuttingProxy } from "../../../test/support/cutting-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/postgres.ts";
import { openPostgres, type Sql } from "./connection.ts";
import { isRetryable } from "./retryable.ts";
import { withWholeAnswers } from "./whole-answers.ts";

let database: TestDatabase;
let proxy: CuttingProxy;

before(async () => {
  database = await createTestDatabase();
  proxy = await CuttingProxy.open(database.options);
});

after(async () => {
  await proxy.close();
  await database.drop();
});

/** One connection through the proxy, which loses it while `statement` is answered. */
async function cutOff(): Promise<Sql> {
  const sql = openPostgres(proxy.place, "queries");
  await sql`select 1`;
  const cuts = proxy.cuts;
  // As many as there are connections, so that each has lost an answer.
  while (proxy.cuts < cuts + 4) {
    proxy.isCutting = true;
    await assert.rejects(sql`select 1 as first`, { code: "CONNECTION_CLOSED" });
  }
  return sql;
}

test("after an answer was cut off behind a row, the next answer begins with its first row", async () => {
  const sql = await cutOff();
  for (let count = 0; count < 4; count++) {
    const [row] = await sql`select 2 as second`;
    assert.deepEqual(row, { second: 2 });
  }
  await sql.end({ timeout: 1 });
});

test("an answer after a cut has its own rows and count, in a transaction too", async () => {
  for (const ask of [
    (sql: Sql) => sql.unsafe("select i from generate_series(1, 3) i"),
    (sql: Sql) => sql.begin((tx) => tx`select i from generate_series(1, 3) i`),
    (sql: Sql) =>
      sql.begin((tx) => tx.savepoint((point) => point`select i from generate_series(1, 3) i`)),
    (sql: Sql) => sql`select i from ${sql`generate_series(1, 3)`} i`,
  ]) {
    const sql = await cutOff();
    const rows = await ask(sql);
    assert.deepEqual([...rows], [{ i: 1 }, { i: 2 }, { i: 3 }]);
    assert.equal(rows.length, 3);
    await sql.end({ timeout: 1 });
  }
});

test("a statement that the server never heard of is lost, and not answered with nothing", async (t) => {
  assert("host" in proxy.place);
  const { host, port } = proxy.place;
  let asked: Promise<unknown> | null = null;
  // The client writes at once what has a kilobyte.
  const long = `select 1 as one -- ${"-".repeat(1024)}`;
  // The client alone, which speaks on a connection that was reset until it hears that it is closed.
  const sql = withWholeAnswers(
    postgres({
      ...proxy.place,
      max: 1,
      fetch_types: false,
      backoff: false,
      socket: () => {
        const socket = connect({ host, port });
        setImmediate(() => socket.on("error", () => (asked ??= sql.unsafe(long).execute())));
        return Object.assign(socket, { host, port });
      },
    } as postgres.Options<Record<string, postgres.PostgresType>>),
  );
  t.after(() => sql.end({ timeout: 1 }));
  await sql`select 1 as one`;
  proxy.lose("reset");
  while (asked === null) await new Promise((resolve) => setImmediate(resolve));
  const lost = assert.rejects(asked, isRetryable);
  // The connection is made again for the next one, and with it the one before seems answered.
  assert.deepEqual([...(await sql`select 2 as two`)], [{ two: 2 }]);
  await lost;
});

test("a transaction whose connection is lost ends with the loss, and the client goes on", async () => {
  const sql = openPostgres(proxy.place, "queries");
  // What the client throws outside of any promise would end the venue.
  const thrown: Error[] = [];
  const hear = (error: Error): void => void thrown.push(error);
  process.on("uncaughtException", hear);
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  try {
    const steps: Readonly<Record<string, (tx: postgres.TransactionSql) => Promise<unknown>>> = {
      "while it waits": async (tx) => {
        proxy.isCutting = true;
        await tx`select generate_series(1, 5000)`;
      },
      "while it waits inside a savepoint": (tx) =>
        tx.savepoint(async (inner) => {
          proxy.isCutting = true;
          await inner`select generate_series(1, 5000)`;
        }),
      "between two statements": async (tx) => {
        await tx`select 1`;
        proxy.lose("cut");
        for (let turns = 0; turns < 50; turns++) await turn();
        await tx`select 2`;
      },
    };
    for (const [when, work] of Object.entries(steps)) {
      await assert.rejects(sql.begin(work), isRetryable, when);
      for (let turns = 0; turns < 50; turns++) await turn();
      assert.deepEqual(thrown, [], when);
      const [row] = await sql<{ one: number }[]>`select 1 as one`;
      assert.equal(row?.one, 1, when);
    }
  } finally {
    process.off("uncaughtException", hear);
    await sql.end({ timeout: 1 });
  }
});
