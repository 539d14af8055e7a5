// Many simulated lives, one seed each. A life that fails is shortened until one step less would pass,
// and told by its line for regressions.txt.

import { Simulation } from "./simulation.ts";
import { noCounts, type SimulationCounts } from "./simulation-counts.ts";

export interface LivesOptions {
  readonly firstSeed: number;
  readonly lives: number;
  readonly steps: number;
}

/** Runs the lives one after the other; throws at the first that fails. */
export async function runLives(options: LivesOptions): Promise<SimulationCounts> {
  const { firstSeed, lives, steps } = options;
  let total = noCounts();
  for (let seed = firstSeed; seed < firstSeed + lives; seed++)
    total = addCounts(total, await life(seed, steps));
  return total;
}

async function life(seed: number, steps: number): Promise<SimulationCounts> {
  try {
    return await new Simulation({ seed, steps }).run();
  } catch (error) {
    const shortest = await shrink(seed, steps);
    const words = `seed ${seed} fails in ${shortest} steps; regressions.txt: "${seed} ${shortest}"`;
    throw new Error(words, { cause: error });
  }
}

/** The fewest steps with which the seed still fails: its prefixes are the same life. */
async function shrink(seed: number, steps: number): Promise<number> {
  let passes = 0;
  let fails = steps;
  while (fails - passes > 1) {
    const middle = Math.floor((passes + fails) / 2);
    const isFailing = await new Simulation({ seed, steps: middle }).run().then(
      () => false,
      () => true,
    );
    if (isFailing) fails = middle;
    else passes = middle;
  }
  return fails;
}

/** What several lives held together. */
export function addCounts(one: SimulationCounts, other: SimulationCounts): SimulationCounts {
  const total = { ...one };
  for (const name of Object.keys(total) as (keyof SimulationCounts)[])
    total[name] = (total[name] ?? 0) + (other[name] ?? 0);
  return total;
}

/** A line for the report of a test. */
export function sayLives(counts: SimulationCounts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
