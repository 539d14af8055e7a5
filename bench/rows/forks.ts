// Row F1: the time of a fork at the newest event of a stopped venue, from the call until the fork's folder is complete: its
// server is initialised, migrated, filled and stopped. The parent's server is started for it too. The journal is filled as
// that of P18, of FORK_EVENTS events; a snapshot is at its end.

import { join } from "node:path";
import { forkVenue } from "../../src/venue/fork/fork-venue.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillVenue } from "../venue/filled-venue.ts";

const eventsDefault = 10_000_000;
const limitS = 5;
/** The first fork reads the parent's files from the disk; the others are what the row measures. */
const forks = 3;
const silent = (): void => undefined;
const silentLog = { debug: silent, info: silent, warn: silent, error: silent };

async function forkTime(bench: Bench): Promise<Reading> {
  const events = Number(process.env["FORK_EVENTS"] ?? eventsDefault);
  const target = { events, restingOrders: 100_000, accounts: 10_000 };
  const { dataDir, seq } = await fillVenue(bench, 1, target);
  const folder = await bench.stage.folder();
  const seconds: number[] = [];
  for (let turn = 0; turn < forks; turn++) {
    const startedMs = performance.now();
    await forkVenue({
      environment: {},
      from: dataDir,
      point: { kind: "latest" },
      dataDir: join(folder, `fork-${turn}`),
      keepsKeys: false,
      logFor: () => silentLog,
      onProgress: silent,
      signal: new AbortController().signal,
    });
    seconds.push((performance.now() - startedMs) / 1000);
    bench.say(`fork ${turn + 1}: ${shortNumber(seconds.at(-1) ?? 0)} s`);
  }
  const [first = 0, ...rest] = seconds;
  return {
    measured: `${shortNumber(Math.max(...rest))} s at ${shortNumber(seq)} entries`,
    baseline: "",
    ...atMost(Math.max(...rest), limitS),
    figures: {
      "journal entries": seq,
      "first fork s": first,
      "slowest later fork s": Math.max(...rest),
    },
    notes: [
      "parent stopped; 100,000 open orders, 10,000 accounts; both servers are started and stopped",
    ],
  };
}

export const forkRows: readonly BenchRow[] = [
  {
    id: "F1",
    measure: "fork at the newest event of a journal of 10 M entries",
    goal: `≤ ${limitS} s`,
    isSlow: true,
    run: forkTime,
  },
];
