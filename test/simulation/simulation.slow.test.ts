// Proves that no guarantee of the venue is broken in two thousand simulation runs, or in as many as RUNS says. The runs
// are spread over all cores.

import { availableParallelism } from "node:os";
import { test } from "node:test";
import { Piscina } from "piscina";
import { noCounts, type SimulationCounts } from "./simulation-counts.ts";
import { addCounts, describeCounts, type SimulationRunOptions } from "./simulation-runs.ts";

const runs = Number(process.env["RUNS"] ?? process.env["LIVES"] ?? 2_000);
const steps = 5_000;
const runsPerTask = 20;

test("JRN-1 two thousand simulation runs of a venue break no promise", async (t) => {
  const firstSeed = Number(process.env["SEED"] ?? 1000 + (Date.now() % 1_000_000_000));
  t.diagnostic(`SEED=${firstSeed} repeats the runs`);
  const pool = new Piscina<SimulationRunOptions, SimulationCounts>({
    filename: new URL("./simulation-runs.worker.js", import.meta.url).href,
    name: "runSome",
    maxThreads: availableParallelism(),
  });
  t.after(() => pool.destroy());
  let total = noCounts();
  let done = 0;
  const tasks = Array.from({ length: Math.ceil(runs / runsPerTask) }, async (_, index) => {
    const some = Math.min(runsPerTask, runs - index * runsPerTask);
    const counts = await pool.run({
      firstSeed: firstSeed + index * runsPerTask,
      runs: some,
      steps,
    });
    total = addCounts(total, counts);
    done += some;
    process.stderr.write(`${done} of ${runs} runs\n`);
  });
  await Promise.all(tasks);
  t.diagnostic(`${runs} runs of ${steps} steps: ${describeCounts(total)}`);
});
