// A worker thread of the attack campaign; it searches one island at a time.

import { type IslandOptions, type IslandReport, runIsland } from "./attack-search.ts";

/** The function that the thread pool calls by name; it runs `runIsland`. */
export function searchIsland(options: IslandOptions): IslandReport {
  return runIsland(options);
}
