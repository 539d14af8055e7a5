// Row P18: whether an order costs more on an old venue. The row compares the throughput of two venues at 256
// connections. The old venue has ten million journal rows, a million resting orders and a hundred thousand accounts;
// the other one is empty. The two are measured in turn, so that a busy machine slows both. Filling takes several
// minutes, so the row runs only if named.

import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import type { LoadReport } from "../load/load-process.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillVenue } from "../venue/filled-venue.ts";

const keyCount = 2048;
const target = { events: 10_000_000, restingOrders: 1_000_000, accounts: 100_000 };
const shape = { connections: 256, warmUpMs: 500, durationMs: 3000 };
const slices = 5;

async function costWhenOld(bench: Bench): Promise<Reading> {
  const { stage, say } = bench;
  const { dataDir, keys, seq } = await fillVenue(bench, keyCount, target);
  const old = await stage.startVenue(dataDir);
  const empty = await stage.startVenue(await stage.folder());
  const both = [
    { venue: empty, keys: await createLoadKeys(empty.dataDir, keyCount) },
    { venue: old, keys },
  ] as const;
  const load = (one: (typeof both)[number], warmUpMs = shape.warmUpMs) =>
    stage.orders(one.venue.endpoint, one.keys, { ...shape, warmUpMs });
  say("measuring the old and the empty venue in turn");
  for (const one of both) await load(one, 4000);
  const turns: { empty: LoadReport; full: LoadReport }[] = [];
  for (let slice = 0; slice < slices; slice++) {
    turns.push({ empty: await load(both[0]), full: await load(both[1]) });
  }
  const young = median(turns.map((turn) => turn.empty.perSecond));
  const full = median(turns.map((turn) => turn.full.perSecond));
  return {
    measured: `${shortNumber(full)} orders/s at ${shortNumber(seq)} rows`,
    baseline: `${shortNumber(young)} orders/s when empty`,
    ...atMost(median(turns.map((turn) => turn.empty.perSecond / turn.full.perSecond)), 2),
    figures: {
      "orders/s empty": Math.round(young),
      "orders/s full": Math.round(full),
      "p50 ms empty": median(turns.map((turn) => turn.empty.latency.p50Ms)),
      "p50 ms full": median(turns.map((turn) => turn.full.latency.p50Ms)),
      "journal rows": seq,
      "restart s": old.startMs / 1000,
    },
    notes: [
      `medians of ${slices} slices in turn`,
      `the old venue started from its snapshot in ${shortNumber(old.startMs / 1000)} s`,
    ],
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
