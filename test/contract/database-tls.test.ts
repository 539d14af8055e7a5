// Proves that every kind of session uses TLS and checks the server, that a server with the wrong certificate gets
// nothing, and that connections lost under TLS, at any moment, leave no statement without an answer.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { listenTo } from "../../src/adapters/postgres/notices.ts";
import { isRetryable } from "../../src/adapters/postgres/retryable.ts";
import { CertificateAuthority } from "../support/cluster/certificates.ts";
import { SynchronousPair } from "../support/cluster/synchronous-pair.ts";
import { createTestDatabase } from "../support/database/postgres.ts";
import { quietLog } from "../support/quiet-log.ts";

const rounds = 60;
const statementsAtOnce = 6;
/** Longest pause before a loss: longer than a TLS handshake and a statement together. */
const pauseMsMax = 30;
const triesMax = 200;

let pair: SynchronousPair;
before(async () => {
  pair = await SynchronousPair.start({ isTls: true });
});
after(() => pair?.close());

test("OPS-47 pool, writer, reader, migrations and listener use TLS and show a certificate", async () => {
  const connection = { url: pair.url };
  const sql = openPostgres(connection, "queries");
  const migrations = openPostgres(connection, "migrations");
  const store = new PostgresEventStore({ connection, log: quietLog, isStopping: () => false });
  await store.becomeWriter();
  await store.lastSeq();
  await migrations`select 1`;
  let stopListening = async (): Promise<void> => undefined;
  const heard = await new Promise<string>((hear, lost) => {
    const listening = () => void sql`select pg_notify('noted', 'under TLS')`;
    stopListening = listenTo(connection, { channel: "noted", hear, listening, lost });
  });
  assert.equal(heard, "under TLS");
  const sessions = await sql<{ name: string; is_tls: boolean; client: string }[]>`
    select a.application_name as name, s.ssl as is_tls, s.client_dn as client
    from pg_stat_ssl s join pg_stat_activity a using (pid)
    where a.application_name like 'rialto-%' order by 1`;
  const names = new Set(sessions.map(({ name }) => name));
  for (const name of ["journal", "migrations", "notices", "queries", "reader"])
    assert(names.has(`rialto-${name}`), name);
  for (const { name, is_tls, client } of sessions)
    assert.deepEqual([name, is_tls, client], [name, true, "/CN=127.0.0.1"]);
  await stopListening();
  await store.close();
  await migrations.end();
  await sql.end();
});

async function answerOf(url: string): Promise<unknown> {
  const sql = openPostgres({ url }, "queries");
  try {
    return await sql`select 1`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

test("OPS-47 a server of another authority, another name or without TLS is refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rialto-authority-"));
  const stranger = new CertificateAuthority(join(folder, "stranger"));
  const { caFile } = await stranger.issue(join(folder, "tls"), ["127.0.0.1"]);
  const asked = new URL(pair.url);
  asked.searchParams.set("sslrootcert", caFile);
  await assert.rejects(
    answerOf(asked.href),
    /self-signed certificate in certificate chain|unable to verify/,
  );
  // The certificate names the address, but not this name of the same machine.
  const named = pair.url.replace("@127.0.0.1:", "@localhost:");
  await assert.rejects(answerOf(named), /does not match certificate's altnames/);
  const database = await createTestDatabase();
  await assert.rejects(answerOf(`${database.url}?sslmode=verify-full`), /does not support SSL/);
  await database.drop();
  await rm(folder, { recursive: true });
});

for (const how of ["cut", "reset"] as const) {
  test(`JRN-14 statements are answered although their connections under TLS are ${how} at any moment`, async () => {
    const sql = openPostgres({ url: pair.url }, "queries");
    let losses = 0;
    for (let round = 0; round < rounds; round += 1) {
      const answers = Array.from({ length: statementsAtOnce }, (_, own) =>
        untilAnswered(sql, own, () => {
          losses += 1;
        }),
      );
      await sleep((round * pauseMsMax) / rounds);
      pair.cutConnections(how);
      await Promise.all(answers);
    }
    assert(losses >= rounds, `only ${losses} statements were interrupted`);
    await sql.end({ timeout: 1 });
  });
}

async function untilAnswered(sql: Sql, own: number, lost: () => void): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const rows = await sql`select ${own}::integer as own, pg_sleep(0.01)`;
      assert.deepEqual([...rows.map((row) => row["own"])], [own]);
      return;
    } catch (error) {
      if (!isRetryable(error) || tries === triesMax) throw error;
      lost();
    }
  }
}
