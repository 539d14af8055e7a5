// Searches for attacks that earn their attacker a profit: ten thousand attacks, or the number in ATTACKS, on all cores.
// The search runs in islands: each has its own seed, derived from SEED. Shorter searches then attack weaker venues: one
// without any defence, and for each defence one without it and without the others that would stop the same attacks.
// These searches prove that the search finds what the defences prevent.

import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { type TestContext, test } from "node:test";
import { Piscina } from "piscina";
import { riskTermRows } from "../../../src/core/perpetuals/risk-terms.ts";
import {
  addReports,
  type IslandOptions,
  type IslandReport,
  noReport,
  sayAttack,
} from "./attack-search.ts";
import { allDefences, type Defences, noDefence, without } from "./attack-terms.ts";
import { defenceProofs } from "./defence-proofs.ts";

const attacks = Number(process.env["ATTACKS"] ?? 10_000);
const firstSeed = Number(process.env["SEED"] ?? 1000 + (Date.now() % 1_000_000_000));
const attacksOfIsland = 250;
/** Enough attacks to try all known ones and about as many variants of them. */
const attacksOfProof = 100;

async function campaign(
  t: TestContext,
  { count, defences, name }: { count: number; defences: Defences; name: string },
): Promise<IslandReport> {
  t.diagnostic(`SEED=${firstSeed} repeats the attacks`);
  const pool = new Piscina<IslandOptions, IslandReport>({
    filename: new URL("./attack-search.worker.js", import.meta.url).href,
    name: "searchIsland",
    maxThreads: availableParallelism(),
  });
  t.after(() => pool.destroy());
  let total = noReport;
  const islands = Array.from({ length: Math.ceil(count / attacksOfIsland) }, async (_, island) => {
    const some = Math.min(attacksOfIsland, count - island * attacksOfIsland);
    const own = { seed: firstSeed + island, attacks: some, defences, startsKnown: island === 0 };
    // Read `total` only after the wait: another island may have changed it meanwhile.
    const report = await pool.run(own);
    total = addReports(total, report);
    const { attacks: done, profitable } = total;
    process.stderr.write(`${name}: ${done} of ${count} attacks, ${profitable} profitable\n`);
  });
  await Promise.all(islands);
  assert.equal(total.attacks, count, "Every attack must be counted");
  t.diagnostic(
    `${name}: ${total.attacks} attacks with ${Math.round(total.capital / total.attacks)} USDC on ` +
      `average, ${total.profitable} profitable, ${total.unsettled} not settled, marks moved by up ` +
      `to ${Math.round(total.markMoved)} basis points`,
  );
  return total;
}

function say(t: TestContext, { best }: IslandReport): void {
  for (const attack of best.filter(({ result }) => result.profit > 0))
    t.diagnostic(sayAttack(attack));
}

test("an attacker with up to a million USDC never profits", async (t) => {
  const report = await campaign(t, { count: attacks, defences: allDefences, name: "all defences" });
  say(t, report);
  assert.equal(report.profitable, 0);
  assert.equal(report.beyondBound, 0);
  assert.equal(report.unsettled, 0, "The mark must return and all liquidations must end");
});

test("attackers profit if the index is simply the middle of a book", async (t) => {
  const count = Math.ceil(attacks / 20);
  const { profitable } = await campaign(t, { count, defences: noDefence, name: "no defence" });
  assert(profitable > 0, "The search must find profitable attacks if there are no defences");
});

for (const { term, beside } of defenceProofs) {
  const named = [term, ...beside].map((one) => riskTermRows[one]?.name);
  const name = `without ${named.join(", ")}`;
  test(`attackers profit ${name}`, async (t) => {
    const defences = without([term, ...beside]);
    const { profitable } = await campaign(t, { count: attacksOfProof, defences, name });
    assert(profitable > 0, "Some attack must profit without this defence");
  });
}

test("attackers profit if positions may open before the first index", async (t) => {
  const defences = { ...allDefences, opensWithoutIndex: true };
  const name = "without an index";
  const { profitable } = await campaign(t, { count: attacksOfProof, defences, name });
  assert(profitable > 0, "Some attack must profit without this defence");
});
