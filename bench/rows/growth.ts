// P18: whether an order costs more when the venue is old: throughput at 256 connections on an empty
// venue against the same venue with ten million journal rows, a million resting orders and a hundred
// thousand accounts. Slow: filling takes several minutes. Asked for by its id only.

import { startEmbeddedPostgres } from "../../src/adapters/postgres/embedded-postgres.ts";
import { createLoadKeys } from "../../src/venue/load/load-accounts.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillJournal } from "../venue/journal-filler.ts";

const keyCount = 2048;
const target = { events: 10_000_000, restingOrders: 1_000_000, accounts: 100_000 };
const shape = { connections: 256, warmUpMs: 4000, durationMs: 8000 };

async function costWhenOld(bench: Bench): Promise<Reading> {
  const { stage, say } = bench;
  const dataDir = await stage.folder();
  const young = await stage.startVenue(dataDir);
  const keys = await createLoadKeys(dataDir, keyCount);
  const empty = await stage.orders(young.endpoint, keys, shape);
  await young.stop();
  say("filling the journal");
  const server = await startEmbeddedPostgres({ dataDir, log: say });
  const seq = await fillJournal({
    connection: server.connection,
    ...target,
    endsInOrder: true,
    say,
  });
  await server.stop("fast");
  const old = await stage.startVenue(dataDir);
  const full = await stage.orders(old.endpoint, keys, shape);
  await old.stop();
  const { score, passed } = atMost(empty.perSecond / full.perSecond, 2);
  return {
    measured: `${shortNumber(full.perSecond)} orders/s at ${shortNumber(seq)} rows`,
    baseline: `${shortNumber(empty.perSecond)} orders/s when empty`,
    score,
    passed,
    figures: {
      "orders/s empty": Math.round(empty.perSecond),
      "orders/s full": Math.round(full.perSecond),
      "p50 ms empty": empty.latency.p50Ms,
      "p50 ms full": full.latency.p50Ms,
      "journal rows": seq,
      "restart s": old.startMs / 1000,
    },
    notes: [`the old venue started from its snapshot in ${shortNumber(old.startMs / 1000)} s`],
  };
}

export const growthRows: readonly BenchRow[] = [
  {
    id: "P18",
    measure: "cost per order at 10 M journal rows, 1 M resting orders, 100 k accounts",
    goal: "≤ 2×",
    isSlow: true,
    run: costWhenOld,
  },
];
