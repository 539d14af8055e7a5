// Proves the guarantees of two venues and two gateways in simulation runs, and that the checker finds deliberate bugs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FailoverSimulation, type FailoverSimulationCanary } from "./failover-simulation.ts";

const canaries: Partial<Record<FailoverSimulationCanary, RegExp>> = {
  "trusts-without-barrier": /events of the journal|every event|come to rest/,
  "resends-under-new-numbers": /executed 2 times/,
  "skips-gaps": /every event once|follow the events/,
};

test("CMD-1 GWY-12 LDR-8 LDR-9 simulation runs of a failover break no promise", async () => {
  for (let seed = 1; seed <= 12; seed++) await new FailoverSimulation({ seed, steps: 500 }).run();
});

for (const [canary, told] of Object.entries(canaries)) {
  test(`a failover that ${canary.replaceAll("-", " ")} is detected`, async () => {
    const run = async () => {
      for (let seed = 1; seed <= 4; seed++)
        await new FailoverSimulation({
          ...{ seed, steps: 800, canary: canary as FailoverSimulationCanary },
        }).run();
    };
    await assert.rejects(run, told);
  });
}
