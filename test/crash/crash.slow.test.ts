// The long crash run (JRN-1): three hundred kills by default, or CRASH_KILLS. It is cut into runs of a hundred,
// each with its own venue, because every audit checks the whole run so far.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type KillKind, killKinds, renderReport, runCrashes } from "./crash-run.ts";

const kills = Number(process.env["CRASH_KILLS"] ?? 300);
const killsOfLeg = 100;
/** Enough kills that some almost certainly hit the venue again before it is ready. */
const killsWithRecovery = 30;
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000);

/** Every other kill hits the venue; the other kinds take turns. */
function kindOf(round: number): KillKind {
  if (round % 2 === 0) return "venue";
  return killKinds[1 + (((round - 1) / 2) % (killKinds.length - 1))] ?? "both";
}

for (let from = 0; from < kills; from += killsOfLeg) {
  const count = Math.min(killsOfLeg, kills - from);
  const name = `kills ${from + 1} to ${from + count} under load lose and duplicate nothing`;
  test(`${name} that was acknowledged`, async (t) => {
    t.diagnostic(`seed ${seed + from}: CRASH_SEED=${seed} repeats the flow of all legs`);
    const say = (message: string): void => void process.stderr.write(`${message}\n`);
    const people = { clients: 16, members: 4, users: 3 };
    const options = { kills: count, ...people, seed: seed + from, kindOf, say };
    const report = await runCrashes(options);
    t.diagnostic(renderReport(report));
    assert.deepEqual(report.faults, []);
    const killed = Object.values(report.outagesMs).reduce((sum, { length }) => sum + length, 0);
    assert.equal(killed, count);
    assert(report.counts.acknowledged > 20 * count, "the load was real");
    if (count >= killsWithRecovery)
      assert(report.duringRecovery > 0, "some kills hit a venue that recovers");
    assert(report.settled > 0 && report.credited > 0 && report.withdrawn > 0, "money moved");
  });
}
