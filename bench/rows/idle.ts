// Row C2: processor time and memory of a venue without clients, with its PostgreSQL, development ledger and provider.

import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchRow, Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { type IdleReading, readIdle } from "../venue/idle-venue.ts";

/** Time for the runtime to finish compiling and collecting garbage after the start. */
const settleMs = 50_000;
const windowMs = 60_000;
const percentMax = 1;
const megabytesMax = 400;

/** Returns the use between two readings as figures: percent of a core, and wake-ups per second. */
function usesBetween(before: IdleReading, after: IdleReading) {
  const seconds = (after.atMs - before.atMs) / 1000;
  const percents = new Map<string, number>();
  const wakes = new Map<string, number>();
  for (const [kind, use] of after.processes) {
    const first = before.processes.get(kind) ?? { seconds: 0, sleeps: 0 };
    percents.set(kind, (100 * (use.seconds - first.seconds)) / seconds);
    wakes.set(kind, (use.sleeps - first.sleeps) / seconds);
  }
  const total = [...percents.values()].reduce((sum, each) => sum + each, 0);
  let runtime = percents.get("venue") ?? 0;
  percents.delete("venue");
  for (const [thread, used] of after.threads) {
    const percent = (100 * (used - (before.threads.get(thread) ?? 0))) / seconds;
    percents.set(thread, percent);
    runtime -= percent;
  }
  percents.set("runtime", Math.max(runtime, 0));
  return { total, percents, wakes };
}

async function idleCost({ stage, say }: Bench): Promise<Reading> {
  say(`processor time of an idle venue over ${windowMs / 1000} s`);
  const settings = { LEDGER_PROFILE: "devnet", DEV_PROVIDER: "1" };
  const venue = await stage.startVenue(await stage.folder(), settings);
  // The first scrape loads the metrics library, which must not count.
  await venue.metrics();
  await sleep(settleMs);
  const before = await readIdle(venue);
  await sleep(windowMs);
  const after = await readIdle(venue);
  await venue.stop();
  const { total, percents, wakes } = usesBetween(before, after);
  const megabytes = after.bytes / 2 ** 20;
  const parts = [...percents].sort((one, other) => other[1] - one[1]);
  return {
    measured: `${shortNumber(total)} % of a core, ${shortNumber(megabytes)} MB`,
    baseline: "",
    score: total,
    passed: total <= percentMax && megabytes <= megabytesMax,
    figures: {
      "% of a core": total,
      "memory MB": megabytes,
      ...Object.fromEntries(parts.map(([name, percent]) => [`${name} % of a core`, percent])),
      ...Object.fromEntries([...wakes].map(([name, rate]) => [`${name} wake-ups/s`, rate])),
    },
    notes: [
      parts.map(([name, percent]) => `${name} ${percent.toFixed(2)} %`).join(", "),
      `wake-ups per second: ${[...wakes].map(([name, rate]) => `${name} ${rate.toFixed(0)}`).join(", ")}`,
    ],
  };
}

export const idleRows: readonly BenchRow[] = [
  {
    id: "C2",
    measure: "an idle venue: processor time and memory of all processes",
    goal: `≤ ${percentMax} % of a core, ≤ ${megabytesMax} MB`,
    run: idleCost,
  },
];
