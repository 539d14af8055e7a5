// What a synchronous standby costs: the same venue on the same server, in turn with a standby that each commit waits for
// and with one that follows by itself. Both servers write to one disk, so a commit waits for it twice.

import { setTimeout as sleep } from "node:timers/promises";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { SynchronousPair } from "../../test/support/cluster/synchronous-pair.ts";
import { median } from "../report/median.ts";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { VenueProcess } from "../venue/venue-process.ts";

/** Number of times that the row alternates. */
const slices = 5;
const keyCount = 512;
const busy = { connections: 256, warmUpMs: 500, durationMs: 4_000 };
const single = { connections: 1, warmUpMs: 200, durationMs: 2_000 };
const warmUp = { connections: 128, warmUpMs: 0, durationMs: 6_000 };
/** Time in which sessions of the server take note of a setting. */
const settleMs = 300;
const lossGoal = 0.25;
const addedGoalMs = 0.6;

interface Slice {
  readonly perSecond: number;
  readonly p50Ms: number;
}

async function sliceOf(
  { stage }: Bench,
  { endpoint }: VenueProcess,
  keys: readonly LoadKey[],
): Promise<Slice> {
  await sleep(settleMs);
  const { perSecond } = await stage.orders(endpoint, keys, busy);
  const { latency } = await stage.orders(endpoint, keys, single);
  return { perSecond, p50Ms: latency.p50Ms };
}

async function standbyCost(bench: Bench): Promise<Reading> {
  const { stage, say } = bench;
  say("starting two database servers and a venue");
  const pair = await SynchronousPair.start();
  let venue: VenueProcess | null = null;
  try {
    const dataDir = await stage.folder();
    // A venue that requires a standby refuses to commit alone, so here only the server decides what a commit waits for.
    venue = await VenueProcess.start({ dataDir, settings: { DATABASE_URL: pair.url } });
    await pair.commitAlone();
    const keys = await createLoadKeys(dataDir, keyCount);
    await stage.orders(venue.endpoint, keys, warmUp);
    const pairs: (readonly [alone: Slice, together: Slice])[] = [];
    while (pairs.length < slices) {
      await pair.commitAlone();
      const alone = await sliceOf(bench, venue, keys);
      await pair.commitTogether();
      pairs.push([alone, await sliceOf(bench, venue, keys)]);
      say(`${pairs.length} of ${slices} pairs of slices`);
    }
    return readingOf(pairs);
  } finally {
    await venue?.stop();
    await pair.close();
  }
}

function readingOf(pairs: readonly (readonly [alone: Slice, together: Slice])[]): Reading {
  const loss = median(pairs.map(([alone, together]) => 1 - together.perSecond / alone.perSecond));
  const addedMs = median(pairs.map(([alone, together]) => together.p50Ms - alone.p50Ms));
  const alonePerSecond = median(pairs.map(([{ perSecond }]) => perSecond));
  const perSecond = median(pairs.map(([, { perSecond: synchronous }]) => synchronous));
  const aloneMs = median(pairs.map(([{ p50Ms }]) => p50Ms));
  return {
    measured: `${shortNumber(-100 * loss)} % orders/s, ${shortNumber(addedMs)} ms added p50`,
    baseline: `${shortNumber(alonePerSecond)} orders/s, ${shortNumber(aloneMs)} ms, asynchronous standby`,
    score: loss,
    passed: loss <= lossGoal && addedMs <= addedGoalMs,
    figures: {
      "loss of orders/s": loss,
      "added p50 ms": addedMs,
      "orders/s, synchronous": perSecond,
      "orders/s, asynchronous": alonePerSecond,
      "p50 ms, asynchronous": aloneMs,
    },
    notes: [
      `medians of ${slices} pairs of slices, 256 connections for orders/s and 1 for p50`,
      "both servers are on this machine and write to one disk; a standby elsewhere adds the network's round trip",
    ],
  };
}

export const standbyRows: readonly BenchRow[] = [
  {
    id: "H3",
    measure: "cost of a synchronous standby, against one that follows asynchronously",
    goal: `≤ ${100 * lossGoal} % of orders/s, ≤ ${addedGoalMs} ms of p50`,
    run: standbyCost,
  },
];
