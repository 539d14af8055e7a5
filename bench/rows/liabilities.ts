// Rows about statements of liabilities: how long one of many accounts takes, and its effect on orders.

import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../src/adapters/postgres/epoch-writer.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { PostgresSolvency } from "../../src/adapters/postgres/queries/custody/solvency.ts";
import { PostgresLiabilities } from "../../src/adapters/postgres/queries/journal/liabilities.ts";
import { PostgresLiabilityWriter } from "../../src/adapters/postgres/queries/journal/liability-writer.ts";
import { startEmbeddedPostgres } from "../../src/adapters/postgres/server/embedded-postgres.ts";
import type { EpochTerms } from "../../src/ports/journal/epoch-store.ts";
import { sealEpochs } from "../../src/services/epochs/epoch-sealing.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { LiabilityStating } from "../../src/services/epochs/liability-stating.ts";
import { nonceKeyCheck, nonceKeyOf } from "../../src/services/epochs/nonce-key.ts";
import { openAfter } from "../../src/services/epochs/open-epoch.ts";
import { newestSnapshot } from "../../src/services/journal/replay.ts";
import { coverOf } from "../../src/services/settlement/custody/solvency-report.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { quietLog } from "../../test/support/quiet-log.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillJournal } from "../venue/journal-filler.ts";

/** With four assets, as many amounts as 100,000 accounts have of five. */
const accounts = 125_000;
const statements = 5;
const nonceKey = nonceKeyOf("77".repeat(32));

/** Makes statements of a venue with many accounts, each with money of every asset, from its tables. */
async function stating(bench: Bench): Promise<Reading> {
  const dataDir = await bench.stage.folder();
  const server = await startEmbeddedPostgres({ dataDir, holderFile: null, log: () => undefined });
  const { connection } = server;
  const sql = openPostgres(connection, "queries");
  const journal = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
  const epochs = new PostgresEpochWriter(connection);
  const store = new PostgresLiabilityWriter(connection);
  try {
    const loader = openPostgres(connection, "migrations");
    await migrate(loader);
    await loader.end();
    const filling = { events: 500_000, restingOrders: 1_000, endsInOrder: true };
    const lastSeq = await fillJournal({ connection, accounts, ...filling, say: bench.say });
    const terms: EpochTerms = {
      ...{ venue: "bench", epochMs: 60_000, firstEpoch: 1 },
      nonceKeyCheck: nonceKeyCheck(nonceKey),
    };
    await epochs.agree(terms);
    await sealEpochs({ journal, epochs }, new LeafHasher(testMarkets, nonceKey), {
      ...{ terms, open: openAfter(null, 1), fillHashes: [], lastSeq, lastEpoch: statements },
    });
    const maker = new LiabilityStating({
      ...{ table: testMarkets, venue: "bench", nonceKey, journal, statements: store, pause },
      newestState: async () => (await newestSnapshot(journal, testMarkets)).state,
      stated: new PostgresLiabilities(sql),
      solvency: new PostgresSolvency(sql),
      coverOf,
      monotonicMs: () => performance.now(),
    });
    const [trees, whole]: [number[], number[]] = [[], []];
    let stated = 0;
    for (let epoch = 1; epoch <= statements; epoch++) {
      const startedMs = performance.now();
      const made = await maker.state({ epoch, readsLedger: false, nowMs: epoch * 60_000 });
      if (made === null) throw new Error(`epoch ${epoch} was not stated`);
      stated = made.accounts;
      trees.push(made.tookMs.trees / 1000);
      whole.push((performance.now() - startedMs) / 1000);
      bench.say(`statement ${epoch}: ${shortNumber(whole.at(-1) ?? 0)} s`);
    }
    const { score, passed } = atMost(median(trees), 1.5);
    return {
      measured: `${shortNumber(score)} s; stored after ${shortNumber(median(whole))} s`,
      baseline: "",
      score,
      passed,
      figures: { "s of trees": score, "s with storing": median(whole), accounts: stated },
      notes: [
        `${testMarkets.assets.length} assets; medians of ${statements} statements, the first of which also folds`,
      ],
    };
  } finally {
    await Promise.all([journal.close(), epochs.close(), store.close(), sql.end()]);
    await server.stop("fast");
  }
}

const calm = { connections: 32, rate: 1_000, warmUpMs: 3_000, durationMs: 8_000 };

/** Measures the same load on two venues in turn: one states its liabilities every second, the other never. */
async function disturbance(bench: Bench): Promise<Reading> {
  const venues = await Promise.all(
    ["0", "1"].map(async (each) => {
      const dataDir = await bench.stage.folder();
      const settings = { EPOCH_SECONDS: "1", LIABILITIES_EPOCHS: each };
      const venue = await bench.stage.startVenue(dataDir, settings);
      return { venue, keys: await createLoadKeys(dataDir, 256) };
    }),
  );
  const p50: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    for (const [index, { venue, keys }] of venues.entries()) {
      const { latency } = await bench.stage.orders(venue.endpoint, keys, calm);
      p50[index]?.push(latency.p50Ms);
    }
  }
  const [without, stated] = [median(p50[0]), median(p50[1])];
  const { score, passed } = atMost(stated / without, 1.15);
  return {
    measured: `p50 ${shortNumber(stated)} ms`,
    baseline: `${shortNumber(without)} ms without statements`,
    score,
    passed,
    figures: { "p50 ms stating": stated, "p50 ms": without, "orders/s": calm.rate },
    notes: ["open loop on two venues in turn, medians of three runs each; an epoch each second"],
  };
}

export const liabilityRows: readonly BenchRow[] = [
  {
    id: "E4",
    measure: "a statement of liabilities of 500,000 amounts: 100,000 accounts × 5 assets",
    goal: "trees ≤ 1.5 s on one thread",
    run: stating,
  },
  {
    id: "E5",
    measure: "order to ack while liabilities are stated",
    goal: "p50 ≤ 1.15× of a venue that states none",
    run: disturbance,
  },
];
