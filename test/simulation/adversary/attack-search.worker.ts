// A thread of the campaign: searches one island at a time.

import { type IslandOptions, type IslandReport, runIsland } from "./attack-search.ts";

/** The pool calls it under this name. */
export function searchIsland(options: IslandOptions): IslandReport {
  return runIsland(options);
}
