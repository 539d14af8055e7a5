// Rows about a change of leader, as clients of two gateways see it: the longest time without an acknowledgement while
// orders come at a steady rate. Venues, database, standby, bus, gateways and clients share the machine.

import { setTimeout as sleep } from "node:timers/promises";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import { lacksNats } from "../../test/support/bus/nats-server.ts";
import { SteadyOrders } from "../load/steady-orders.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { LedVenues } from "../venue/led-venues.ts";

const changes = 20;
const load = { rate: 200, connections: 256 };
const keyCount = 128;
/** Orders before each change, and after it. */
const ordersAround = 100;
const warmUpMs = 2_000;

/** Changes the leader again and again; returns the outage of each change in ms, and all answers but 200. */
async function outagesOf(
  { stage, say }: Bench,
  change: (venues: LedVenues) => Promise<void>,
): Promise<{ readonly ms: readonly number[]; readonly others: ReadonlyMap<string, number> }> {
  const lacks = lacksNats();
  if (lacks !== false) throw new Error(lacks);
  say("starting two venues, two gateways, a NATS server and two database servers");
  const venues = await LedVenues.start(await stage.folder());
  let orders: SteadyOrders | null = null;
  const ms: number[] = [];
  try {
    const keys = await createLoadKeys(venues.leader.dataDir, keyCount);
    orders = await SteadyOrders.start({ ...load, endpoints: venues.endpoints, keys });
    await sleep(warmUpMs);
    while (ms.length < changes) {
      await orders.untilMore(ordersAround);
      const sinceMs = performance.now();
      await change(venues);
      await orders.untilMore(ordersAround);
      ms.push(orders.longestGapMs(sinceMs - 100));
      say(`${ms.length}: ${shortNumber(ms.at(-1) ?? 0)} ms without an acknowledgement`);
      await venues.restartFollower();
    }
    if (orders.unsent > 0) throw new Error(`${orders.unsent} orders found no free connection`);
    return { ms, others: orders.others };
  } finally {
    orders?.stop();
    await venues.stop();
  }
}

/** Of twenty values, the 99th percentile is the largest. */
function figuresOf(ms: readonly number[]) {
  return { "p50 ms": median(ms), "p99 ms": Math.max(...ms), changes: ms.length };
}

function textOf(ms: readonly number[]): string {
  return `p50 ${shortNumber(median(ms))}, longest ${shortNumber(Math.max(...ms))} ms`;
}

async function handovers(bench: Bench): Promise<Reading> {
  const { ms, others } = await outagesOf(bench, (venues) => venues.handOver());
  const refused = [...others].map(([status, count]) => `${count} answers ${status}`);
  const longest = atMost(Math.max(...ms), 300);
  return {
    measured: textOf(ms),
    baseline: "",
    ...longest,
    passed: longest.passed && refused.length === 0,
    figures: figuresOf(ms),
    notes: [
      `${ms.length} handovers, ${load.rate} orders/s at two gateways: ${ms.map(Math.round).join(" ")} ms`,
      refused.length === 0 ? "every order was acknowledged" : refused.join(", "),
    ],
  };
}

async function kills(bench: Bench): Promise<Reading> {
  const { ms, others } = await outagesOf(bench, (venues) => venues.killLeader());
  const longest = atMost(Math.max(...ms), 1_500);
  return {
    measured: textOf(ms),
    baseline: "",
    ...longest,
    passed: longest.passed && median(ms) <= 700,
    figures: figuresOf(ms),
    notes: [
      `${ms.length} kills, ${load.rate} orders/s at two gateways: ${ms.map(Math.round).join(" ")} ms`,
      `other answers than 200: ${JSON.stringify([...others])}`,
    ],
  };
}

export const leadershipRows: readonly BenchRow[] = [
  {
    id: "H1",
    measure: "planned handover: longest time without an acknowledgement at two gateways",
    goal: "≤ 300 ms, no order refused",
    isSlow: true,
    run: handovers,
  },
  {
    id: "H2",
    measure: "killed leader: longest time without an acknowledgement at two gateways",
    goal: "p50 ≤ 700 ms, longest ≤ 1,500 ms",
    isSlow: true,
    run: kills,
  },
];
