// Proves that a venue's guarantees hold in twenty simulation runs or more, and in every run that ever failed.
// simulation-canaries.test.ts proves that the auditors of these runs work.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SwapReason } from "../../src/core/swaps.ts";
import { Simulation } from "./simulation.ts";
import { type SimulationCounts, swapEnd } from "./simulation-counts.ts";
import { addCounts, describeCounts, runSimulations } from "./simulation-runs.ts";

const regressions = new URL("../../../test/simulation/regressions.txt", import.meta.url);

const firstSeed = 10;
/** Runs that always take place, and most runs in which everything must have happened once. */
const [runsUsual, runsMax] = [20, 100];

/** Ends of swaps that must occur at least once. */
const swapEnds: readonly SwapReason[] = [
  ...([SwapReason.none, SwapReason.noQuote, SwapReason.quotesLapsed] as const),
  ...([SwapReason.traderCancelled, SwapReason.traderLate, SwapReason.declined] as const),
  ...([SwapReason.providerLate, SwapReason.wrongTerms, SwapReason.aborted] as const),
  ...([SwapReason.traderWithdrew, SwapReason.accountFrozen] as const),
];

/** Faults that must occur at least once. */
const mishaps: readonly (keyof SimulationCounts)[] = [
  ...(["full", "freezes", "jumps", "halts", "snapshots", "ledgerFaults"] as const),
  ...(["commitsLost", "commitsFound", "commitsStrayed", "looksFailed"] as const),
  ...(["commitsFailedAgain", "faults", "refusals", "skews"] as const),
];

test("JRN-1 twenty simulation runs of a venue break no promise, nor do up to eighty more, until all that is rare has happened", async (t) => {
  let counts = await runSimulations({ firstSeed, runs: runsUsual, steps: 5_000 });
  t.diagnostic(describeCounts(counts));
  assert(
    counts.deaths > 20 &&
      counts.landed > 0 &&
      counts.trades > 1_000 &&
      counts.settled > 50 &&
      counts.epochs > 500 &&
      counts.walletSwaps > 5,
    "The twenty runs must have enough deaths, faults and trades",
  );
  const missing = () =>
    [...mishaps, ...swapEnds.map(swapEnd)].filter((name) => (counts[name] ?? 0) === 0);
  // Every change of the venue changes what a seed draws.
  for (let seed = firstSeed + runsUsual; missing().length > 0; seed++) {
    if (seed === firstSeed + runsMax) break;
    t.diagnostic(`seed ${seed}, for ${missing().join(", ")}`);
    counts = addCounts(counts, await runSimulations({ firstSeed: seed, runs: 1, steps: 5_000 }));
  }
  assert.deepEqual(missing(), [], "Everything that can happen must have happened");
});

test("JRN-1 simulation runs that once failed pass now", async () => {
  for (const line of readFileSync(regressions, "utf8").split("\n")) {
    const [seed, steps] = line.split(" ").map(Number);
    if (line.startsWith("#") || seed === undefined || steps === undefined) continue;
    await new Simulation({ seed, steps }).run();
  }
});
