// A worker thread of simulation.slow.test.ts; it makes some of the simulation runs.

import type { SimulationCounts } from "./simulation-counts.ts";
import { runSimulations, type SimulationRunOptions } from "./simulation-runs.ts";

/** The function that the thread pool calls by name; it runs `runSimulations`. */
export function runSome(options: SimulationRunOptions): Promise<SimulationCounts> {
  return runSimulations(options);
}
