// Proves the event store on a real PostgreSQL: appended batches are read back exactly, and the store accepts only
// the next batch, from the one writer. The cases with killed sessions are in event-store-faults.test.ts.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { readJournal } from "../../src/adapters/postgres/journal-reader.ts";
import { PgSession } from "../../src/adapters/postgres/pg-session.ts";
import { present } from "../../src/core/assert.ts";
import type {
  CommitBatch,
  EventChunk,
  EventStore,
  StoredSnapshot,
} from "../../src/ports/journal/event-store.ts";
import { emptyCommitBatch } from "../../src/services/journal/batch-records.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { BatchSource } from "../support/journal/journal-batches.ts";
import { quietLog } from "../support/quiet-log.ts";

const shape = { orders: 40, crossingPercent: 50, stateRowsPercent: 50 };

let database: TestDatabase;
let sql: Sql;
let stores: PostgresEventStore[];

beforeEach(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
  await sql.end();
  await database.drop();
});

/** Runs a query and returns its rows as arrays of values. */
async function valuesOf(query: string): Promise<unknown[]> {
  return (await sql.unsafe(query)).map((row) => Object.values(row));
}

function openStore(): PostgresEventStore {
  const store = new PostgresEventStore({
    connection: database.options,
    log: quietLog,
    isStopping: () => false,
  });
  stores.push(store);
  return store;
}

async function openWriter(): Promise<PostgresEventStore> {
  const store = openStore();
  await store.becomeWriter();
  return store;
}

const ascending = (a: number, b: number): number => a - b;

/** Returns the bodies of the events after `afterSeq`, copied from the chunks that the store reads. */
async function bodiesOf(
  store: PostgresEventStore,
  afterSeq: number,
  untilSeq: number | null,
): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  await store.readEvents(afterSeq, untilSeq, (chunk: EventChunk) => {
    assert.equal(chunk.firstSeq, afterSeq + bodies.length + 1);
    for (let index = 0; index < chunk.count; index += 1) {
      const from = chunk.offsets[index] ?? 0;
      bodies.push(Buffer.from(chunk.bytes.subarray(from, from + (chunk.lengths[index] ?? 0))));
    }
  });
  return bodies;
}

function bodiesOfBatch(batch: CommitBatch): Buffer[] {
  let from = 0;
  return batch.lengths.map((length) => {
    from += length;
    return Buffer.from(batch.bytes.subarray(from - length, from));
  });
}

/** A commit batch of `count` events without rows for any other table. */
function bareBatch(firstSeq: number, count: number): CommitBatch {
  const batch = emptyCommitBatch(firstSeq);
  batch.count = count;
  for (let index = 0; index < count; index += 1) {
    batch.lengths.push(index % 7);
    batch.tsUs.push(1_763_700_000_000_000 + firstSeq + index);
    batch.kinds.push(16);
    batch.accounts.push(1001);
  }
  const size = batch.lengths.reduce((sum, length) => sum + length, 0);
  batch.bytes = Uint8Array.from({ length: size }, (_, index) => (index * 7) & 0xff);
  return batch;
}

test("batches are read back byte for byte, as a whole and in any range", async () => {
  const store = await openWriter();
  assert.equal(await store.lastSeq(), 0);
  assert.deepEqual(await bodiesOf(store, 0, null), []);
  const source = new BatchSource({ seed: 3, firstSeq: 1 });
  const written: Buffer[] = [];
  for (let batch = 0; batch < 12; batch += 1) {
    const next = source.next(shape);
    await store.appendBatch(next);
    written.push(...bodiesOfBatch(next));
  }
  assert.equal(await store.lastSeq(), written.length);
  assert.deepEqual(await bodiesOf(store, 0, null), written);
  // Ranges across the reader's chunks of 256 events, at the chunks' boundaries, and an empty range.
  for (const [after, until] of [
    [0, 256],
    [0, 257],
    [255, 512],
    [100, 101],
    [written.length, written.length],
  ] as const)
    assert.deepEqual(await bodiesOf(store, after, until), written.slice(after, until));
});

test("event bodies keep their lengths, even if they are empty or odd", async () => {
  const store = await openWriter();
  const batch = bareBatch(1, 1000);
  await store.appendBatch(batch);
  assert.deepEqual(await bodiesOf(store, 0, null), bodiesOfBatch(batch));
});

test("orders whose rows are open are listed separately", async () => {
  const store = await openWriter();
  const batch = new BatchSource({ seed: 5, firstSeq: 1 }).next(shape);
  await store.appendBatch(batch);
  const { orderId, status } = batch.orders;
  const open = orderId.filter((_, row) => status[row] === 0);
  assert(open.length > 0);
  const found = await store.openByRow([...orderId, 999_999]);
  assert.deepEqual(found.sort(ascending), open.toSorted(ascending));
  assert.deepEqual(await store.openByRow([]), []);
});

test("every column of a batch is stored in its table", async () => {
  const store = await openWriter();
  const source = new BatchSource({ seed: 5, firstSeq: 1 });
  const first = source.next(shape);
  const second = source.next(shape);
  second.accountRows = { account: [1001], type: [2], flags: [1], openedUs: [77] };
  second.marketStates = { market: [2], status: [1] };
  await store.appendBatch(first);
  await store.appendBatch(second);
  await checkRows(second);
  const third = bareBatch(second.firstSeq + second.count, 1000);
  third.orderDetails = {
    orderId: [present(second.orders.orderId[0], "an order of the second batch")],
    flags: [3],
    stpMode: [4],
    quoteQty: [2n ** 60n],
    goodTillUs: [25],
    triggerPrice: [26],
    workingPrice: [1],
    trailingBps: [28],
    activationPrice: [29],
    triggeredUs: [30],
    listId: [7],
    icebergQty: [31],
  };
  await store.appendBatch(third);
  await sameRows("orders", { ...third.orderDetails, listId: [7], icebergQty: [31] }, "orderId");
  assert.deepEqual(await valuesOf(`select account, type, flags, opened_us from accounts`), [
    [1001, 2, 1, "77"],
  ]);
  assert.deepEqual(await valuesOf(`select status from markets where market = 2`), [[1]]);
  assert.deepEqual(
    await valuesOf(`select ts_us, account, kind from journal where seq = ${second.firstSeq}`),
    [[String(second.tsUs[0]), second.accounts[0], second.kinds[0]]],
  );
});

test("options of an order leave its price and quantity, and a version that sends them with the options still writes", async () => {
  const store = await openWriter();
  const batch = new BatchSource({ seed: 6, firstSeq: 1 }).next(shape);
  await store.appendBatch(batch);
  const orderId = present(batch.orders.orderId[0], "an order of the batch");
  const termsOf = () =>
    valuesOf(`select price, qty, flags, filled_qty from orders where order_id = ${orderId}`);
  const next = bareBatch(batch.firstSeq + batch.count, 0);
  const { orderStates, orderDetails } = next;
  for (const columns of [orderStates, orderDetails])
    for (const values of Object.values(columns) as unknown[][]) values.push(7);
  orderStates.orderId[0] = orderId;
  orderDetails.orderId[0] = orderId;
  await store.appendBatch(next);
  assert.deepEqual(await termsOf(), [["7", "7", 7, "7"]]);
  // The version before: five columns of states, and price and quantity in the second and third column of options.
  const states = `{{${orderId}},{8},{8},{0},{8}}`;
  const options = `{{${orderId}},{9},{10},${"{11},".repeat(10)}{11}}`;
  const sections = [states, ...Array.from({ length: 6 }, () => null), options];
  const bound = sections.map((section) => (section === null ? "null" : `'${section}'::bigint[]`));
  await sql.unsafe(`select write_projections(${bound.join(", ")})`);
  assert.deepEqual(await termsOf(), [["9", "10", 11, "8"]]);
});

/** Checks that the tables hold the rows that the batch must have written. */
async function checkRows(batch: CommitBatch): Promise<void> {
  const { orders, fills, orderStates, balances, positions } = batch;
  const { clientId, ...orderNumbers } = orders;
  await sameRows("orders", { ...orderNumbers }, "orderId");
  const stored = await sql`
    select client_id from orders where order_id >= ${orders.orderId[0] ?? 0} order by order_id`;
  assert.deepEqual(
    stored.map((row) => row["client_id"]),
    clientId,
  );
  await sameRows("fills", { ...fills }, "tradeId");
  assert.ok(orderStates.orderId.length > 0);
  await sameRows("orders", { ...orderStates }, "orderId");
  await sameRows("balances", { ...balances }, "account");
  await sameRows("positions", { ...positions }, "account");
}

/** Checks for each key that the stored row has the given value in each column. */
async function sameRows(
  table: string,
  columns: Record<string, readonly (number | bigint)[]>,
  key: string,
): Promise<void> {
  const snake = (name: string): string =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const keys = columns[key] ?? [];
  assert.ok(keys.length > 0, `${table} must have rows to compare`);
  for (const [row, value] of keys.entries()) {
    const [stored] = await sql.unsafe(`select * from ${table} where ${snake(key)} = ${value}`);
    for (const [name, column] of Object.entries(columns))
      assert.equal(String(stored?.[snake(name)]), String(column[row]), `${table}.${name}`);
  }
}

test("merged candles keep the open, widen high and low, and add volumes", async () => {
  const store = await openWriter();
  const candle = (firstSeq: number, prices: [number, number, number, number]): CommitBatch => ({
    ...bareBatch(firstSeq, 1),
    candles: {
      market: [1],
      intervalMs: [60_000],
      openTimeMs: [1_763_700_000_000],
      open: [prices[0]],
      high: [prices[1]],
      low: [prices[2]],
      close: [prices[3]],
      volume: [5],
      quote: [70n],
      count: [2],
      takerBuyVolume: [3],
      takerBuyQuote: [40n],
    },
  });
  await store.appendBatch(candle(1, [100, 110, 90, 105]));
  await store.appendBatch(candle(2, [106, 108, 80, 81]));
  const rows = await valuesOf(`
    select open, high, low, close, volume, quote, trade_count, taker_buy_volume, taker_buy_quote
    from candles`);
  assert.deepEqual(rows, [["100", "110", "80", "81", "10", "140", "4", "6", "80"]]);
});

test("events alone register and revoke an API key", async () => {
  const store = await openWriter();
  await sql`
    insert into api_keys (key_id, account, api_key, key_type, sealed_secret, seal_version, created_us)
    values (1, 1001, 'k', 0, '\\x00', 1, 0)`;
  const keys = (firstSeq: number, revokedUs: number | null): CommitBatch => ({
    ...bareBatch(firstSeq, 1),
    keyStates: { keyId: [1], tier: [2], permissions: [3], revokedUs: [revokedUs] },
  });
  const state = () => valuesOf("select is_registered, tier, permissions, revoked_us from api_keys");
  assert.deepEqual(await state(), [[false, 0, 0, null]]);
  await store.appendBatch(keys(1, null));
  assert.deepEqual(await state(), [[true, 2, 3, null]]);
  await store.appendBatch(keys(2, 99));
  assert.deepEqual(await state(), [[true, 2, 3, "99"]]);
});

test("a batch that does not follow the last one is refused as a whole", async () => {
  const store = await openWriter();
  await store.appendBatch(bareBatch(1, 3));
  for (const firstSeq of [3, 5, 1])
    await assert.rejects(store.appendBatch(bareBatch(firstSeq, 2)), { code: "gap" });
  assert.equal(await store.lastSeq(), 3);
  await store.appendBatch(bareBatch(4, 1));
});

test("JRN-8 a second venue is refused while the first one runs, and takes over afterwards", async () => {
  const first = await openWriter();
  await first.appendBatch(bareBatch(1, 1));
  await assert.rejects(openWriter(), {
    code: "second-venue",
    message: /in use by another venue \(rialto-journal, backend \d+/,
  });
  await first.close();
  const second = await openWriter();
  assert.equal(await second.lastSeq(), 1);
  await second.appendBatch(bareBatch(2, 1));
});

test("JRN-8 a writer that was replaced cannot write, even while it holds the lock", async () => {
  const store = await openWriter();
  await sql`update journal_head set writer_epoch = writer_epoch + 1`;
  await assert.rejects(store.appendBatch(bareBatch(1, 1)), { code: "deposed" });
  assert.equal(await store.lastSeq(), 0);
});

test("JRN-6 triggers and missing rights keep the journal append-only", async () => {
  const store = await openWriter();
  await store.appendBatch(bareBatch(1, 2));
  const changes = ["update journal set kind = 1", "delete from journal", "truncate journal"];
  for (const change of changes) await assert.rejects(sql.unsafe(change), { code: "RL009" });
  await sql.begin(async (tx) => {
    await tx`set local role rialto_venue`;
    for (const change of [...changes, "drop trigger journal_append_only_rows on journal"]) {
      await tx`savepoint before`;
      await assert.rejects(tx.unsafe(change), { code: "42501" }, change);
      await tx`rollback to before`;
    }
  });
  const [session] = await sql`
    select usename, (select count(*) from journal) as events from pg_stat_activity
    where application_name = 'rialto-journal' and datname = current_database()`;
  assert.equal(session?.["events"], "2");
});

test("snapshots are listed newest first, three are kept, and a torn one is reported", async () => {
  const store = openStore();
  const snapshot = (seq: number, size: number) => ({
    seq,
    stateHash: `hash-${seq}`,
    bytes: Uint8Array.from({ length: size }, (_, index) => (index * seq) & 0xff),
  });
  assert.deepEqual(await snapshotsOf(store, 5), []);
  // The last snapshot is so large that it is stored in two parts.
  for (const [seq, size] of [
    [10, 5],
    [20, 0],
    [30, 1000],
    [40, 9 * 2 ** 20],
  ] as const)
    await store.writeSnapshot(snapshot(seq, size));
  await store.writeSnapshot(snapshot(30, 2000));
  const read = await snapshotsOf(store, 5);
  assert.deepEqual(
    read.map(({ seq, stateHash, bytes }) => [seq, stateHash, bytes.length]),
    [
      [40, "hash-40", 9 * 2 ** 20],
      [30, "hash-30", 2000],
      [20, "hash-20", 0],
    ],
  );
  assert.ok(
    Buffer.from(snapshot(40, 9 * 2 ** 20).bytes).equals(read[0]?.bytes ?? new Uint8Array()),
  );
  assert.equal((await snapshotsOf(store, 1)).length, 1);
  await sql`delete from snapshot_parts where seq = 40 and part = 1`;
  assert.deepEqual(
    (await snapshotsOf(store, 5)).map(({ seq }) => seq),
    [30, 20],
  );
  for await (const newest of store.readSnapshots(1)) {
    const words = `${8 * 2 ** 20} of its ${9 * 2 ** 20} bytes are stored`;
    assert.deepEqual(newest, { seq: 40, message: words });
  }
});

test("JRN-10 a snapshot of a million orders is read back exactly, part by part", async () => {
  const store = openStore();
  // A state of a million open orders needs 16 parts of 8 MiB. Each part has different contents, so that swapped
  // parts show.
  const words = Int32Array.from({ length: 2 ** 25 }, (_, index) => Math.imul(index, 0x9e3779b1));
  const bytes = new Uint8Array(words.buffer);
  await store.writeSnapshot({ seq: 1_000_000, stateHash: "million", bytes });
  for (let turn = 0; turn < 2; turn++) {
    const [stored] = await snapshotsOf(store, 1);
    assert.equal(stored?.seq, 1_000_000);
    assert.ok(
      Buffer.from(bytes.buffer).equals(stored.bytes),
      "the stored snapshot must have the same bytes",
    );
  }
});

test("JRN-15 the journal can be read by a reader of any speed", async () => {
  // More events than the sockets buffer, so that the server waits for the reader. Reading all of them takes at least eight
  // seconds; the server ends a statement after five, and the client would give up five seconds later if no row arrived.
  const events = 400_000;
  const atOnce = 50_000;
  for (let from = 1; from <= events; from += atOnce)
    await sql`
      insert into journal (seq, ts_us, account, kind, body)
      select seq, seq, 1001, 1, convert_to(lpad(seq::text, 64, '0'), 'utf8')
      from generate_series(${from}::integer, ${from + atOnce - 1}::integer) as seq`;
  const settings = { jit: "off", statement_timeout: "5000" };
  const session = await PgSession.open(database.options, "reader", settings);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  let read = 0;
  await readJournal(session, { afterSeq: 0, untilSeq: events }, ({ firstSeq, count }) => {
    assert.equal(firstSeq, read + 1);
    read += count;
    Atomics.wait(pause, 0, 0, 5);
  });
  await session.close();
  assert.equal(read, events);
});

test("a snapshot that is deleted while others are read is left out, and not reported as torn", async () => {
  const [store, venue] = [openStore(), openStore()];
  const snapshot = (seq: number) => ({ seq, stateHash: `hash-${seq}`, bytes: Buffer.of(seq) });
  for (const seq of [10, 20, 30]) await venue.writeSnapshot(snapshot(seq));
  const told: unknown[] = [];
  for await (const stored of store.readSnapshots(5)) {
    if (told.length === 0) await venue.writeSnapshot(snapshot(40));
    told.push("bytes" in stored ? stored.seq : stored);
  }
  assert.deepEqual(told, [30, 20]);
});

async function snapshotsOf(store: EventStore, limit: number): Promise<StoredSnapshot[]> {
  const snapshots: StoredSnapshot[] = [];
  for await (const snapshot of store.readSnapshots(limit)) {
    if ("bytes" in snapshot) snapshots.push(snapshot);
  }
  return snapshots;
}

test("an error thrown by the reader's callback is passed on, and the store keeps working", async () => {
  const store = await openWriter();
  await store.appendBatch(bareBatch(1, 1000));
  await assert.rejects(
    store.readEvents(0, null, () => {
      throw new TypeError("fold failed");
    }),
    /fold failed/,
  );
  assert.equal((await bodiesOf(store, 0, null)).length, 1000);
});
