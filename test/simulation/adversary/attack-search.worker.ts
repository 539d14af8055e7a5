// A thread of the campaign; searches one island at a time.

import { type IslandOptions, type IslandReport, runIsland } from "./attack-search.ts";

/** The name under which the pool calls it. */
export function searchIsland(options: IslandOptions): IslandReport {
  return runIsland(options);
}
