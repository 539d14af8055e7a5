// Proves that commits never become asynchronous unnoticed: when synchronous_standby_names is emptied while a venue runs,
// the next commit already counts as unknown, and everything goes on once the standbys are named again.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { PostgresLeadership } from "../../src/adapters/postgres/leadership-store.ts";
import { OutcomeUnknown } from "../../src/adapters/postgres/pg-session.ts";
import { isRetryable } from "../../src/adapters/postgres/retryable.ts";
import { SynchronousPair } from "../support/cluster/synchronous-pair.ts";
import { BatchSource } from "../support/journal/journal-batches.ts";
import { quietLog } from "../support/quiet-log.ts";

const shape = { orders: 5, crossingPercent: 50, stateRowsPercent: 20 };
const source = new BatchSource({ seed: 5, firstSeq: 1 });
const synchronous = { waitMs: 10_000 };
let pair: SynchronousPair;
let admin: Sql;

before(async () => {
  pair = await SynchronousPair.start();
  admin = openPostgres(pair.primary, "queries");
});
after(async () => {
  await admin.end({ timeout: 1 });
  await pair.close();
});

async function nameStandbys(names: string): Promise<void> {
  await admin.unsafe(`alter system set synchronous_standby_names = '${names}'`);
  await admin.unsafe("select pg_reload_conf()");
  for (const endMs = performance.now() + 60_000; ; await sleep(10)) {
    const [row] = await admin<{ names: string }[]>`
      select current_setting('synchronous_standby_names') as names`;
    if (row?.names === names) break;
    assert(performance.now() < endMs, "waited too long");
  }
  // The server tells all its sessions before it takes another one, so none has the earlier setting from here on.
  const next = openPostgres(pair.primary, "queries");
  await next`select 1`;
  await next.end();
}

test("LDR-13 a venue whose standbys are no longer named acknowledges nothing, says so, and goes on when they are", async () => {
  const errors: string[] = [];
  const warn = ({ error }: { error?: Error }) => void errors.push(error?.message ?? "");
  const store = new PostgresEventStore({
    connection: { ...pair.primary, synchronous },
    log: { ...quietLog, warn },
    isStopping: () => false,
  });
  try {
    await store.becomeWriter();
    await store.appendBatch(source.next(shape));
    await nameStandbys("");
    let isDone = false;
    const batch = source.next(shape);
    const appending = store.appendBatch(batch).then(() => {
      isDone = true;
    });
    for (const endMs = performance.now() + 60_000; errors.length < 3; await sleep(10))
      assert(performance.now() < endMs, "the setting must be noticed within seconds");
    assert.equal(isDone, false);
    assert.match(errors[0] ?? "", /synchronous_standby_names has been emptied/);
    assert.match(
      errors[1] ?? "",
      /SYNCHRONOUS_STANDBY=required: synchronous_standby_names is empty/,
    );
    await nameStandbys("*");
    await appending;
    await store.appendBatch(source.next(shape));
    const [row] = await admin<{ gaps: string; last: string }[]>`
      select max(seq) - count(*) as gaps, max(seq) as last from journal`;
    assert.equal(Number(row?.gaps), 0);
    assert(Number(row?.last) > batch.firstSeq + batch.count - 1);
  } finally {
    await store.close();
  }
});

test("LDR-13 a transaction and a single write of another store count as unknown too", async () => {
  const sql = openPostgres({ ...pair.primary, synchronous }, "queries");
  try {
    const write = () => sql`update journal_head set last_seq = last_seq`;
    await write();
    await nameStandbys("");
    await assert.rejects(write(), OutcomeUnknown);
    await assert.rejects(
      sql.begin((tx) => tx`update journal_head set last_seq = last_seq`),
      OutcomeUnknown,
    );
    assert.equal((await sql`select from journal_head`).length, 1);
    await nameStandbys("*");
    await write();
  } finally {
    await sql.end({ timeout: 1 });
  }
});

/** Repeats a reading that the server did not answer within a second, as a venue does. */
async function untilAnswered<T>(read: () => Promise<T>): Promise<T> {
  for (const endMs = performance.now() + 60_000; ; ) {
    try {
      return await read();
    } catch (error) {
      if (!isRetryable(error) || performance.now() > endMs) throw error;
    }
  }
}

test("LDR-1 a lease is not taken by a venue whose commits would wait for no standby", async () => {
  const leadership = new PostgresLeadership({ ...pair.primary, synchronous, leader: "a" });
  try {
    const read = () => untilAnswered(() => leadership.read());
    const seen = await read();
    const candidate = { name: "a", address: "here", leaseMs: 500 };
    await nameStandbys("");
    await assert.rejects(leadership.claim(candidate, seen), { code: "unfit" });
    assert.deepEqual(await read(), seen);
    await nameStandbys("*");
    assert.notEqual(await leadership.claim(candidate, seen), null);
  } finally {
    await leadership.close();
  }
});
