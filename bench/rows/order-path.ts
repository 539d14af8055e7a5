// Rows about the durable order path: throughput, latency of one client, tail latencies at half load, and the delay of
// the front's event loop. Every measured answer acknowledges a committed order.

import { ordersPerBatch } from "../load/batch-flow.ts";
import type { LoadReport } from "../load/load-process.ts";
import { median } from "../report/median.ts";
import { atLeast, atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

/** Number of times that P9 alternates between the venue and the bare server that commits one row per request. */
const clientSlices = 7;

const shared = "the load generator runs on the same cores, so the figures include its load";

/** Returns the throughput and the latency percentiles of a run, under names that end in `suffix`. */
function latencyFigures(
  suffix: string,
  { perSecond, latency }: LoadReport,
): Record<string, number> {
  return {
    [`orders/s, ${suffix}`]: Math.round(perSecond),
    [`p50 ms, ${suffix}`]: latency.p50Ms,
    [`p99 ms, ${suffix}`]: latency.p99Ms,
    [`p99.9 ms, ${suffix}`]: latency.p999Ms,
  };
}

/**
 * Returns a note if some orders were not placed. Throws if more than one order in a thousand was not placed: such a run
 * is invalid, because refusing an order is cheaper than placing one.
 */
export function refusalNotes(report: LoadReport): string[] {
  const { counts, lastRefusal } = report;
  if (counts === null) return [];
  const failed = counts.refused + counts.limited + counts.unavailable + counts.unknown;
  if (failed * 1000 > counts.orders) {
    throw new Error(`${failed} of ${counts.orders + failed} orders failed: ${lastRefusal}`);
  }
  return failed === 0 ? [] : [`${failed} orders were not placed, the last: ${lastRefusal}`];
}

async function throughput(bench: Bench): Promise<Reading> {
  const { load, echoPerSecond } = await bench.stage.headline();
  const { endpoint } = await bench.stage.venue();
  const keys = await bench.stage.keys();
  const shape = { warmUpMs: 1000, durationMs: 4000 };
  const of32 = await bench.stage.orders(endpoint, keys, { ...shape, connections: 32 });
  const of1 = await bench.stage.orders(endpoint, keys, { ...shape, connections: 1 });
  const { score, passed } = atLeast(load.perSecond / echoPerSecond, 0.12);
  return {
    measured: `${shortNumber(load.perSecond)} orders/s`,
    baseline: `${shortNumber(echoPerSecond)}/s signed echo`,
    score,
    passed,
    figures: {
      ...latencyFigures("256 connections", load),
      ...latencyFigures("32 connections", of32),
      ...latencyFigures("1 connection", of1),
      "generator us/order": load.generatorUsPerAnswer,
      "echo/s": Math.round(echoPerSecond),
    },
    notes: [
      `p50/p99/p99.9 ms: ${[load, of32, of1]
        .map(
          ({ latency: { p50Ms, p99Ms, p999Ms } }, index) =>
            `${[256, 32, 1][index]} connections ${[p50Ms, p99Ms, p999Ms].map(shortNumber).join("/")}`,
        )
        .join(", ")}`,
      shared,
      ...refusalNotes(load),
    ],
  };
}

async function batches(bench: Bench): Promise<Reading> {
  const { load: headline } = await bench.stage.headline();
  const { endpoint } = await bench.stage.venue();
  bench.say(`batches of ${ordersPerBatch}`);
  const shape = { connections: 64, warmUpMs: 4000, durationMs: 8000 };
  const load = await bench.stage.batches(endpoint, shape);
  const perSecond = load.perSecond * ordersPerBatch;
  const { score, passed } = atLeast(perSecond / headline.perSecond, 1.4);
  return {
    measured: `${shortNumber(perSecond)} orders/s`,
    baseline: `P7: ${shortNumber(headline.perSecond)} orders/s`,
    score,
    passed,
    figures: {
      "orders/s in batches": Math.round(perSecond),
      "batch p50 ms": load.latency.p50Ms,
      "batch p99 ms": load.latency.p99Ms,
    },
    notes: [
      `POST /fapi/v1/batchOrders with ${ordersPerBatch} limits each on two perpetual markets, 64 connections, 30 % crossing`,
      shared,
      ...refusalNotes(load),
    ],
  };
}

async function oneClient(bench: Bench): Promise<Reading> {
  const { endpoint } = await bench.stage.venue();
  const keys = await bench.stage.keys();
  const rows = await bench.stage.rowServer();
  // A single client would need minutes to send enough orders for the compiler to optimise the order path. Without this
  // warm-up, the row would depend on the rows run before it.
  const warm = { connections: 32, warmUpMs: 0, durationMs: 3000 };
  await bench.stage.orders(endpoint, keys, warm);
  await bench.stage.orders(rows.endpoint, keys, warm);
  const shape = { connections: 1, warmUpMs: 300, durationMs: 1200 };
  const slices: { orders: LoadReport; row: LoadReport }[] = [];
  for (let slice = 0; slice < clientSlices; slice++) {
    const row = await bench.stage.orders(rows.endpoint, keys, shape);
    slices.push({ row, orders: await bench.stage.orders(endpoint, keys, shape) });
  }
  const ordersMs = median(slices.map(({ orders }) => orders.latency.p50Ms));
  const rowMs = median(slices.map(({ row }) => row.latency.p50Ms));
  const ratio = median(slices.map(({ orders, row }) => orders.latency.p50Ms / row.latency.p50Ms));
  return {
    measured: `${shortNumber(ordersMs)} ms`,
    baseline: `${shortNumber(rowMs)} ms single-row commit`,
    ...atMost(ratio, 3.5),
    figures: {
      "orders/s, 1 connection": Math.round(median(slices.map(({ orders }) => orders.perSecond))),
      "p50 ms, 1 connection": ordersMs,
      "p99 ms, 1 connection": median(slices.map(({ orders }) => orders.latency.p99Ms)),
      "row p50 ms": rowMs,
    },
    notes: [
      `medians of ${clientSlices} slices, venue and bare row server in turn`,
      ...slices.flatMap(({ orders }) => refusalNotes(orders)),
    ],
  };
}

async function halfLoad(bench: Bench): Promise<Reading> {
  const { load: headline } = await bench.stage.headline();
  const { endpoint } = await bench.stage.venue();
  const rate = Math.round(headline.perSecond / 2);
  bench.say(`open loop at ${rate} orders a second`);
  const shape = { connections: 256, warmUpMs: 2000, durationMs: 10_000, rate };
  const load = await bench.stage.orders(endpoint, await bench.stage.keys(), shape);
  const p99Ms = median(load.seconds.map(({ latency }) => latency.p99Ms));
  const p50Ms = median(load.seconds.map(({ latency }) => latency.p50Ms));
  const { score, passed } = atMost(p99Ms / p50Ms, 12);
  return {
    measured: `p99 ${shortNumber(p99Ms)} ms at ${shortNumber(rate)}/s`,
    baseline: `p50 of the same run ${shortNumber(p50Ms)} ms`,
    score,
    passed,
    figures: {
      rate,
      ...latencyFigures("half load", load),
      "window p99 ms": p99Ms,
      "window p50 ms": p50Ms,
      "send delay p50 ms": load.sendDelay.p50Ms,
      "send delay p99 ms": load.sendDelay.p99Ms,
      unsent: load.unsent,
    },
    notes: [
      `latency counts from the scheduled arrival; the generator sent ${shortNumber(load.sendDelay.p50Ms)} ms (p50), ` +
        `${shortNumber(load.sendDelay.p99Ms)} ms (p99) after it`,
      shared,
      ...refusalNotes(load),
    ],
  };
}

async function frontDelay(bench: Bench): Promise<Reading> {
  const { metricsAfter } = await bench.stage.headline();
  const found = [...metricsAfter].find(
    ([name]) => name.startsWith("rialto_front_loop_delay_seconds") && name.includes("0.99"),
  );
  if (found === undefined) throw new Error("/metrics has no event-loop delay of the front");
  const p99Ms = found[1] * 1000;
  const { score, passed } = atMost(p99Ms, 10);
  return {
    measured: `${shortNumber(p99Ms)} ms`,
    baseline: "",
    score,
    passed,
    figures: { "p99 ms": p99Ms },
    notes: [],
  };
}

export const orderPathRows: readonly BenchRow[] = [
  {
    id: "P7",
    measure: "durable order to ack, 256 connections, spot LIMIT, 30 % crossing",
    goal: "≥ 0.12×",
    run: throughput,
  },
  {
    id: "P8",
    measure: "durable orders in batches of five, perpetual LIMIT, 30 % crossing",
    goal: "≥ 1.4× of P7",
    run: batches,
  },
  { id: "P9", measure: "order to ack p50, 1 connection", goal: "≤ 3.5×", run: oneClient },
  {
    id: "P10",
    measure: "order to ack p99 at half of P7, open loop, median second",
    goal: "≤ 12×",
    run: halfLoad,
  },
  {
    id: "P19",
    measure: "event-loop delay p99 of the front at P7",
    goal: "≤ 10 ms",
    run: frontDelay,
  },
];
