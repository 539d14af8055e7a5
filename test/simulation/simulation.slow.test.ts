// Two thousand simulated lives in one run, or as many as LIVES says, on every core.

import { availableParallelism } from "node:os";
import { test } from "node:test";
import { Piscina } from "piscina";
import { addCounts, type LivesOptions, sayLives } from "./simulated-lives.ts";
import { noCounts, type SimulationCounts } from "./simulation-counts.ts";

const lives = Number(process.env["LIVES"] ?? 2_000);
const steps = 5_000;
const livesAtOnce = 20;

test("JRN-1 lives by the thousand of a venue break no promise", async (t) => {
  const firstSeed = Number(process.env["SEED"] ?? 1000 + (Date.now() % 1_000_000_000));
  t.diagnostic(`SEED=${firstSeed} repeats the lives`);
  const pool = new Piscina<LivesOptions, SimulationCounts>({
    filename: new URL("./simulated-lives.worker.js", import.meta.url).href,
    name: "liveSome",
    maxThreads: availableParallelism(),
  });
  t.after(() => pool.destroy());
  let total = noCounts();
  let done = 0;
  const runs = Array.from({ length: Math.ceil(lives / livesAtOnce) }, async (_, run) => {
    const some = Math.min(livesAtOnce, lives - run * livesAtOnce);
    const counts = await pool.run({ firstSeed: firstSeed + run * livesAtOnce, lives: some, steps });
    total = addCounts(total, counts);
    done += some;
    process.stderr.write(`${done} of ${lives} lives\n`);
  });
  await Promise.all(runs);
  t.diagnostic(`${lives} lives of ${steps} steps: ${sayLives(total)}`);
});
