// Row M1: an order over an order session beside the same order over HTTP: latency of one connection, and bytes and
// processor time for each order at 256 connections.

import type { LoadReport } from "../load/load-process.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { meteredLoad } from "../venue/metered-load.ts";
import { costBetween, readMeter, shownCost } from "../venue/processor-time.ts";
import { refusalNotes } from "./order-path.ts";

/**
 * Slices of one connection. A session sends with one account, which may place 200 orders in 10 s, so each slice takes
 * another account and sends at most 150 orders, however fast the machine is. The loads before have placed a few with it.
 */
const slices = 21;
const slice = { connections: 1, warmUpMs: 0, durationMs: 300, requestsMax: 150 };
const connections = 256;
/** Orders a second at 256 connections: 16 of each account, which may place 20. */
const rate = 4096;
const warmUpMs = 20_000;
/** A minute, so that each of the two windows has one sealed epoch and one statement of liabilities. */
const windowMs = 60_000;
const latencyGoal = 0.95;
const costGoal = 0.7;

/** Processor time of the venue for each order, in microseconds; sessions are not counted as HTTP answers. */
async function costOf({ stage }: Bench, isOverSessions: boolean) {
  const venue = await stage.venue();
  // Sessions are of as many accounts as there are connections. HTTP takes the same ones, so that both have as many open
  // orders, which the generator cancels from a number on.
  const keys = (await stage.keys()).slice(0, connections);
  await venue.vacuum();
  const shape = { connections, rate, isOverSessions };
  const { load, before, after, seconds } = await meteredLoad(
    { warmUpMs, windowMs },
    (times) => stage.orders(venue.endpoint, keys, { ...shape, ...times }),
    () => readMeter(venue),
  );
  // `perSecond` counts what was executed; a cancel that comes too late costs as well.
  const answers = Object.values(load.statuses).reduce((sum, count) => sum + count, 0);
  const share = answers / (load.statuses["200"] ?? answers);
  const requests = load.perSecond * share * seconds;
  return { load, ...shownCost(costBetween(before, after, requests)) };
}

async function sessionOrders(bench: Bench): Promise<Reading> {
  const { stage } = bench;
  const [{ endpoint }, keys] = [await stage.venue(), await stage.keys()];
  const warm = { connections, rate, warmUpMs: 0, durationMs: 3000 };
  for (const isOverSessions of [false, true]) {
    await stage.orders(endpoint, keys, { ...warm, isOverSessions });
  }
  const runs: { http: LoadReport; session: LoadReport }[] = [];
  for (let turn = 0; turn < slices; turn++) {
    // HTTP takes the accounts in turn within one slice, a session one account: those that the loads did not use yet.
    const own = keys.slice(connections + turn);
    const http = await stage.orders(endpoint, own, slice);
    runs.push({
      http,
      session: await stage.orders(endpoint, own, { ...slice, isOverSessions: true }),
    });
  }
  const p50 = median(runs.map(({ http, session }) => session.latency.p50Ms / http.latency.p50Ms));
  bench.say("processor time of orders over HTTP, then over order sessions");
  const http = await costOf(bench, false);
  const session = await costOf(bench, true);
  const cost = session.us / http.us;
  const bytes = session.load.bytesPerAnswer / http.load.bytesPerAnswer;
  const latency = atMost(p50, latencyGoal);
  // What is refused costs less than what is done, and counts as cost of what is done.
  const loads = [...runs.flatMap((run) => [run.http, run.session]), http.load, session.load];
  const refused = loads.flatMap(refusalNotes);
  return {
    measured: `${shortNumber(p50)}× p50, ${shortNumber(bytes)}× bytes, ${shortNumber(cost)}× processor time`,
    baseline: "the same over HTTP",
    score: latency.score,
    passed: latency.passed && bytes <= costGoal && cost <= costGoal && refused.length === 0,
    figures: {
      "session p50 ms": median(runs.map(({ session: { latency: one } }) => one.p50Ms)),
      "HTTP p50 ms": median(runs.map(({ http: { latency: one } }) => one.p50Ms)),
      "session us/order": session.us,
      "HTTP us/order": http.us,
      "session bytes/order": session.load.bytesPerAnswer,
      "HTTP bytes/order": http.load.bytesPerAnswer,
      "session orders/s": Math.round(session.load.perSecond),
      "HTTP orders/s": Math.round(http.load.perSecond),
    },
    notes: [
      `medians of ${slices} slices of one connection with at most ${slice.requestsMax} orders, in turn; bytes and processor time at ${connections} connections and ${rate} orders/s`,
      `µs per order over HTTP: ${http.shown}`,
      `µs per order over a session: ${session.shown}`,
      ...refused,
    ].slice(0, 5),
  };
}

export const sessionRows: readonly BenchRow[] = [
  {
    id: "M1",
    measure: "order over an order session, beside HTTP: p50, bytes and processor time",
    goal: `≤ ${latencyGoal}×, ≤ ${costGoal}×, ≤ ${costGoal}×`,
    run: sessionOrders,
  },
];
