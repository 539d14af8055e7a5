// Proves over a long campaign that leader, gateways, bus and database may fail under load without losing or repeating
// anything that was acknowledged: 340 faults by default, or as many as FAILOVER_FAULTS says. The campaign is cut into
// parts, each with new processes and a new database, because every audit checks everything since the start.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import { drawFaults } from "./failover-faults.ts";
import { renderReport, runFailovers } from "./failover-run.ts";

const count = Number(process.env["FAILOVER_FAULTS"] ?? 340);
const seed = Number(process.env["FAILOVER_SEED"] ?? Date.now() % 1_000_000);
const partMax = 50;
const clients = 12;
const all = drawFaults(count, new SeededRandom(seed));

for (let from = 0; from < count; from += partMax) {
  const faults = all.slice(from, from + partMax);
  test(`GWY-6 GWY-12 LDR-5 LDR-6 faults ${from + 1} to ${from + faults.length} lose and repeat nothing`, {
    skip: lacksNats(),
  }, async (t) => {
    t.diagnostic(`FAILOVER_SEED=${seed} repeats all parts of this campaign`);
    const say = (words: string): void => void process.stderr.write(`${words}\n`);
    const report = await runFailovers({ faults, clients, seed: seed + from, say });
    t.diagnostic(`\n${renderReport(report)}`);
    assert.deepEqual(report.faults, []);
    assert(report.counts.acknowledged > 10 * faults.length, "too few orders were acknowledged");
  });
}
