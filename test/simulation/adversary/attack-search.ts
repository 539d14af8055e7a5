// Searches for profitable attacks: known ones, random ones, and mutations of the best so far. An island is one search
// with its own seed. Islands share no data, so a run gives the same result on any number of cores.

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
  /** Whether to try the known attacks first, unchanged. */
  readonly startsKnown: boolean;
}

export interface TriedAttack {
  readonly plan: AttackPlan;
  readonly result: AttackResult;
}

export interface IslandReport {
  readonly attacks: number;
  /** Number of attacks with a profit of more than a cent. */
  readonly profitable: number;
  /** Number of attacks with a profit above the limit that the risk page publishes. */
  readonly beyondBound: number;
  /** Number of attacks whose liquidations were still open hours later. */
  readonly unsettled: number;
  /** The most profitable attacks, best first. */
  readonly best: readonly TriedAttack[];
  /** Sum of the attackers' capital over all attacks, in whole units of USDC. */
  readonly capital: number;
  /** Largest distance of a mark from the fair price, in basis points. */
  readonly markMoved: number;
}

/** Smallest profit that is not a rounding error, in whole units of USDC. */
export const leastProfit = 0.01;
const elitesMax = 12;
const bestMax = 5;

/** One of the best attacks so far, which the search mutates. */
interface Elite extends TriedAttack {
  readonly score: number;
}

/**
 * Returns two scores. The first is mainly the attacker's profit; the second is mainly the damage that others suffer,
 * whatever it costs the attacker. Damage is what the fund took over, the losses of the fund and of traders, and the
 * distance of the mark. Returns null for an attack that does nothing: its profit of zero would otherwise beat most
 * attacks.
 */
function scoresOf({ plan, result }: TriedAttack): readonly [gain: number, harm: number] | null {
  const { profit, fundLoss, tradersLoss, takenOver, markMoved } = result;
  const moved = plan.scene.drift === 0 ? Math.min(markMoved, 1000) : 0;
  const harm = Math.max(fundLoss, 0) + Math.max(tradersLoss, 0) + takenOver / 200 + moved / 10;
  return harm < 5 && profit <= 0 ? null : [profit + harm / 4, harm + profit / 10];
}

/** Tries `attacks` attacks; the same seed gives the same attacks. */
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

/** Adds `found` unless an attack has the same score. If there are then too many attacks, drops the worst. */
function keep(elites: Elite[], found: Elite): void {
  if (elites.some(({ score }) => score === found.score)) return;
  elites.push(found);
  elites.sort((one, other) => other.score - one.score);
  if (elites.length > elitesMax) elites.pop();
}

/** Adds up two reports. */
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

/** Returns one line with the result of an attack and the plan that runs it again. */
export function sayAttack({ plan, result }: TriedAttack): string {
  const figures = Object.entries(result).map(
    ([name, value]) => `${name} ${typeof value === "number" ? value.toFixed(2) : value}`,
  );
  return `${figures.join(", ")}: ${JSON.stringify(plan)}`;
}
