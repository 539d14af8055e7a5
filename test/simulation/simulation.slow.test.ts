// Two thousand simulated lives in one run, or as many as LIVES says.

import { test } from "node:test";
import { runLives, sayLives } from "./simulated-lives.ts";

const lives = Number(process.env["LIVES"] ?? 2_000);
const steps = 5_000;

test("JRN-1 lives by the thousand of a venue break no promise", async (t) => {
  const firstSeed = Number(process.env["SEED"] ?? 1000 + (Date.now() % 1_000_000_000));
  t.diagnostic(`SEED=${firstSeed} repeats the lives`);
  const onProgress = (done: number): void => {
    if (done % 100 === 0) process.stderr.write(`${done} of ${lives} lives\n`);
  };
  const counts = await runLives({ firstSeed, lives, steps, onProgress });
  t.diagnostic(`${lives} lives of ${steps} steps: ${sayLives(counts)}`);
});
