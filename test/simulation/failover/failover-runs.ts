// Runs many failover simulations, one seed each; a failing one is named by its seed.

import { addCounts } from "../simulation-runs.ts";
import { type FailoverCounts, noCounts } from "./failover-counts.ts";
import { FailoverSimulation, type FailoverSimulationCanary } from "./failover-simulation.ts";

export interface FailoverRunOptions {
  readonly firstSeed: number;
  readonly runs: number;
  readonly steps: number;
  readonly canary?: FailoverSimulationCanary;
}

/** Runs one simulation for each seed in turn; throws at the first failure, with the seed that repeats it. */
export async function runFailovers(options: FailoverRunOptions): Promise<FailoverCounts> {
  const { firstSeed, runs, ...each } = options;
  let total = noCounts();
  for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
    try {
      total = addCounts(total, await new FailoverSimulation({ seed, ...each }).run());
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      throw new Error(`seed ${seed} fails in ${each.steps} steps: ${told}`, { cause: error });
    }
  }
  return total;
}
