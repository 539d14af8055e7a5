// Proves in a short run that attackers earn nothing: known attacks fail, each risk term stops an attack that profits
// without it, and a search from a fixed seed finds no profit. The full campaign is adversary.slow.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "../../../src/core/assert.ts";
import { RiskTerm, riskTermRows } from "../../../src/core/perpetuals/risk-terms.ts";
import { type AttackResult, runAttack } from "./attack.ts";
import type { AttackPlan } from "./attack-plan.ts";
import { type IslandOptions, leastProfit, runIsland, sayAttack } from "./attack-search.ts";
import { allDefences, type Defences, noDefence, without } from "./attack-terms.ts";
import { defenceProofs } from "./defence-proofs.ts";
import { knownAttacks, quietScene } from "./known-attacks.ts";
import { publishedBound } from "./published-bound.ts";

const searched: IslandOptions = { seed: 21, attacks: 40, defences: noDefence, startsKnown: false };

/** Known attacks that profit without any search if the index is simply the middle of a small book. */
const profitable = [
  ...["drain up BTC", "drain down BTC", "spoof BTC", "hunt BTC", "empty book BTC", "creep BTC"],
  ...["drain down CC", "hunt CC"],
];

function known(name: string): AttackPlan {
  return present(knownAttacks.get(name), "This attack must be in the list of known attacks");
}

function attack(name: string, defences: Defences): AttackResult {
  return runAttack(known(name), { defences });
}

/** Returns an attack plan that takes a position from the makers and keeps it. */
function trader(): AttackPlan {
  const plan = known("boundary BTC");
  return { ...plan, plays: plan.plays.filter(({ kind }) => kind === "take") };
}

test("known attacks profit if the index is simply the middle of a book", () => {
  for (const name of profitable) {
    const result = attack(name, noDefence);
    assert(result.profit > 1000, `${name}: ${sayAttack({ plan: known(name), result })}`);
  }
});

test("no known attack profits against a market's initial risk terms", () => {
  for (const [name, plan] of knownAttacks) {
    const result = runAttack(plan);
    assert(result.profit < leastProfit, `${name}: ${sayAttack({ plan, result })}`);
    assert(result.isSettled, `${name} must leave no open liquidation and no moved mark`);
  }
});

test("each risk term stops an attack that profits without it", () => {
  assert.deepEqual(
    defenceProofs.map(({ term }) => term),
    riskTermRows.map(({ term }) => term),
  );
  for (const { term, beside, attack: name, held: value } of defenceProofs) {
    const there = without(beside);
    const own = value === undefined ? [] : [[term, value] as const];
    const held = attack(name, { ...there, terms: [...there.terms, ...own] });
    const missed = attack(name, without([...beside, term]));
    const message = `${riskTermRows[term]?.name}, ${name}: ${held.profit} with it`;
    assert(held.profit < leastProfit, message);
    assert(missed.profit > 1000, `${message}, ${missed.profit} without`);
  }
});

test("an attack profits in a market that opens positions before its first index", () => {
  const held = attack("before index BTC", allDefences);
  const missed = attack("before index BTC", { ...allDefences, opensWithoutIndex: true });
  assert(held.profit < leastProfit && missed.profit > 1000, `${held.profit}, ${missed.profit}`);
});

test("RSK-35 no attack gains more than the published limit, even if the fund's limit is the only defence", () => {
  const others = riskTermRows.map(({ term }) => term);
  const bounded = without(others.filter((term) => term !== RiskTerm.fundLossPerHour));
  const open = { ...bounded, opensWithoutIndex: true };
  let [most, gained] = [0, 0];
  for (const [name, plan] of knownAttacks) {
    const result = runAttack(plan, { defences: open });
    const bound = publishedBound(result);
    assert(result.profit <= bound, `${name}: ${sayAttack({ plan, result })}, not ${bound}`);
    most = Math.max(most, result.profit / bound);
    if (result.profit > 1000) gained++;
  }
  assert(
    gained > 3 && most > 0.02,
    `${gained} attacks gain, at most ${most} of the limit; this is too little to test the limit`,
  );
  const { beyondBound, profitable } = runIsland({ ...searched, defences: open });
  assert.equal(beyondBound, 0);
  assert(profitable > 0);
});

test("a search without defences finds profitable attacks, and the same seed finds the same ones", () => {
  const report = runIsland(searched);
  assert.equal(report.attacks, searched.attacks);
  assert(report.profitable > 0 && report.markMoved > 100);
  assert.deepEqual(runIsland(searched), report);
});

test("a search finds no profitable attack against a market's initial risk terms", () => {
  const { best, profitable: found } = runIsland({ ...searched, defences: allDefences });
  assert.equal(found, 0, best.map(sayAttack).join("\n"));
});

test("an attacker who moves no price earns nothing", () => {
  const plan = known("drain up BTC");
  const plays = plan.plays.filter(({ kind }) => kind === "pair" || kind === "withdraw");
  const idle = runAttack({ ...plan, plays });
  assert(idle.profit < 0 && idle.profit > -2000, "A pair of positions must cost its fees");
  assert.equal(idle.fundLoss, 0);
  const trading = runAttack(trader());
  assert(trading.profit < -leastProfit && trading.makersLoss < 0, "A trader must pay the spread");
});

test("without defences, a fall of the index costs other traders money", () => {
  const { tradersLoss } = attack("hunt BTC", noDefence);
  assert(tradersLoss > 1000, `${tradersLoss}`);
});

test("when the fair price moves, a position loses money on average over both directions", () => {
  const plan = trader();
  const scene = { ...quietScene, traders: 0, drift: 2, driftSeconds: 50 };
  const { profit } = runAttack({ ...plan, scene, purses: { ...plan.purses, coins: 1 } });
  assert(profit < -leastProfit, `A bet on the direction must lose money, but gained ${profit}`);
});
