// Rows about gateways: what the way over the bus adds to an order, and what it spares the leader. Leader, bus and
// gateway run on the same machine. The gateway is measured in turn with the leader's own front, or with another venue.

import type { PostgresConnectionOptions } from "../../src/adapters/postgres/connection.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { lacksNats, NatsServer } from "../../test/support/bus/nats-server.ts";
import { sendInTurn } from "../load/paired-orders.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { meteredLoad } from "../venue/metered-load.ts";
import { costBetween, readMeter } from "../venue/processor-time.ts";
import { VenueProcess } from "../venue/venue-process.ts";
import { refusalNotes } from "./order-path.ts";

/** Number of times that a row alternates between the venue without gateways and the gateway. */
const slices = 5;
/** Load before the slices, until the compiled code is the final one. */
const warmMs = 30_000;
/** Load before the measured part of a slice: what had rested until then begins again. */
const beginMs = 6_000;
const windowMs = 10_000;
const connections = 128;
/** Enough accounts that none of them reaches its limit of open orders. */
const keyCount = 2048;
/** Pairs of orders that one reading of the added latency takes. */
const pairs = 3000;
const addedGoalMs = 0.4;
const shareGoal = 0.6;

interface Pair {
  readonly leader: VenueProcess;
  readonly gateway: VenueProcess;
  readonly keys: readonly LoadKey[];
  stop(): Promise<void>;
}

/** Starts a bus, a leader and a gateway. */
async function startPair({ stage, say }: Bench): Promise<Pair> {
  const lacks = lacksNats();
  if (lacks !== false) throw new Error(lacks);
  say("starting a NATS server, a leader and a gateway");
  const nats = await NatsServer.open();
  const settings = { NATS_URL: nats.url, MASTER_KEY: "5a".repeat(32) };
  const started: { stop(): Promise<void> }[] = [{ stop: () => nats.kill() }];
  const stop = async () => {
    for (const one of started.splice(0).reverse()) await one.stop();
  };
  try {
    const leader = await VenueProcess.start({ dataDir: await stage.folder(), settings });
    started.push(leader);
    const keys = await createLoadKeys(leader.dataDir, keyCount);
    const DATABASE_URL = urlOf(await leader.database());
    const gateway = await VenueProcess.startGateway({
      dataDir: await stage.folder(),
      settings: { ...settings, DATABASE_URL },
    });
    started.push(gateway);
    return { leader, gateway, keys, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf(place: PostgresConnectionOptions): string {
  if ("url" in place) throw new Error("the leader of this row runs its own database");
  const { host, port, user, password, database } = place;
  const login = `${user}:${encodeURIComponent(password)}`;
  return `postgres://${login}@${encodeURIComponent(host)}:${port}/${database}`;
}

async function addedLatency(bench: Bench): Promise<Reading> {
  const { leader, gateway, keys, stop } = await startPair(bench);
  try {
    const warm = { connections: 32, warmUpMs: 0, durationMs: 15_000 };
    for (const { endpoint } of [leader, gateway]) await bench.stage.orders(endpoint, keys, warm);
    bench.say(`${pairs} orders at the venue's front and at the gateway, in turn`);
    const { ms, addedMs } = await sendInTurn([leader.endpoint, gateway.endpoint], keys, pairs);
    const [frontMs, overMs] = [median(ms[0]), median(ms[1])];
    return {
      measured: `+${shortNumber(addedMs)} ms (${shortNumber(overMs)} ms)`,
      baseline: `${shortNumber(frontMs)} ms at the venue's own front`,
      ...atMost(addedMs, addedGoalMs),
      figures: { "added p50 ms": addedMs, "front p50 ms": frontMs, "gateway p50 ms": overMs },
      notes: [
        `medians of ${pairs} pairs of orders; the difference of the medians is ${shortNumber(overMs - frontMs)} ms`,
        "one leader serves both, so the orders at its front pay for the bus thread too",
      ],
    };
  } finally {
    await stop();
  }
}

interface Served {
  readonly venue: VenueProcess;
  readonly keys: readonly LoadKey[];
  /** The process that clients connect to; the venue itself, or a gateway. */
  readonly front: VenueProcess;
}

/** Sends orders; returns the venue's processor time in a window of them, in microseconds per order by thread and in total. */
async function costOf({ stage }: Bench, { venue, keys, front }: Served) {
  const { load, before, after } = await meteredLoad(
    { warmUpMs: beginMs, windowMs },
    (times) => stage.orders(front.endpoint, keys, { connections, ...times }),
    async () => [await readMeter(venue), await readMeter(front, venue.dataDir)] as const,
  );
  const answers = after[1].answers - before[1].answers;
  const cost = costBetween(before[0], { ...after[0], answers: before[0].answers + answers });
  const threads = [...cost].filter(([name]) => !name.startsWith("postgres"));
  return {
    threads,
    refused: refusalNotes(load),
    totalUs: threads.reduce((sum, [, us]) => sum + us, 0),
  };
}

type Cost = Awaited<ReturnType<typeof costOf>>;

/** The medians of each thread's cost, as text. */
function threadText(costs: readonly Cost[]): string {
  const names = costs[0]?.threads.map(([name]) => name) ?? [];
  const usOf = (name: string) =>
    median(costs.map(({ threads }) => threads.find(([one]) => one === name)?.[1] ?? 0));
  const shown = names.map((name) => [name, usOf(name)] as const).filter(([, us]) => us >= 0.5);
  return shown.map(([name, us]) => `${name} ${shortNumber(us)}`).join(", ");
}

async function leaderShare(bench: Bench): Promise<Reading> {
  const pair = await startPair(bench);
  bench.say("starting a venue without a bus");
  const alone = await VenueProcess.start({ dataDir: await bench.stage.folder() });
  try {
    const whole = {
      venue: alone,
      front: alone,
      keys: await createLoadKeys(alone.dataDir, keyCount),
    };
    const led = { venue: pair.leader, front: pair.gateway, keys: pair.keys };
    const warm = { connections, warmUpMs: 0, durationMs: warmMs };
    for (const { front, keys } of [whole, led])
      await bench.stage.orders(front.endpoint, keys, warm);
    const costs: { own: Cost; over: Cost }[] = [];
    for (let slice = 0; slice < slices; slice++) {
      const own = await costOf(bench, whole);
      costs.push({ own, over: await costOf(bench, led) });
    }
    const ownUs = median(costs.map(({ own }) => own.totalUs));
    const overUs = median(costs.map(({ over }) => over.totalUs));
    const share = median(costs.map(({ own, over }) => over.totalUs / own.totalUs));
    return {
      measured: `${shortNumber(overUs)} µs per order`,
      baseline: `${shortNumber(ownUs)} µs at a venue without gateways`,
      ...atMost(share, shareGoal),
      figures: {
        "leader us/order over a gateway": overUs,
        "venue us/order": ownUs,
        "orders/s per leader core": Math.round(1e6 / overUs),
      },
      notes: [
        `a leader's core would serve ${shortNumber(1e6 / overUs)} orders/s, PostgreSQL apart`,
        `over a gateway, µs per order: ${threadText(costs.map(({ over }) => over))}`,
        `without gateways, µs per order: ${threadText(costs.map(({ own }) => own))}`,
        `the leader's own front has no clients meanwhile, and follows every event; ${slices} windows of ${windowMs / 1000} s each, in turn`,
        ...costs.flatMap(({ own, over }) => [...own.refused, ...over.refused]).slice(0, 1),
      ],
    };
  } finally {
    await alone.stop();
    await pair.stop();
  }
}

export const gatewayRows: readonly BenchRow[] = [
  {
    id: "G1",
    measure: "what a gateway adds to the p50 of an order, 1 connection",
    goal: `≤ ${addedGoalMs} ms`,
    run: addedLatency,
  },
  {
    id: "G2",
    measure: "leader's processor time of an order over a gateway, against a venue without gateways",
    goal: `≤ ${shareGoal}×`,
    run: leaderShare,
  },
];
