// A thread of the long test; makes some of its simulation runs.

import type { SimulationCounts } from "./simulation-counts.ts";
import { runSimulations, type SimulationRunOptions } from "./simulation-runs.ts";

/** The name under which the pool calls it. */
export function runSome(options: SimulationRunOptions): Promise<SimulationCounts> {
  return runSimulations(options);
}
