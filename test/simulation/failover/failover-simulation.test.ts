// Proves the guarantees of two venues and two gateways in simulation runs, and that the checker finds deliberate bugs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addCounts, describeCounts } from "../simulation-runs.ts";
import { assertStruck, noCounts } from "./failover-counts.ts";
import { runFailovers } from "./failover-runs.ts";
import type { FailoverSimulationCanary } from "./failover-simulation.ts";

const steps = 500;
const runs = 20;
/** Among these seeds are some of the rare runs in which a follower's journal differs from the leader's. */
const seedOfAll = 21;
/** One test makes so many runs, so that it ends in time on a busy machine. */
const runsPerTest = 5;
/** Each bug must show within this many runs. */
const canaryRuns = 40;

/** For each deliberate bug, the seed of the first run to try, and a pattern of the message with which a run must fail. */
const canaries: Readonly<Record<FailoverSimulationCanary, readonly [seed: number, told: RegExp]>> =
  {
    "ignores-the-epoch": [
      69,
      /that an earlier one announced|the journal ends at|a gap:|events of the journal/,
    ],
    "ignores-the-lease": [19, /must not acknowledge after its successor/],
    "trusts-without-barrier": [21, /that an earlier one announced|the journal ends at|a gap:/],
    "believes-a-commit-whose-wait-was-cut": [
      6,
      /that an earlier one announced|the journal ends at|a gap:/,
    ],
    "leads-with-another-journal": [21, /the journal ends at|a gap:|must have the journal's state/],
    "resends-under-new-numbers": [1, /executed 2 times|a refused command must have no effect/],
    "skips-gaps": [1, /every event once|the events it depends on/],
    "follows-what-is-not-durable": [
      4,
      /before a leader announced it|the events it depends on|every event once/,
    ],
  };

/**
 * Seeds that once failed, with the clause that they broke. 1186: a leader that had lost its sessions answered after its
 * successor, for a third of a lease. 81504040: a gateway that had asked twice got two numbers, and the first one ended
 * with commands on their way, whose results were not recorded.
 */
const regressions = [
  ["LDR-22", 1186],
  ["CMD-4", 81_504_040],
] as const;

let total = noCounts();

for (let firstSeed = seedOfAll; firstSeed < seedOfAll + runs; firstSeed += runsPerTest) {
  test(`CMD-1 GWY-12 LDR-8 LDR-9 simulation runs of a failover from seed ${firstSeed} break no promise`, async () => {
    const counts = await runFailovers({ firstSeed, runs: runsPerTest, steps });
    total = addCounts(total, counts);
  });
}

for (const [clause, firstSeed] of regressions) {
  test(`${clause} the simulation run of a failover with seed ${firstSeed} breaks no promise any more`, async () => {
    await runFailovers({ firstSeed, runs: 1, steps });
  });
}

test("each fault struck in the simulation runs of a failover", (t) => {
  t.diagnostic(describeCounts(total));
  assertStruck(total, runs);
});

for (const [name, [firstSeed, told]] of Object.entries(canaries)) {
  test(`a failover that ${name.replaceAll("-", " ")} is detected`, async () => {
    const canary = name as FailoverSimulationCanary;
    await assert.rejects(runFailovers({ firstSeed, runs: canaryRuns, steps, canary }), told);
  });
}
