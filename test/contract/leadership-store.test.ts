// Proves on a real server that a claim fences the former leader: its commits, its sessions, its renewals and whatever
// session it opens later. No clock takes part in that.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresLeadership } from "../../src/adapters/postgres/leadership-store.ts";
import { isRetryable } from "../../src/adapters/postgres/retryable.ts";
import { WriterSession } from "../../src/adapters/postgres/writer-session.ts";
import type { Candidate } from "../../src/ports/leadership.ts";
import { until } from "../epochs/epoch-waits.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { BatchSource } from "../support/journal/journal-batches.ts";

const shape = { orders: 5, crossingPercent: 50, stateRowsPercent: 20 };
const renewal = { settledSeq: 0, chain: null, handedTo: null };

let database: TestDatabase;
let stores: PostgresLeadership[];
let opened: { close(): Promise<void> }[];

beforeEach(async () => {
  database = await createTestDatabase();
  [stores, opened] = [[], []];
});

afterEach(async () => {
  for (const one of [...opened, ...stores]) await one.close();
  await database.drop();
});

function venue(name: string, leaseMs = 60_000) {
  const candidate: Candidate = { name, address: `http://${name}`, leaseMs };
  const connection = { ...database.options, leader: name };
  const store = new PatientLeadership(connection);
  stores.push(store);
  return { candidate, connection, store };
}

/** Repeats readings and renewals that the server did not answer within a second, as a venue does. */
class PatientLeadership extends PostgresLeadership {
  override read() {
    return repeated(() => super.read());
  }

  override renew(...given: Parameters<PostgresLeadership["renew"]>) {
    return repeated(() => super.renew(...given));
  }

  override follow(...given: Parameters<PostgresLeadership["follow"]>) {
    return repeated(() => super.follow(...given));
  }

  override release(holder: string) {
    return repeated(() => super.release(holder));
  }
}

async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (const endMs = performance.now() + 60_000; ; ) {
    try {
      return await call();
    } catch (error) {
      if (!isRetryable(error) || performance.now() > endMs) throw error;
    }
  }
}

async function claimed({ store, candidate }: ReturnType<typeof venue>): Promise<string> {
  const epoch = await store.claim(candidate, await store.read());
  assert(epoch !== null, "the lease must be free");
  return epoch;
}

async function writerOf({ connection }: ReturnType<typeof venue>, epoch: string) {
  const session = await WriterSession.open(connection, { epoch });
  opened.push(session);
  return session;
}

function poolOf({ connection }: ReturnType<typeof venue>): Sql {
  const sql = openPostgres(connection, "queries");
  opened.push({ close: () => sql.end({ timeout: 1 }) });
  return sql;
}

test("LDR-5 after a claim the former leader's sessions have ended, and it can neither commit, renew nor open one", async () => {
  const [a, b] = [venue("a"), venue("b")];
  const first = await claimed(a);
  const writer = await writerOf(a, first);
  const source = new BatchSource({ seed: 2, firstSeq: 1 });
  await writer.commit(source.next(shape));
  const sql = poolOf(a);
  await sql`select 1`;
  assert.notEqual(await a.store.renew("a", renewal), null);

  const second = await claimed(b);
  await b.store.endSessions("a");
  assert.equal(Number(second), Number(first) + 1);
  const [left] = await openedBy("a");
  assert.equal(left?.count, "0");
  await assert.rejects(writer.commit(source.next(shape)));
  await assert.rejects(WriterSession.open(a.connection, { epoch: first }), { code: "deposed" });
  assert.equal(await a.store.renew("a", renewal), null);
  // The pool notices at the first statement that its session has ended, and at the next that another venue leads.
  await sql`select 1`.catch(() => undefined);
  await assert.rejects(sql`select 1`, { code: "deposed" });
  await writerOf(b, second);
});

async function openedBy(name: string) {
  const sql = openPostgres(database.options, "queries");
  const rows = await sql<{ count: string }[]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and application_name like ${`rialto-% ${name}`}
      and application_name not like 'rialto-lease %'`;
  await sql.end({ timeout: 1 });
  return rows;
}

test("LDR-5 a writer whose epoch was raised cannot commit, even on a session that nobody ended", async () => {
  const a = venue("a");
  const writer = await writerOf(a, await claimed(a));
  const sql = openPostgres(database.options, "queries");
  await sql`update journal_head set writer_epoch = writer_epoch + 1`;
  await sql.end({ timeout: 1 });
  await assert.rejects(writer.commit(new BatchSource({ seed: 2, firstSeq: 1 }).next(shape)), {
    code: "deposed",
  });
});

test("a follower rehearses its first commit while the leader holds the journal's head, and writes nothing", async () => {
  const [a, b] = [venue("a"), venue("b")];
  await claimed(a);
  const sql = poolOf(a);
  const rows = () => sql`
    select writer_epoch, last_seq, (select count(*) from journal) as journal,
           (select count(*) from orders) as orders, (select count(*) from balances) as balances
    from journal_head`;
  const before = await rows();
  const prepared = await WriterSession.prepare(b.connection);
  opened.push(prepared);
  await sql.begin(async (holding) => {
    await holding`select from journal_head for update`;
    await WriterSession.rehearse(prepared);
  });
  assert.deepEqual(await rows(), before);
  assert(prepared.isIdle);
});

test("of two claims of the same lease one succeeds", async () => {
  const venues = ["a", "b", "c", "d"].map((name) => venue(name));
  const seen = await venues[0]?.store.read();
  assert(seen !== undefined);
  const epochs = await Promise.all(
    venues.map(({ store, candidate }) => store.claim(candidate, seen)),
  );
  assert.equal(epochs.filter((epoch) => epoch !== null).length, 1);
});

test("a lease that was renewed since it was seen cannot be claimed", async () => {
  const [a, b] = [venue("a"), venue("b")];
  await claimed(a);
  const seen = await b.store.read();
  await a.store.renew("a", renewal);
  assert.equal(await b.store.claim(b.candidate, seen), null);
});

test("JRN-8 LDR-11 a venue without a lease refuses a led database, and a lease refuses a database it writes", async () => {
  const a = venue("a");
  await claimed(a);
  await assert.rejects(WriterSession.open(database.options, null), {
    code: "second-venue",
    message: /the venue at http:\/\/a leads on this database/,
  });
  await a.store.release("a");
  const single = await WriterSession.open(database.options, null);
  opened.push(single);
  await assert.rejects(claimed(a), { code: "second-venue", message: /without a lease/ });
});

test("a lease shows what its holder publishes, its followers, and whether its holder is connected", async () => {
  const [a, b] = [venue("a"), venue("b")];
  // It followed a moment ago, and does not follow itself.
  await a.store.follow(a.candidate, 11, true);
  const epoch = await claimed(a);
  assert.deepEqual(await a.store.renew("a", renewal), {
    ...{ slowestSeq: null, nearest: null, nearestOnBus: null },
  });
  const c = venue("c");
  const chain = { baseSeq: 1, base: Buffer.from([1]), seq: 2, hash: Buffer.from([2]) };
  const told = { slowestSeq: 7, nearest: "c", nearestOnBus: "b" };
  // A follower counts for five seconds.
  await until("both followers are told", async () => {
    await b.store.follow(b.candidate, 7, true);
    await c.store.follow(c.candidate, 9, false);
    const found = await a.store.renew("a", { settledSeq: 5, chain, handedTo: "b" });
    return isDeepStrictEqual(found, told) || null;
  });
  const { renewals: _, ...lease } = await b.store.read();
  assert.deepEqual(lease, {
    holder: "a",
    isConnected: true,
    epoch,
    address: "http://a",
    leaseMs: 60_000,
    handedTo: "b",
    settledSeq: 5,
    chain,
  });
  await c.store.close();
  await until("an ended follower cannot take over", async () => {
    await b.store.follow(b.candidate, 7, true);
    return (await a.store.renew("a", renewal))?.nearest === "b" || null;
  });
  await a.store.close();
  await until("the end of the holder's session", async () => {
    return !(await b.store.read()).isConnected || null;
  });
  assert.notEqual(await b.store.claim(b.candidate, await b.store.read()), null);
  assert.equal((await b.store.read()).chain, null, "the next leader's chain is another one");
});
