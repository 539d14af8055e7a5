// The long crash run (JRN-1): at least fifty kills, more than half of them of the whole venue.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type KillKind, killKinds, renderReport, runCrashes } from "./crash-run.ts";

const kills = 60;

/** Every other kill is the venue's; the others take turns. */
function kindOf(round: number): KillKind {
  if (round % 2 === 0) return "venue";
  return killKinds[1 + (((round - 1) / 2) % (killKinds.length - 1))] ?? "both";
}

test("sixty kills under load lose and double nothing that was acknowledged", async (t) => {
  const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} repeats the flow`);
  const say = (words: string): void => t.diagnostic(words);
  const report = await runCrashes({ kills, clients: 16, seed, kindOf, say });
  t.diagnostic(renderReport(report));
  assert.deepEqual(report.faults, []);
  assert.equal(
    Object.values(report.kills).reduce((sum, count) => sum + count),
    kills,
  );
  assert(report.counts.acknowledged > 5_000, "the load was real");
});
