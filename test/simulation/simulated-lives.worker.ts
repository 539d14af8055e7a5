// A thread of the long run: lives some lives of it.

import { type LivesOptions, runLives } from "./simulated-lives.ts";
import type { SimulationCounts } from "./simulation-counts.ts";

/** The pool calls it under this name. */
export function liveSome(options: LivesOptions): Promise<SimulationCounts> {
  return runLives(options);
}
