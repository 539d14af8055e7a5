// The adversary in short: known attacks, and a search from a fixed seed. The whole campaign is
// adversary.slow.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { present } from "../../../src/core/assert.ts";
import { runAttack } from "./attack.ts";
import type { AttackPlan } from "./attack-plan.ts";
import { type IslandOptions, leastProfit, runIsland, sayAttack } from "./attack-search.ts";
import { knownAttacks, quietScene } from "./known-attacks.ts";

const searched: IslandOptions = { seed: 21, attacks: 60 };

/** Those that need no search to bring something where the index is the plain middle of a small book. */
const profitable = [
  ...["drain up BTC", "drain down BTC", "spoof BTC", "hunt BTC", "empty book BTC", "creep BTC"],
  ...["drain down CC", "hunt CC"],
];

/** Somebody who takes a position from the makers and keeps it. */
function trader(): AttackPlan {
  const plan = present(knownAttacks.get("boundary BTC"), "an attack that is known");
  return { ...plan, plays: plan.plays.filter(({ kind }) => kind === "take") };
}

test("known attacks profit where the index is the plain middle of a book", () => {
  for (const name of profitable) {
    const plan = present(knownAttacks.get(name), "an attack that is known");
    const result = runAttack(plan);
    assert(result.profit > 1000, `${name}: ${sayAttack({ plan, result })}`);
  }
});

test("a search finds attacks that profit there, the same ones from the same seed", () => {
  const report = runIsland(searched);
  assert.equal(report.attacks, searched.attacks);
  assert(report.profitable > 0 && report.markMoved > 100);
  assert.deepEqual(runIsland(searched), report);
});

test("an attacker who moves no price earns nothing", () => {
  const plan = present(knownAttacks.get("drain up BTC"), "an attack that is known");
  const plays = plan.plays.filter(({ kind }) => kind === "pair" || kind === "withdraw");
  const idle = runAttack({ ...plan, plays });
  assert(idle.profit < 0 && idle.profit > -1000, "a pair of positions costs its fees");
  assert.equal(idle.fundLoss, 0);
  const trading = runAttack(trader());
  assert(trading.profit < -leastProfit && trading.makersLoss < 0, "who trades pays the spread");
});

test("where the fair price moves, a position earns nothing on the mean of both directions", () => {
  const plan = trader();
  const scene = { ...quietScene, traders: 0, drift: 5, driftSeconds: 20 };
  const { profit } = runAttack({ ...plan, scene, purses: { ...plan.purses, coins: 1 } });
  assert(profit < -leastProfit, `a bet earns nothing: ${profit}`);
});
