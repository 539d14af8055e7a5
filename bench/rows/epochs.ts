// Rows about epochs: sealing time after the last leaf, the rate at which a journal is verified, the cost of a proof in
// a long journal, and the effect of sealing on orders.

import { setImmediate as nextTurn } from "node:timers/promises";
import {
  openPostgres,
  type PostgresConnectionOptions,
} from "../../src/adapters/postgres/connection.ts";
import { PostgresEpochWriter } from "../../src/adapters/postgres/epoch-writer.ts";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { migrate } from "../../src/adapters/postgres/migrate.ts";
import { PostgresEpochs } from "../../src/adapters/postgres/queries/journal/epochs.ts";
import { startEmbeddedPostgres } from "../../src/adapters/postgres/server/embedded-postgres.ts";
import type { EpochTerms } from "../../src/ports/journal/epoch-store.ts";
import { hashEntries, sealEpochs } from "../../src/services/epochs/epoch-sealing.ts";
import { LeafHasher } from "../../src/services/epochs/leaf-hasher.ts";
import { nonceKeyCheck, nonceKeyOf } from "../../src/services/epochs/nonce-key.ts";
import { type OpenEpoch, openAfter } from "../../src/services/epochs/open-epoch.ts";
import { ProofMaker } from "../../src/services/epochs/proof-maker.ts";
import { Latencies } from "../../src/tools/load/latencies.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { verifyEpochs } from "../../src/venue/verification/epoch-verification.ts";
import { verifyReplay } from "../../src/venue/verification/verification.ts";
import { testMarkets } from "../../test/support/machine/test-markets.ts";
import { quietLog } from "../../test/support/quiet-log.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillJournal } from "../venue/journal-filler.ts";

const nonceKey = nonceKeyOf("77".repeat(32));
const leaves = new LeafHasher(testMarkets, nonceKey);
const terms: EpochTerms = {
  venue: "bench",
  epochMs: 60_000,
  firstEpoch: 1,
  nonceKeyCheck: nonceKeyCheck(nonceKey),
};
/** Entries that one sealing step reads, as in the venue. */
const entriesPerStep = 100_000;
const million = 1_000_000;

interface SealedJournal {
  readonly connection: PostgresConnectionOptions;
  readonly lastSeq: number;
  /** Longest time in milliseconds from the last leaf of an epoch until the epoch's row is stored. */
  readonly sealMs: number;
  readonly hashMs: number;
  readonly lastTrade: number;
}

/** Runs `work` on a journal of `events` events on a separate server, sealed in epochs of a million entries. */
async function withSealed<T>(
  bench: Bench,
  events: number,
  work: (sealed: SealedJournal) => Promise<T>,
): Promise<T> {
  const dataDir = await bench.stage.folder();
  const server = await startEmbeddedPostgres({ dataDir, holderFile: null, log: () => undefined });
  const { connection } = server;
  try {
    const loader = openPostgres(connection, "migrations");
    await migrate(loader);
    bench.say(`filling ${shortNumber(events)} events`);
    const filling = { restingOrders: 100_000, accounts: 4_000, endsInOrder: true, say: bench.say };
    const lastSeq = await fillJournal({ connection, events, ...filling });
    bench.say("sealing");
    const sealed = await sealAll(connection, lastSeq);
    await loader.unsafe("analyze");
    await loader.end();
    return await work({ connection, lastSeq, ...sealed });
  } finally {
    await server.stop("fast");
  }
}

async function sealAll(connection: PostgresConnectionOptions, lastSeq: number) {
  const journal = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
  const epochs = new PostgresEpochWriter(connection);
  const stores = { journal, epochs };
  await epochs.agree(terms);
  let open: OpenEpoch = openAfter(null, terms.firstEpoch);
  let [sealMs, hashMs] = [0, 0];
  while (open.firstSeq <= lastSeq) {
    const until = Math.min(open.firstSeq + million - 1, lastSeq);
    const fillHashes: Uint8Array[] = [];
    const startedMs = performance.now();
    while (open.nextSeq <= until) {
      const to = Math.min(open.nextSeq + entriesPerStep - 1, until);
      const step = await hashEntries(stores, leaves, open, to);
      open = step.open;
      fillHashes.push(step.fillHashes);
    }
    const hashedMs = performance.now();
    const closing = { terms, open, fillHashes, lastSeq: until, lastEpoch: open.epoch };
    open = (await sealEpochs(stores, leaves, closing)).open;
    sealMs = Math.max(sealMs, performance.now() - hashedMs);
    hashMs += hashedMs - startedMs;
  }
  await Promise.all([journal.close(), epochs.close()]);
  return { sealMs, hashMs, lastTrade: open.firstTrade - 1 };
}

async function sealing(bench: Bench): Promise<Reading> {
  return withSealed(bench, million, async ({ connection, lastSeq, sealMs, hashMs, lastTrade }) => {
    const store = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
    const replay = await verifyReplay(store, testMarkets, {
      untilSeq: lastSeq,
      projections: null,
      onProgress: () => undefined,
    });
    await store.close();
    const epochs = await verifyEpochs({
      connection,
      table: testMarkets,
      nonceKey,
      untilSeq: lastSeq,
      isAtRest: true,
      onProgress: () => undefined,
    });
    const differences = [...replay.differences, ...epochs.differences];
    if (differences.length > 0) throw new Error(differences[0]);
    const perSecond = (ms: number) => Math.round((lastSeq / ms) * 1000);
    const hashed = perSecond(epochs.tookMs);
    const isFast = replay.eventsPerSecond >= 300_000 && hashed >= 100_000;
    return {
      measured: `${shortNumber(sealMs / 1000)} s; fold ${shortNumber(replay.eventsPerSecond)}/s, leaves and roots ${shortNumber(hashed)}/s`,
      baseline: "",
      score: sealMs / 1000,
      passed: sealMs <= 3_000 && isFast,
      figures: {
        "s of sealing after the last leaf": sealMs / 1000,
        "entries hashed/s": perSecond(hashMs),
        "entries folded/s": replay.eventsPerSecond,
        "entries verified/s": hashed,
        entries: lastSeq,
        fills: lastTrade,
      },
      notes: ["a million entries in one epoch; verified against every row, leaf, tile and header"],
    };
  });
}

const proofsRequested = 1_000;

async function proving(bench: Bench): Promise<Reading> {
  return withSealed(bench, 10 * million, async ({ connection, lastSeq, lastTrade }) => {
    const sql = openPostgres(connection, "queries");
    const [orders] = await sql<{ last: string }[]>`select max(order_id) as last from orders`;
    const maker = new ProofMaker(new PostgresEpochs(sql), leaves, () => nextTurn());
    const random = new SeededRandom(7);
    const kinds = {
      seq: () => maker.bySeq(1 + random.below(lastSeq), null),
      trade: () => maker.byRef(`t-${1 + random.below(lastTrade)}`, null),
      order: () => maker.byRef(`o-${1 + random.below(Number(orders?.last))}`, null),
    };
    const figures: Record<string, number> = { entries: lastSeq };
    let worst = 0;
    for (const [kind, send] of Object.entries(kinds)) {
      const latencies = new Latencies();
      for (let requested = 0; requested < proofsRequested; requested++) {
        const startedMs = performance.now();
        const proofs = await send();
        if (proofs.length === 0) throw new Error(`a proof by ${kind} is missing`);
        latencies.record(performance.now() - startedMs);
      }
      const { p50Ms, p99Ms } = latencies.summary();
      figures[`p50 ms by ${kind}`] = p50Ms;
      figures[`p99 ms by ${kind}`] = p99Ms;
      worst = Math.max(worst, p99Ms);
    }
    await sql.end();
    const { score, passed } = atMost(worst, 10);
    return {
      measured: `p99 ${shortNumber(score)} ms`,
      baseline: "",
      score,
      passed,
      figures,
      notes: [
        `${proofsRequested} proofs of each kind for random entries, without HTTP; the figure is that of the slowest kind`,
      ],
    };
  });
}

const calm = { connections: 32, rate: 1_000, warmUpMs: 3_000, durationMs: 8_000 };

/** Measures the same load on two venues in turn: one seals every second, the other never. */
async function disturbance(bench: Bench): Promise<Reading> {
  const venues = await Promise.all(
    ["86400", "1"].map(async (seconds) => {
      const dataDir = await bench.stage.folder();
      const venue = await bench.stage.startVenue(dataDir, { EPOCH_SECONDS: seconds });
      return { venue, keys: await createLoadKeys(dataDir, 256) };
    }),
  );
  const p50: [number[], number[]] = [[], []];
  const p99: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    for (const [index, { venue, keys }] of venues.entries()) {
      const { latency } = await bench.stage.orders(venue.endpoint, keys, calm);
      p50[index]?.push(latency.p50Ms);
      p99[index]?.push(latency.p99Ms);
    }
  }
  const [without, sealed] = [median(p50[0]), median(p50[1])];
  const { score, passed } = atMost(sealed / without, 1.15);
  return {
    measured: `p50 ${shortNumber(sealed)} ms`,
    baseline: `${shortNumber(without)} ms without sealing`,
    score,
    passed,
    figures: {
      "p50 ms sealing": sealed,
      "p50 ms": without,
      "p99 ms sealing": median(p99[1]),
      "p99 ms": median(p99[0]),
      "orders/s": calm.rate,
    },
    notes: ["open loop on two venues in turn, medians of three runs each; an epoch each second"],
  };
}

export const epochRows: readonly BenchRow[] = [
  {
    id: "E1",
    measure: "an epoch of 1 M entries: sealing, replay, verification",
    goal: "sealed ≤ 3 s after its last leaf; replay ≥ 300 k/s, verification ≥ 100 k/s",
    run: sealing,
  },
  {
    id: "E2",
    measure: "order to ack while epochs are sealed",
    goal: "p50 ≤ 1.15× of a venue that seals no epochs",
    run: disturbance,
  },
  {
    id: "E3",
    measure: "a proof by seq or reference at 10 M journal entries",
    goal: "p99 ≤ 10 ms",
    isSlow: true,
    run: proving,
  },
];
