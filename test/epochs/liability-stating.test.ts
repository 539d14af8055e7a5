// Statements are made from what is stored: a later one folds only what came since, an epoch is stated once, and a ledger
// that does not answer delays none of them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fillJournal } from "../../bench/venue/journal-filler.ts";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../src/adapters/postgres/epoch-writer.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { PostgresLiabilities } from "../../src/adapters/postgres/queries/journal/liabilities.ts";
import { PostgresLiabilityWriter } from "../../src/adapters/postgres/queries/journal/liability-writer.ts";
import type { EpochTerms } from "../../src/ports/journal/epoch-store.ts";
import type { SolvencyReader } from "../../src/ports/ledger/solvency.ts";
import { sealEpochs } from "../../src/services/epochs/epoch-sealing.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { LiabilityStating } from "../../src/services/epochs/liability-stating.ts";
import { nonceKeyCheck, nonceKeyOf } from "../../src/services/epochs/nonce-key.ts";
import { openAfter } from "../../src/services/epochs/open-epoch.ts";
import { newestSnapshot } from "../../src/services/journal/replay.ts";
import { coverOf } from "../../src/services/settlement/custody/solvency-report.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { quietLog } from "../support/quiet-log.ts";

const nonceKey = nonceKeyOf("22".repeat(32));
const terms: EpochTerms = {
  ...{ venue: "test", epochMs: 60_000, firstEpoch: 7 },
  nonceKeyCheck: nonceKeyCheck(nonceKey),
};
const nowMs = 1_800_000_000_000;
/** A ledger that never answers. */
const silent: SolvencyReader = { read: () => new Promise(() => undefined) };
/** A ledger whose parts are never read up to one offset. */
const uneven: SolvencyReader = { read: async () => "uneven" };

let database: TestDatabase;
let journal: PostgresEventStore;
let epochs: PostgresEpochWriter;
let statements: PostgresLiabilityWriter;
let sql: Sql;
let lastSeq = 0;

before(async () => {
  database = await createTestDatabase();
  const connection = database.options;
  const filling = { events: 2_000, restingOrders: 100, accounts: 40, endsInOrder: false };
  lastSeq = await fillJournal({ connection, ...filling, say: () => undefined });
  journal = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
  epochs = new PostgresEpochWriter(connection);
  statements = new PostgresLiabilityWriter(connection);
  sql = openPostgres(connection, "queries");
  await epochs.agree(terms);
  const leaves = new LeafHasher(testMarkets, nonceKey);
  const first = { terms, open: openAfter(null, 7), fillHashes: [], lastSeq: 1_500, lastEpoch: 7 };
  const { open } = await sealEpochs({ journal, epochs }, leaves, first);
  await sealEpochs({ journal, epochs }, leaves, { ...first, open, lastSeq, lastEpoch: 8 });
});

after(async () => {
  await Promise.all([journal.close(), epochs.close(), statements.close(), sql.end()]);
  await database.drop();
});

function makerWith(solvency: SolvencyReader): LiabilityStating {
  return new LiabilityStating({
    ...{ table: testMarkets, venue: "test", nonceKey, journal, statements, solvency, pause },
    newestState: async () => (await newestSnapshot(journal, testMarkets)).state,
    stated: new PostgresLiabilities(sql),
    coverOf,
    monotonicMs: () => performance.now(),
  });
}

test("LIA-9 a ledger that does not answer, or is read unevenly, leaves the holdings unknown", async () => {
  for (const solvency of [silent, uneven]) {
    const stated = await makerWith(solvency).state({ epoch: 7, readsLedger: true, nowMs });
    assert.equal(stated?.isKnown, false);
    assert.deepEqual(stated?.deficits, []);
  }
});

test("LIA-10 one maker states epoch after epoch, each once, and none that is not sealed", async () => {
  const maker = makerWith(silent);
  const first = await maker.state({ epoch: 7, readsLedger: false, nowMs });
  assert.equal(first?.statedSeq, 1_500);
  await sql`update liability_statements set entry_seq = ${lastSeq + 1} where epoch = 7`;
  assert.equal(await maker.state({ epoch: 7, readsLedger: false, nowMs }), null);
  assert.equal(await maker.state({ epoch: 9, readsLedger: false, nowMs }), null);
  const second = await maker.state({ epoch: 8, readsLedger: false, nowMs });
  assert.equal(second?.statedSeq, lastSeq);
  // The same from the start: nothing depends on what was folded before.
  const again = await makerWith(silent).state({ epoch: 8, readsLedger: false, nowMs });
  assert.deepEqual(again?.digest, second?.digest);
});
