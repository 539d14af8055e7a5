// Ten thousand attacks in one run, or as many as ATTACKS says, on every core: islands of a search, each with
// a seed that follows from SEED.

import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { type TestContext, test } from "node:test";
import { Piscina } from "piscina";
import {
  addReports,
  type IslandOptions,
  type IslandReport,
  noReport,
  sayAttack,
} from "./attack-search.ts";

const attacks = Number(process.env["ATTACKS"] ?? 10_000);
const firstSeed = Number(process.env["SEED"] ?? 1000 + (Date.now() % 1_000_000_000));
const attacksOfIsland = 250;

async function campaign(t: TestContext, count: number): Promise<IslandReport> {
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
    total = addReports(total, await pool.run({ seed: firstSeed + island, attacks: some }));
    process.stderr.write(`${total.attacks} of ${count} attacks, ${total.profitable} profitable\n`);
  });
  await Promise.all(islands);
  t.diagnostic(
    `${total.attacks} attacks with ${Math.round(total.capital / total.attacks)} USDC on average: ` +
      `${total.profitable} profitable, ${total.unsettled} not settled, marks moved by up to ` +
      `${Math.round(total.markMoved)} basis points`,
  );
  for (const attack of total.best.filter(({ result }) => result.profit > 0))
    t.diagnostic(sayAttack(attack));
  return total;
}

test("the adversary profits where the index is the plain middle of a book", async (t) => {
  const { profitable } = await campaign(t, Math.ceil(attacks / 20));
  assert(profitable > 0, "an adversary who finds nothing proves nothing");
});
