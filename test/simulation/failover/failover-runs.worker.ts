// A worker thread of failover-simulation.slow.test.ts; it makes some of the failover runs.

import type { FailoverCounts } from "./failover-counts.ts";
import { type FailoverRunOptions, runFailovers } from "./failover-runs.ts";

/** The function that the thread pool calls by name; it runs `runFailovers`. */
export function runSome(options: FailoverRunOptions): Promise<FailoverCounts> {
  return runFailovers(options);
}
