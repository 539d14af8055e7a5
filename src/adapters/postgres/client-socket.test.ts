// Loses all connections of a client at once while statements wait on them, and asks again in the same moment,
// as the loops of a venue do when their server stops.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { CuttingProxy } from "../../../test/support/cutting-proxy.ts";
import { createTestDatabase } from "../../../test/support/postgres.ts";
import { ClientSocket } from "./client-socket.ts";
import { openPostgres, type Sql, withDatabase } from "./connection.ts";
import { codeOf, isRetryable } from "./retryable.ts";

/** As many as a client of this purpose has. */
const connections = 4;
const rounds = 24;
const triesMax = 50;
const answerMsMax = 300;
const listensWanted = 4;
const listenMsMin = 250;

/** Asks until there is an answer, at once after each loss; `codes` gets the reason of each. */
async function untilAnswered(sql: Sql, own: number, codes: Set<string>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const rows = await sql`select ${own}::integer as own, pg_backend_pid() as pid`;
      assert.deepEqual([...rows.map((row) => row["own"])], [own], "the answer is its own");
      return;
    } catch (error) {
      if (!isRetryable(error) || tries === triesMax) throw error;
      codes.add(codeOf(error));
    }
  }
}

for (const how of ["cut", "reset"] as const) {
  const name = `statements asked again in the moment all connections are ${how} get their answers`;
  test(`JRN-14 ${name}`, { timeout: 60_000 }, async (t) => {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    const proxy = await CuttingProxy.open(database.options);
    t.after(() => proxy.close());
    const sql = openPostgres(proxy.place, "queries");
    t.after(() => sql.end({ timeout: 0 }));
    const codes = new Set<string>();
    const ask = (count: number): Promise<void>[] =>
      Array.from({ length: count }, (_, own) => untilAnswered(sql, own, codes));
    await Promise.all(ask(connections));
    for (let round = 0; round < rounds; round++) {
      const waiting = 1 + (round % connections);
      const held = proxy.hold(waiting);
      const asked = ask(waiting);
      await held;
      proxy.lose(how);
      await Promise.all(asked);
      // What a connection was left with shows when it is used again: all of them are.
      await Promise.all(ask(2 * connections));
    }
    assert(codes.size > 0, "connections were lost");
    assert(!codes.has("CONNECT_TIMEOUT"), "no new connection said nothing");
  });
}

test("JRN-14 each statement is told that the server refuses, and it is called once for each", {
  timeout: 60_000,
}, async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  assert("host" in database.options);
  const { database: name } = database.options;
  const beside = openPostgres(withDatabase(database.options, "postgres"), "queries");
  t.after(() => beside.end({ timeout: 0 }));
  const accept = (isOn: boolean) =>
    beside.unsafe(`alter database ${name} with allow_connections ${isOn}`);
  const proxy = await CuttingProxy.open(database.options);
  t.after(() => proxy.close());
  const sql = openPostgres(proxy.place, "queries");
  t.after(() => sql.end({ timeout: 0 }));
  const ask = (own: number) => sql`select ${own}::integer as own`;
  const all = Array.from({ length: connections }, (_, own) => own);
  await Promise.all(all.map(ask));
  const held = proxy.hold(connections);
  const lost = Promise.allSettled(all.map(ask));
  await held;
  await accept(false);
  proxy.lose("cut");
  await lost;
  const calls = proxy.calls;
  for (const own of all) await assert.rejects(ask(own));
  assert.equal(proxy.calls, calls + connections);
  await accept(true);
  const answers = await Promise.all(all.map(ask));
  assert.deepEqual(
    answers.map(([row]) => row?.["own"]),
    all,
  );
});

test("JRN-12 a statement to which the server says nothing is lost with its connection, an idle one stays", {
  timeout: 60_000,
}, async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const proxy = await CuttingProxy.open(database.options);
  t.after(() => proxy.close());
  const { place } = proxy;
  assert("host" in place);
  const socket = () => new ClientSocket(place, answerMsMax);
  const options = { ...place, max: 1, backoff: false, fetch_types: false, socket };
  const sql = postgres(options as postgres.Options<Record<string, postgres.PostgresType>>);
  t.after(() => sql.end({ timeout: 0 }));
  await sql`select 1`;
  await sleep(3 * answerMsMax);
  await sql`select 1`;
  assert.equal(proxy.calls, 1, "it was idle, not silent");
  const held = proxy.hold(1);
  const asked = assert.rejects(sql`select 1`, { code: "CONNECTION_CLOSED" });
  await held;
  await asked;
  proxy.lose("cut");
  await sql`select 1`;
  assert.equal(proxy.calls, 2);
});

test("JRN-14 who listens to a server that is away calls it some times a second, not hundreds", {
  timeout: 60_000,
}, async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const proxy = await CuttingProxy.open({ ...database.options, host: "/nowhere" });
  t.after(() => proxy.close());
  const sql = openPostgres(proxy.place, "notices");
  t.after(() => sql.end({ timeout: 0 }));
  const beganMs = Date.now();
  sql.listen("anything", () => undefined).catch(() => undefined);
  while (proxy.calls < listensWanted) await sleep(10);
  assert(Date.now() - beganMs > listensWanted * listenMsMin, "it pauses before each");
});
