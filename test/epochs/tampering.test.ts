// Proves that `replay --verify` locates what somebody with the database's own rights changed in the journal or the
// epochs. Each change is made on a sealed journal, verified, and undone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fillJournal } from "../../bench/venue/journal-filler.ts";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../src/adapters/postgres/epoch-writer.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { hashEntries, sealEpochs } from "../../src/services/epochs/epoch-sealing.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { nonceKeyCheck, nonceKeyOf } from "../../src/services/epochs/nonce-key.ts";
import { openAfter } from "../../src/services/epochs/open-epoch.ts";
import { verifyEpochs } from "../../src/venue/verification/epoch-verification.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { quietLog } from "../support/quiet-log.ts";

const nonceKey = nonceKeyOf("22".repeat(32));

let database: TestDatabase;
let sql: Sql;
let lastSeq = 0;

/** Seals epochs 100, 101 and 103 with entries and 102 without any, and leaves the last rows unsealed. */
before(async () => {
  database = await createTestDatabase();
  const connection = database.options;
  const fill = { connection, restingOrders: 200, accounts: 20, say: () => undefined };
  lastSeq = await fillJournal({ ...fill, events: 2_500, endsInOrder: true });
  sql = openPostgres(connection, "queries");
  const journal = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
  const epochs = new PostgresEpochWriter(connection);
  const leaves = new LeafHasher(testMarkets, nonceKey);
  const terms = await epochs.agree({
    venue: "test",
    epochMs: 60_000,
    firstEpoch: 100,
    nonceKeyCheck: nonceKeyCheck(nonceKey),
  });
  let open = openAfter(null, terms.firstEpoch);
  for (const [until, lastEpoch] of [
    [1_000, 100],
    [1_600, 102],
    [lastSeq - 40, 103],
  ] as const) {
    const hashed = await hashEntries({ journal, epochs }, leaves, open, until - 10);
    const closing = { terms, open: hashed.open, fillHashes: [hashed.fillHashes], lastEpoch };
    const sealed = await sealEpochs({ journal, epochs }, leaves, { ...closing, lastSeq: until });
    open = sealed.open;
  }
  await Promise.all([journal.close(), epochs.close()]);
});

after(async () => {
  await sql.end();
  await database.drop();
});

async function differences(): Promise<readonly string[]> {
  const verified = await verifyEpochs({
    connection: database.options,
    table: testMarkets,
    nonceKey,
    untilSeq: lastSeq,
    isAtRest: true,
    onProgress: () => undefined,
  });
  return verified.differences;
}

const tables = ["journal", "epochs", "epoch_tiles", "fills", "epoch_anchors"] as const;

/**
 * Runs statements with triggers disabled, as a superuser can, verifies, and restores every row. Returns the
 * differences found.
 */
async function tampered(...statements: readonly string[]): Promise<readonly string[]> {
  const past = "set session_replication_role = replica";
  const one = openPostgres(database.options, "migrations");
  try {
    await one.unsafe(past);
    for (const table of tables) await one.unsafe(`create table kept_${table} as table ${table}`);
    for (const statement of statements) await one.unsafe(statement);
    return await differences();
  } finally {
    for (const table of tables) {
      await one.unsafe(`delete from ${table}`);
      await one.unsafe(`insert into ${table} select * from kept_${table}`);
      await one.unsafe(`drop table kept_${table}`);
    }
    await one.end();
  }
}

async function seqOf(kind: number, from: number): Promise<number> {
  const [row] = await sql<{ seq: string }[]>`
    select min(seq)::text as seq from journal where kind = ${kind} and seq >= ${from}`;
  return Number(row?.seq);
}

const flip = (byte: string | number, seq: number) =>
  `update journal set body = set_byte(body, ${byte}, get_byte(body, ${byte}) # 1) where seq = ${seq}`;

test("CHN-11 an unchanged database has no differences", async () => {
  assert.deepEqual(await differences(), []);
});

test("CHN-11 one changed byte of the journal is located, whichever byte it is", async () => {
  const seq = await seqOf(EventKind.orderAccepted, 1_100);
  const [row] = await sql<{ bytes: number }[]>`
    select length(body) as bytes from journal where seq = ${seq}`;
  for (let byte = 0; byte < (row?.bytes ?? 0); byte += 5) {
    const found = await tampered(flip(byte, seq));
    assert.match(found[0] ?? "nothing", new RegExp(`^journal row ${seq}: `), `byte ${byte}`);
    assert(found.length <= 3, found.join("\n"));
  }
});

test("CHN-11 a changed trade is located, in the journal and in the table of fills", async () => {
  const seq = await seqOf(EventKind.traded, 1_100);
  // Change a byte of the trade's price: the entry stays well-formed, but is not the sealed one.
  const [changed = "", ...more] = await tampered(flip(88, seq));
  assert.match(changed, /^row of trade \d+ in fills differs from the journal$/);
  assert(
    more.some((message) =>
      message.startsWith(`journal row ${seq}: it differs from what epoch 101`),
    ),
  );
  const fill = "(select min(trade_id) + 3 from fills)";
  const [row] = await sql<{ id: string }[]>`select (min(trade_id) + 3)::text as id from fills`;
  const columns = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_name = 'fills' and column_name <> 'trade_id'`;
  assert(columns.length >= 14);
  for (const { name } of columns) {
    const change = `update fills set ${name} = (${name} + 1) % greatest(${name}, 2)`;
    assert.deepEqual(
      await tampered(`${change} where trade_id = ${fill}`),
      [`row of trade ${row?.id} in fills differs from the journal`],
      name,
    );
  }
  assert.deepEqual(await tampered(`delete from fills where trade_id = ${fill}`), [
    `row of trade ${row?.id} in fills is missing`,
  ]);
});

test("CHN-11 a removed row is located, whether it was sealed or not", async () => {
  const sealed = await tampered("delete from journal where seq = 700");
  assert.equal(sealed[0], "journal row 700 is missing");
  assert.match(
    sealed.at(-1) ?? "",
    /^epoch 100: the Merkle root of its rows is [0-9a-f]{64}, expected [0-9a-f]{64}$/,
  );
  const rest = await tampered(`delete from journal where seq = ${lastSeq - 5}`);
  assert.deepEqual(rest, [`journal row ${lastSeq - 5} is missing`]);
  const newest = await tampered(`delete from journal where seq = ${lastSeq}`);
  assert.deepEqual(newest, [`journal row ${lastSeq} is missing`]);
});

test("CHN-11 a change of a column other than the entry's bytes is located", async () => {
  for (const column of ["ts_us", "account", "kind"]) {
    const found = await tampered(`update journal set ${column} = ${column} + 1 where seq = 1200`);
    assert.equal(found.length, 1);
    assert.match(found[0] ?? "", new RegExp(`^journal row 1200: its column ${column}`));
  }
});

test("CHN-11 two swapped rows are located, even if their numbers are adapted", async () => {
  const moves = [
    [750, 0],
    [751, 750],
    [0, 751],
  ];
  const swap = moves.map(([from, to]) => `update journal set seq = ${to} where seq = ${from}`);
  const found = await tampered(...swap);
  assert.equal(found[0], "journal row 750: it holds the entry of seq 751");
  assert.equal(found[1], "journal row 751: it holds the entry of seq 750");
  // The first eight bytes hold the seq, lowest byte first. Flipping a bit turns 750 (0x2ee) into 751 (0x2ef) and
  // back.
  const fitted = await tampered(...swap, flip(0, 750), flip(0, 751));
  for (const seq of [750, 751]) {
    assert(
      fitted.some((message) => message.startsWith(`journal row ${seq}: `)),
      fitted.join("\n"),
    );
  }
});

test("CHN-11 every changed field of a header is located", async () => {
  const numbers = ["start_ms", "end_ms", "first_seq", "last_seq", "journal_count", "fill_count"];
  for (const field of numbers) {
    const [first = ""] = await tampered(
      `update epochs set ${field} = ${field} + 1 where epoch = 101`,
    );
    assert.match(first, /^epoch 101: /, field);
  }
  for (const field of ["merkle_root", "prev_root", "root"]) {
    const [first = ""] = await tampered(
      `update epochs set ${field} = set_byte(${field}, 3, get_byte(${field}, 3) # 1) where epoch = 101`,
    );
    assert.match(first, /^epoch 101: /, field);
  }
});

test("CHN-11 a deleted epoch is located, whether it is the first, an empty, a full or the newest one", async () => {
  for (const epoch of [100, 101, 102]) {
    const [first] = await tampered(`delete from epochs where epoch = ${epoch}`);
    assert.equal(first, `epoch ${epoch} is missing`);
  }
  const newest = await tampered("delete from epochs where epoch = 103");
  assert.deepEqual(newest, ["epoch 103 is missing but its tiles exist"]);
});

test("CHN-11 a chain that was computed again does not match what the ledger confirmed", async () => {
  const confirm = (epoch: number) => `insert into epoch_anchors
    select epoch, 'epc', 0, 1, 'devnet', root, '1220ab', 1 from epochs where epoch = ${epoch}`;
  const other =
    "update epochs set root = set_byte(root, 3, get_byte(root, 3) # 1) where epoch = 103";
  const found = await tampered(confirm(103), other);
  assert(
    found.some((message) =>
      /^epoch 103: the ledger confirmed the root [0-9a-f]+, but it has/.test(message),
    ),
    found.join("\n"),
  );
  const gone = await tampered(
    confirm(103),
    "delete from epochs where epoch = 103",
    "delete from epoch_tiles where epoch = 103",
  );
  assert(
    gone.some((message) => /^epoch 103: the ledger confirmed .* is missing here$/.test(message)),
    gone.join("\n"),
  );
});

test("CHN-11 a changed or missing tile is located, and the journal is not reported", async () => {
  const bend = "set hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1)";
  const where = "where epoch = 103 and level = 0 and tile = 1";
  assert.deepEqual(await tampered(`update epoch_tiles ${bend} ${where}`), [
    "tile 0/1 of epoch 103 is not what the journal gives",
  ]);
  assert.deepEqual(await tampered(`delete from epoch_tiles ${where}`), [
    "tile 0/1 of epoch 103 is missing",
  ]);
});

test("CHN-11 with another nonce key nothing is compared, and the result says so", async () => {
  const verified = await verifyEpochs({
    connection: database.options,
    table: testMarkets,
    nonceKey: nonceKeyOf("33".repeat(32)),
    untilSeq: lastSeq,
    isAtRest: true,
    onProgress: () => undefined,
  });
  assert.match(verified.differences[0] ?? "", /with another nonce key/);
});
