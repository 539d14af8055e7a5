// Looks for attacks that profit: known ones, drawn ones, and changes of those that came farthest. An island is
// one such search with a seed, alone; islands share nothing, so that a run is the same on any number of cores.

import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { type AttackResult, runAttack } from "./attack.ts";
import { type AttackPlan, changePlan, drawPlan, drawScene } from "./attack-plan.ts";
import type { Defences } from "./attack-terms.ts";
import { knownAttacks } from "./known-attacks.ts";
import { publishedBound } from "./published-bound.ts";

export interface IslandOptions {
  readonly seed: number;
  readonly attacks: number;
  readonly defences: Defences;
  /** Whether the known attacks come first, as they are. */
  readonly startsKnown: boolean;
}

/** An attack that was tried. */
export interface TriedAttack {
  readonly plan: AttackPlan;
  readonly result: AttackResult;
}

export interface IslandReport {
  readonly attacks: number;
  /** Attacks that brought more than a cent. */
  readonly profitable: number;
  /** Attacks that brought more than the risk page says they can. */
  readonly beyondBound: number;
  /** Attacks whose liquidations had not ended hours later. */
  readonly unsettled: number;
  /** Those that brought most, best first. */
  readonly best: readonly TriedAttack[];
  /** Sums over all attacks, in whole units of USDC. */
  readonly capital: number;
  /** Farthest that a mark stood from the fair price, in basis points. */
  readonly markMoved: number;
}

/** What an attack brings that is not a rounding, in whole units of USDC. */
export const leastProfit = 0.01;
const elitesMax = 12;
const bestMax = 5;

/** Attacks to go on from, the best of them first. */
interface Elite extends TriedAttack {
  readonly score: number;
}

/**
 * Two ways in which an attack comes near: by what it brings, and by what it does to others, whatever that
 * costs: what the fund took over, what it and traders lost, how far a mark went. One that does nothing is no
 * way to begin, though nothing is more than most attacks bring.
 */
function scoresOf({ plan, result }: TriedAttack): readonly [gain: number, harm: number] | null {
  const { profit, fundLoss, tradersLoss, takenOver, markMoved } = result;
  const moved = plan.scene.drift === 0 ? Math.min(markMoved, 1000) : 0;
  const harm = Math.max(fundLoss, 0) + Math.max(tradersLoss, 0) + takenOver / 200 + moved / 10;
  return harm < 5 && profit <= 0 ? null : [profit + harm / 4, harm + profit / 10];
}

/** Tries so many attacks, the same for the same seed. */
export function runIsland({ seed, attacks, defences, startsKnown }: IslandOptions): IslandReport {
  const random = new SeededRandom(seed);
  const known = [...knownAttacks.values()];
  const gaining: Elite[] = [];
  const harming: Elite[] = [];
  let report = noReport;
  for (let attack = 0; attack < attacks; attack++) {
    const elites = random.below(2) === 0 ? gaining : harming;
    const first = startsKnown ? known[attack] : undefined;
    const plan = first ?? nextPlan(random, known, elites);
    const result = runAttack(plan, { defences });
    report = addReports(report, reportOf({ plan, result }));
    const [gain, harm] = scoresOf({ plan, result }) ?? [];
    if (gain !== undefined) keep(gaining, { plan, result, score: gain });
    if (harm !== undefined) keep(harming, { plan, result, score: harm });
  }
  return report;
}

function reportOf({ plan, result }: TriedAttack): IslandReport {
  return {
    attacks: 1,
    profitable: result.profit > leastProfit ? 1 : 0,
    beyondBound: result.profit > publishedBound(result) ? 1 : 0,
    unsettled: result.isSettled ? 0 : 1,
    best: [{ plan, result }],
    capital: plan.capital,
    markMoved: result.markMoved,
  };
}

function nextPlan(
  random: SeededRandom,
  known: readonly AttackPlan[],
  elites: readonly Elite[],
): AttackPlan {
  const way = random.below(8);
  if (way === 0) return drawPlan(random);
  const from = known[random.below(known.length)];
  const elite = elites[random.below(elites.length)];
  if (way < 3 && from !== undefined) {
    const scene = random.below(2) === 0 ? drawScene(random) : from.scene;
    return changePlan(random, { ...from, scene });
  }
  return changePlan(random, elite?.plan ?? from ?? drawPlan(random));
}

/** Takes the place of the worst, if it is better. */
function keep(elites: Elite[], found: Elite): void {
  if (elites.some(({ score }) => score === found.score)) return;
  elites.push(found);
  elites.sort((one, other) => other.score - one.score);
  if (elites.length > elitesMax) elites.pop();
}

/** What islands found together. */
export function addReports(one: IslandReport, other: IslandReport): IslandReport {
  const best = [...one.best, ...other.best]
    .sort((first, second) => second.result.profit - first.result.profit)
    .slice(0, bestMax);
  return {
    attacks: one.attacks + other.attacks,
    profitable: one.profitable + other.profitable,
    beyondBound: one.beyondBound + other.beyondBound,
    unsettled: one.unsettled + other.unsettled,
    best,
    capital: one.capital + other.capital,
    markMoved: Math.max(one.markMoved, other.markMoved),
  };
}

export const noReport: IslandReport = {
  ...{
    attacks: 0,
    profitable: 0,
    beyondBound: 0,
    unsettled: 0,
    best: [],
    capital: 0,
    markMoved: 0,
  },
};

/** One line of an attack: what it came to, and the plan by which it is run again. */
export function sayAttack({ plan, result }: TriedAttack): string {
  const figures = Object.entries(result).map(
    ([name, value]) => `${name} ${typeof value === "number" ? value.toFixed(2) : value}`,
  );
  return `${figures.join(", ")}: ${JSON.stringify(plan)}`;
}
