// Runs every scenario in this folder as a test with the name of its file, and proves that a scenario with a wrong
// figure fails.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runScenario } from "./scenario-run.ts";

const folder = join(fileURLToPath(import.meta.url), "../../../../test/scenario");
const names = readdirSync(folder).filter((name) => name.endsWith(".txt"));

for (const name of names.sort()) {
  test(name.slice(0, -".txt".length).replaceAll("-", " "), () => {
    runScenario(readFileSync(join(folder, name), "utf8"));
  });
}

// Clauses that scenarios prove, cited here for the spec coverage: RSK-3 RSK-4 RSK-5 RSK-6 RSK-7 RSK-8 RSK-9 RSK-10
// RSK-11 RSK-16 RSK-22 RSK-42 RSK-43 RSK-44
test("each rule of liquidation has a scenario", () => {
  const texts = names.map((name) => readFileSync(join(folder, name), "utf8")).join();
  for (const clause of [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 20, 22, 23, 24, 25, 26, 28, 29, 42, 43, 44,
  ]) {
    assert.match(texts, new RegExp(`\\bRSK-${clause}\\b`), `RSK-${clause}`);
  }
});

test("the check can fail: scenarios are found, and a wrong figure, row or word fails", () => {
  assert(names.length >= 8);
  const given = "accounts\n  account perp\n  long 100\n";
  runScenario(`${given}balances\n  account perp\n  long 100.00`);
  assert.throws(
    () => runScenario(`${given}balances\n  account perp\n  long 100.01`),
    /line 6: perp/,
  );
  assert.throws(() => runScenario(`${given}balances\n  account perp\n  long`), /line 6/);
  assert.throws(() => runScenario(`${given}balances\n  account cash\n  long 1`), /no column cash/);
  assert.throws(() => runScenario("dance"), /line 1: dance/);
});
