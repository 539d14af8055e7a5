// Row C1: processor time per order, by thread and process, while 256 connections send orders in a closed loop.
// Throughput on shared cores depends on other processes; processor time per order does not.

import { setTimeout as sleep } from "node:timers/promises";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { meteredLoad } from "../venue/metered-load.ts";
import { costBetween, readMeter } from "../venue/processor-time.ts";
import { cpuMsOf } from "../venue/venue-process.ts";

const connections = 256;
const warmUpMs = 10_000;
const windowMs = 15_000;
const goalUs = 60;

/** Returns the processor time per request of the echo, the bare server that only checks signatures, in microseconds. */
async function echoCost({ stage }: Bench): Promise<number> {
  const baseline = await stage.echoServer();
  const load = stage.echo({ connections, warmUpMs: 2_000, durationMs: 6_000 });
  await sleep(3_500);
  const [startMs, startCpuMs] = [performance.now(), await cpuMsOf(baseline.pid)];
  await sleep(3_000);
  const [endMs, endCpuMs] = [performance.now(), await cpuMsOf(baseline.pid)];
  const { perSecond } = await load;
  return ((endCpuMs - startCpuMs) * 1000) / (((endMs - startMs) / 1000) * perSecond);
}

async function orderCost(bench: Bench): Promise<Reading> {
  const { stage } = bench;
  const [venue, keys] = [await stage.venue(), await stage.keys()];
  const echoUs = await echoCost(bench);
  bench.say(`processor time of orders over ${windowMs / 1000} s`);
  const { load, before, after } = await meteredLoad(
    { warmUpMs, windowMs },
    (times) => stage.orders(venue.endpoint, keys, { connections, ...times }),
    () => readMeter(venue),
  );
  const cost = costBetween(before, after);
  const ofPostgres = [...cost].filter(([name]) => name.startsWith("postgres"));
  const postgresUs = ofPostgres.reduce((sum, [, us]) => sum + us, 0);
  const totalUs = [...cost.values()].reduce((sum, us) => sum + us, 0);
  const parts = [...cost].filter(([, us]) => us >= 0.05).sort((one, other) => other[1] - one[1]);
  return {
    measured: `${shortNumber(totalUs)} µs per order`,
    baseline: `${shortNumber(echoUs)} µs signed echo`,
    ...atMost(totalUs, goalUs),
    figures: {
      "us/order": totalUs,
      "venue us/order": totalUs - postgresUs,
      "postgres us/order": postgresUs,
      ...Object.fromEntries([...cost].map(([name, us]) => [`${name} us/order`, us])),
      "echo us/request": echoUs,
      "projection lag at start ms": before.lagMs,
      "projection lag at end ms": after.lagMs,
      "generator us/order": load.generatorUsPerAnswer,
      "orders/s": Math.round((after.answers - before.answers) / (windowMs / 1000)),
    },
    notes: [
      parts.map(([name, us]) => `${name} ${shortNumber(us)}`).join(", "),
      `${shortNumber(load.perSecond)} orders/s; the load generator, which is not included, takes ${shortNumber(load.generatorUsPerAnswer)} µs per order`,
      `coalesced rows lagged by ${Math.round(before.lagMs)} ms at the start of the window and ${Math.round(after.lagMs)} ms at its end`,
    ],
  };
}

export const processorTimeRows: readonly BenchRow[] = [
  {
    id: "C1",
    measure: "processor time of a durable order, 256 connections, spot LIMIT, 30 % crossing",
    goal: `≤ ${goalUs} µs`,
    run: orderCost,
  },
];
