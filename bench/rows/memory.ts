// Row P16: memory per resting order over all threads of the venue. The row measures how much the process grows in RAM
// while 200,000 orders come to rest. Before the measurement, orders that expire at once fill the rings and heaps, so
// that the memory of rings and heaps does not count.

import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

const keyCount = 2048;
const restingOrders = 200_000;
const warmMs = 20_000;
const burstMs = 4_000;
const settings = { SNAPSHOT_EVENTS: "1000000000", SNAPSHOT_INTERVAL_MS: "86400000" };

async function perRestingOrder(bench: Bench): Promise<Reading> {
  const { stage } = bench;
  const venue = await stage.startVenue(await stage.folder(), settings);
  const keys = await createLoadKeys(venue.dataDir, keyCount);
  const shape = { connections: 256, warmUpMs: 0, crossingShare: 0 };
  bench.say("filling rings and heaps with orders that expire");
  await stage.orders(venue.endpoint, keys, { ...shape, durationMs: warmMs, timeInForce: "IOC" });
  await sleep(1000);
  const before = await venue.residentBytes();
  let placed = 0;
  while (placed < restingOrders) {
    const report = await stage.orders(venue.endpoint, keys, { ...shape, durationMs: burstMs });
    placed += report.counts?.orders ?? 0;
    bench.say(`${placed} of ${restingOrders} orders at rest`);
  }
  await sleep(1000);
  const after = await venue.residentBytes();
  const sql = openPostgres(await venue.database(), "queries");
  const [row] = await sql<{ open: string }[]>`select count(*) as open from orders where status = 0`;
  await sql.end();
  const resting = Number(row?.open);
  await venue.stop();
  const { score, passed } = atMost((after - before) / resting, 800);
  return {
    measured: `${shortNumber(score)} B`,
    baseline: "",
    score,
    passed,
    figures: {
      "resting orders": resting,
      "MB before": Math.round(before / 2 ** 20),
      "MB after": Math.round(after / 2 ** 20),
    },
    notes: [
      `${shortNumber(resting)} resting orders, ${shortNumber(before / 2 ** 20)} → ` +
        `${shortNumber(after / 2 ** 20)} MB; garbage not yet collected counts too`,
    ],
  };
}

export const memoryRows: readonly BenchRow[] = [
  {
    id: "P16",
    measure: "memory per resting order, all threads",
    goal: "≤ 800 B",
    run: perRestingOrder,
  },
];
