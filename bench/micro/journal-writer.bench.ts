// Measures the journal writer alone, on a real PostgreSQL with fsync on: batches through the event store with and
// without projections, compared with COPY binary of the same journal rows; commit times by batch size; bytes per order;
// and the read rate of the journal (performance goals P13, P14, P17).

import type { Writable } from "node:stream";
import postgres from "postgres";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { present } from "../../src/core/assert.ts";
import type { CommitBatch } from "../../src/ports/journal/event-store.ts";
import { createTestDatabase } from "../../test/support/database/postgres.ts";
import { type BatchShape, BatchSource } from "../../test/support/journal/journal-batches.ts";
import { quietLog } from "../../test/support/quiet-log.ts";
import { median } from "../report/median.ts";
import { sampledWaiting } from "./sampling.ts";

const batchOrders = 500;
const roundMs = 1_500;
const rounds = 3;

/**
 * Shape of a batch: 30 of 100 orders cross. There are only 15 rows of balances and positions per 100 orders, because
 * the venue writes each balance and position at most four times a second.
 */
function shapeOf(orders: number): BatchShape {
  return { orders, crossingPercent: 30, stateRowsPercent: 15 };
}

/** Runs all measurements on a database created for them. Figures are medians of alternating rounds. */
export async function measure(): Promise<Record<string, number>> {
  const database = await createTestDatabase();
  const sql = openPostgres(database.options, "queries");
  const { options } = database;
  const copier = "url" in options ? postgres(options.url) : postgres(options);
  const store = new PostgresEventStore({
    connection: options,
    log: quietLog,
    isStopping: () => true,
  });
  try {
    await store.becomeWriter();
    return await measureOn({ store, sql, copier });
  } finally {
    await copier.end();
    await store.close();
    await sql.end();
    await database.drop();
  }
}

interface Measured {
  readonly store: PostgresEventStore;
  readonly sql: Sql;
  /** A separate client, because the venue's own client cannot send rows by COPY. */
  readonly copier: postgres.Sql;
}

async function measureOn({ store, sql, copier }: Measured): Promise<Record<string, number>> {
  const source = new BatchSource({ seed: 7, firstSeq: 1 });
  await sql.unsafe("create table journal_copy (like journal including all)");
  for (let warm = 0; warm < 20; warm += 1)
    await store.appendBatch(source.next(shapeOf(batchOrders)));
  const whole: number[] = [];
  const bare: number[] = [];
  const copied: number[] = [];
  let copySeq = 1;
  for (let round = 0; round < rounds; round += 1) {
    whole.push(
      await rate(() => {
        const batch = source.next(shapeOf(batchOrders));
        return { batch, run: () => store.appendBatch(batch) };
      }),
    );
    bare.push(
      await rate(() => {
        const batch = withoutStates(source.next(shapeOf(batchOrders)));
        return { batch, run: () => store.appendBatch(batch) };
      }),
    );
    const twin = new BatchSource({ seed: 7, firstSeq: copySeq });
    copied.push(
      await rate(() => {
        const batch = twin.next(shapeOf(batchOrders));
        copySeq += batch.count;
        return { batch, run: () => copyRows(copier, batch) };
      }),
    );
  }
  const copyRate = median(copied);
  return {
    "events/s with projections": Math.round(median(whole)),
    "events/s journal and fills": Math.round(median(bare)),
    "events/s COPY binary of the journal rows": Math.round(copyRate),
    "P13 with projections, of COPY": ratio(median(whole), copyRate),
    "P13 journal and fills, of COPY": ratio(median(bare), copyRate),
    ...(await commitTimes(store, source)),
    ...(await bytesPerOrder(sql)),
    ...(await readBack(store)),
  };
}

interface Work {
  readonly batch: CommitBatch;
  run(): Promise<void>;
}

/**
 * Returns events a second, counting only the runs and not the time to make batches. The function does not use
 * tinybench: the three ways of writing must alternate, but tinybench would run asynchronous tasks concurrently on the
 * shared database.
 */
async function rate(next: () => Work): Promise<number> {
  let events = 0;
  let spentMs = 0;
  while (spentMs < roundMs) {
    const work = next();
    const start = performance.now();
    await work.run();
    spentMs += performance.now() - start;
    events += work.batch.count;
  }
  return (events * 1000) / spentMs;
}

/** Removes from the batch all rows that only queries read; events and fills remain. */
function withoutStates(batch: CommitBatch): CommitBatch {
  const { orders, orderStates, candles, balances, positions } = batch;
  for (const section of [orders, orderStates, candles, balances, positions])
    for (const column of Object.values(section) as unknown[][]) column.length = 0;
  return batch;
}

async function copyRows(copier: postgres.Sql, batch: CommitBatch): Promise<void> {
  const stream = await copier`copy journal_copy from stdin (format binary)`.writable();
  const bytes = copyBytes(batch);
  await new Promise<void>((resolve, reject) => {
    (stream as Writable).on("error", reject).on("finish", resolve).end(bytes);
  });
}

function copyBytes(batch: CommitBatch): Buffer {
  const buffer = Buffer.alloc(21 + batch.count * 44 + batch.bytes.length);
  let at = buffer.write("PGCOPY\n\xff\r\n\0", "latin1") + 8;
  let from = 0;
  for (const [index, length] of batch.lengths.entries()) {
    at = buffer.writeInt16BE(5, at);
    at = buffer.writeBigInt64BE(BigInt(batch.firstSeq + index), buffer.writeInt32BE(8, at));
    at = buffer.writeBigInt64BE(BigInt(batch.tsUs[index] ?? 0), buffer.writeInt32BE(8, at));
    at = buffer.writeInt32BE(batch.accounts[index] ?? 0, buffer.writeInt32BE(4, at));
    at = buffer.writeInt16BE(batch.kinds[index] ?? 0, buffer.writeInt32BE(2, at));
    at = buffer.writeInt32BE(length, at);
    buffer.set(batch.bytes.subarray(from, from + length), at);
    at += length;
    from += length;
  }
  at = buffer.writeInt16BE(-1, at);
  return buffer.subarray(0, at);
}

async function commitTimes(
  store: PostgresEventStore,
  source: BatchSource,
): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const orders of [1, 10, 100, 500]) {
    let batch: CommitBatch | null = null;
    const { p50 } = await sampledWaiting(
      () => store.appendBatch(present(batch, "a batch")),
      { samples: Math.max(60, 300 / orders), warmUp: 0 },
      {
        before: () => {
          batch = source.next(shapeOf(orders));
        },
      },
    );
    figures[`commit p50 ms, ${orders} orders`] = Number(p50.toFixed(3));
  }
  return figures;
}

async function bytesPerOrder(sql: Sql): Promise<Record<string, number>> {
  // Rounds without projections wrote journal rows and fills but no orders. Therefore count the accepted events instead
  // of order rows.
  const [sizes] = await sql<{ accepted: number; stored: number; journal: number; rest: number }[]>`
    select (select count(*) from journal where kind = 16)::int as accepted,
           (select count(*) from orders)::int as stored,
           pg_total_relation_size('journal')::float8 as journal,
           (pg_total_relation_size('orders') + pg_total_relation_size('balances')
             + pg_total_relation_size('positions') + pg_total_relation_size('candles'))::float8
             / greatest((select count(*) from orders), 1)
           + pg_total_relation_size('fills')::float8
             / greatest((select count(*) from journal where kind = 16), 1) as rest`;
  if (sizes === undefined) return {};
  const journal = sizes.journal / sizes.accepted;
  return {
    "P17 journal bytes per order": Math.round(journal),
    "P17 all tables bytes per order": Math.round(journal + sizes.rest),
  };
}

async function readBack(store: PostgresEventStore): Promise<Record<string, number>> {
  const start = performance.now();
  let events = 0;
  await store.readEvents(0, null, (chunk) => {
    events += chunk.count;
  });
  return { "events/s read back": Math.round((events * 1000) / (performance.now() - start)) };
}

function ratio(value: number, baseline: number): number {
  return Number((value / baseline).toFixed(2));
}
