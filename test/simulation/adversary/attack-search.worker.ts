// A worker thread of the attack campaign; it searches one island at a time.

import { type IslandOptions, type IslandReport, runIsland } from "./attack-search.ts";

/** The name under which the thread pool calls the search. */
export function searchIsland(options: IslandOptions): IslandReport {
  return runIsland(options);
}
