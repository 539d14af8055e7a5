// Proves that the venue loses and duplicates nothing over a long crash run (JRN-1): three hundred kills by default,
// or as many as CRASH_KILLS says. The run is cut into parts of a hundred kills, each with a new venue, because every
// audit checks everything since the venue's first start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type KillKind, killKinds, renderReport, runCrashes } from "./crash-run.ts";
import { undone } from "./done-requests.ts";

const kills = Number(process.env["CRASH_KILLS"] ?? 300);
const killsOfLeg = 100;
/** With this many kills it is almost certain that at least one venue is killed again while it recovers. */
const killsWithRecovery = 30;
const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 1_000_000);

/** Every other kill hits the venue; the other kinds of kill take turns. */
function kindOf(round: number): KillKind {
  if (round % 2 === 0) return "venue";
  return killKinds[1 + (((round - 1) / 2) % (killKinds.length - 1))] ?? "both";
}

for (let from = 0; from < kills; from += killsOfLeg) {
  const count = Math.min(killsOfLeg, kills - from);
  const name = `kills ${from + 1} to ${from + count} under load lose and duplicate nothing`;
  test(`${name} that was acknowledged`, async (t) => {
    t.diagnostic(`seed ${seed + from}: CRASH_SEED=${seed} repeats all parts of this run`);
    const say = (message: string): void => void process.stderr.write(`${message}\n`);
    const people = { clients: 16, members: 4, users: 3 };
    const options = { kills: count, ...people, seed: seed + from, kindOf, say };
    const report = await runCrashes(options);
    t.diagnostic(renderReport(report));
    assert.deepEqual(report.faults, []);
    const killed = Object.values(report.outagesMs).reduce((sum, { length }) => sum + length, 0);
    assert.equal(killed, count);
    assert(report.counts.acknowledged > 20 * count, "too few requests were acknowledged");
    if (count >= killsWithRecovery) {
      assert(report.duringRecovery > 0, "no kill hit a venue that was still recovering");
      assert.deepEqual(undone(report.done), [], "routes of which no request was done");
    }
    assert(
      report.settled > 0 && report.credited > 0 && report.withdrawn > 0,
      "no money moved between ledger and venue",
    );
  });
}
