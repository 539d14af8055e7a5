// Runs many simulations, one seed each. A failing run is shortened to the fewest steps that still fail and
// reported as a line for regressions.txt.

import { Simulation } from "./simulation.ts";
import { noCounts, type SimulationCounts } from "./simulation-counts.ts";

export interface SimulationRunOptions {
  readonly firstSeed: number;
  readonly runs: number;
  readonly steps: number;
}

/** Runs one simulation for each seed in turn; throws at the first failure. */
export async function runSimulations(options: SimulationRunOptions): Promise<SimulationCounts> {
  const { firstSeed, runs, steps } = options;
  let total = noCounts();
  for (let seed = firstSeed; seed < firstSeed + runs; seed++)
    total = addCounts(total, await runOne(seed, steps));
  return total;
}

async function runOne(seed: number, steps: number): Promise<SimulationCounts> {
  try {
    return await new Simulation({ seed, steps }).run();
  } catch (error) {
    const shortest = await shrink(seed, steps);
    const message = `seed ${seed} fails in ${shortest} steps; add "${seed} ${shortest}" to regressions.txt`;
    throw new Error(message, { cause: error });
  }
}

/**
 * Returns the fewest steps that still fail. A run with fewer steps is the start of the longer run with the same seed.
 */
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

/** Adds counts of the same names. */
export function addCounts<Counts extends { [Name in keyof Counts]: number | undefined }>(
  one: Counts,
  other: Counts,
): Counts {
  const sums = Object.entries<number>(one as Record<string, number>).map(([name, count]) => {
    const more = (other as Record<string, number>)[name] ?? 0;
    return [name, count + more] as const;
  });
  return Object.fromEntries(sums) as Counts;
}

export function describeCounts(counts: object): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
