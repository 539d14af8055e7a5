// Proves that sealing gives the same epochs however the journal's entries are split into steps, and wherever a step
// is interrupted. The journal is in PostgreSQL.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fillJournal } from "../../bench/venue/journal-filler.ts";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../src/adapters/postgres/epoch-writer.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import type { EpochRecord, EpochTerms } from "../../src/ports/journal/epoch-store.ts";
import { hashEntries, sealEpochs } from "../../src/services/epochs/epoch-sealing.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { nonceKeyCheck, nonceKeyOf } from "../../src/services/epochs/nonce-key.ts";
import { EntryHasher, type OpenEpoch, openAfter } from "../../src/services/epochs/open-epoch.ts";
import { foldChunk } from "../../src/wire/records/event-bytes.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { quietLog } from "../support/quiet-log.ts";

const nonceKey = nonceKeyOf("11".repeat(32));
const leaves = new LeafHasher(testMarkets, nonceKey);
const terms: EpochTerms = {
  venue: "test",
  epochMs: 60_000,
  // Epoch numbers pass from 99 to 100 in this test, so that sorting them as text would find the wrong newest epoch.
  firstEpoch: 98,
  nonceKeyCheck: nonceKeyCheck(nonceKey),
};

let database: TestDatabase;
let journal: PostgresEventStore;
let epochs: PostgresEpochWriter;
let sql: Sql;
let lastSeq = 0;
let expected: EpochRecord;

before(async () => {
  database = await createTestDatabase();
  const connection = database.options;
  lastSeq = await fillJournal({
    connection,
    events: 3_000,
    restingOrders: 300,
    accounts: 20,
    endsInOrder: false,
    say: () => undefined,
  });
  journal = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
  epochs = new PostgresEpochWriter(connection);
  sql = openPostgres(connection, "queries");
  const whole = new EntryHasher(leaves, openAfter(null, terms.firstEpoch));
  await journal.readEvents(0, lastSeq, (chunk) => foldChunk(chunk, (event) => whole.add(event)));
  expected = whole.seal(terms, []);
  assert(expected.fillCount > 100 && expected.journalCount === lastSeq);
});

after(async () => {
  await Promise.all([journal.close(), epochs.close(), sql.end()]);
  await database.drop();
});

/** Hashes entries in several steps: up to each seq of `cuts` in turn. */
async function hashedBy(cuts: readonly number[]): Promise<[OpenEpoch, Uint8Array[]]> {
  let open = openAfter(await epochs.newest(), terms.firstEpoch);
  const fillHashes: Uint8Array[] = [];
  for (const cut of cuts) {
    const step = await hashEntries({ journal, epochs }, leaves, open, cut);
    open = structuredClone(step.open);
    fillHashes.push(step.fillHashes);
  }
  return [open, fillHashes];
}

async function counts() {
  const [row] = await sql<{ epochs: string; tiles: string }[]>`
    select (select count(*) from epochs) as epochs, (select count(*) from epoch_tiles) as tiles`;
  return [Number(row?.epochs), Number(row?.tiles)];
}

test("EPO-9 hashing in any pieces, also after an interruption, gives the same tiles and root", async () => {
  assert.deepEqual(await epochs.agree(terms), terms);
  await hashedBy([1, 700, 701, 1_800]);
  const [, kept] = await counts();
  assert.equal(kept, Math.floor(1_800 / 256));
  // This step fails as a whole, because it inserts the same epoch number twice.
  const wrong = epochs.seal([expected, expected], []);
  await assert.rejects(wrong, /duplicate key/);
  assert.deepEqual(await counts(), [0, kept]);
  const [open, fillHashes] = await hashedBy([900, 2_500]);
  const closing = { terms, open, fillHashes, lastSeq, lastEpoch: 101 };
  const sealed = await sealEpochs({ journal, epochs }, leaves, closing);
  assert.equal(sealed.root, expected.root);
  assert.deepEqual([sealed.epochs, sealed.entries, sealed.open.epoch], [4, lastSeq, 102]);
  const tilesOf = (leafCount: number) => Math.ceil(leafCount / 256);
  const all = tilesOf(expected.journalCount + expected.fillCount);
  assert.deepEqual(await counts(), [4, all + 1]);
});

test("EPO-6 EPO-11 epochs without entries are empty, are chained, and contain the seq of the next entry", async () => {
  const newest = await epochs.newest();
  assert.deepEqual(
    [newest?.epoch, newest?.firstSeq, newest?.lastSeq, newest?.journalCount, newest?.fillCount],
    [101, lastSeq + 1, lastSeq, 0, 0],
  );
  assert.equal(newest?.firstTrade, expected.firstTrade + expected.fillCount);
  assert.deepEqual(await epochs.agree({ ...terms, venue: "another" }), terms);
});

test("EPO-6 EPO-11 an epoch that does not follow the newest is refused", async () => {
  const late = { ...expected, epoch: 103 };
  await assert.rejects(epochs.seal([late], []), /does not follow 101/);
});
