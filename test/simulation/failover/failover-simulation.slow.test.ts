// Proves that no guarantee is broken in two thousand simulation runs of a failover, or in as many as RUNS says. The runs
// are spread over all cores. SEED repeats them; with RUNS=1 it repeats a single one.

import { availableParallelism } from "node:os";
import { test } from "node:test";
import { Piscina } from "piscina";
import { addCounts, describeCounts } from "../simulation-runs.ts";
import { assertStruck, type FailoverCounts, noCounts } from "./failover-counts.ts";
import type { FailoverRunOptions } from "./failover-runs.ts";

const runs = Number(process.env["RUNS"] ?? 2_000);
const steps = 500;
const runsPerTask = 20;

test("CMD-1 GWY-12 LDR-8 LDR-9 two thousand simulation runs of a failover break no promise", async (t) => {
  const firstSeed = Number(process.env["SEED"] ?? 1000 + (Date.now() % 1_000_000_000));
  t.diagnostic(`SEED=${firstSeed} repeats the runs`);
  const pool = new Piscina<FailoverRunOptions, FailoverCounts>({
    filename: new URL("./failover-runs.worker.js", import.meta.url).href,
    name: "runSome",
    maxThreads: availableParallelism(),
  });
  t.after(() => pool.destroy());
  let total = noCounts();
  let done = 0;
  const tasks = Array.from({ length: Math.ceil(runs / runsPerTask) }, async (_, index) => {
    const some = Math.min(runsPerTask, runs - index * runsPerTask);
    const firstOf = firstSeed + index * runsPerTask;
    const counts = await pool.run({ firstSeed: firstOf, runs: some, steps });
    total = addCounts(total, counts);
    done += some;
    process.stderr.write(`${done} of ${runs} runs\n`);
  });
  await Promise.all(tasks);
  t.diagnostic(`${runs} runs of ${steps} steps: ${describeCounts(total)}`);
  if (runs >= 20) assertStruck(total, runs);
});
