// Proves over a long campaign that leader, gateways, bus and database may fail under load without losing or repeating
// anything that was acknowledged. As root on Debian, machines are network namespaces; elsewhere they are processes on
// loopback, which cannot be cut off. The whole mix of faults by default, or:
//
//   FAILOVER_FAULTS   how many faults
//   FAILOVER_SEED     repeats a campaign
//   FAILOVER_KINDS    kinds of faults, separated by commas
//   FAILOVER_PLACE    `loopback` or `cluster`
//
// The campaign is cut into parts, each with new processes and a new database, because every audit checks everything since
// the start.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { undone } from "../crash/done-requests.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import { installPrograms } from "../support/cluster/programs.ts";
import { clusterMix, clusterStrikes } from "./cluster/cluster-faults.ts";
import { ClusterWorld } from "./cluster/cluster-world.ts";
import { renderOutages, renderReport, type Struck } from "./failover-report.ts";
import { runFailovers } from "./failover-run.ts";
import type { FailoverWorld } from "./failover-world.ts";
import { drawFaults, type FaultMix, faultsOf, limited, type Strike } from "./fault-mix.ts";
import { loopbackMix, loopbackStrikes } from "./loopback/loopback-faults.ts";
import { LoopbackWorld } from "./loopback/loopback-world.ts";

const env = process.env;
const seed = Number(env["FAILOVER_SEED"] ?? Date.now() % 1_000_000);
const partMax = 30;
const traders = 12;
const struck: Struck[] = [];
const say = (words: string): void => void process.stderr.write(`${words}\n`);

const hasCluster =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  (await installPrograms()).length === 0;
const place = env["FAILOVER_PLACE"] ?? (hasCluster ? "cluster" : "loopback");
say(`a campaign on ${place}; FAILOVER_SEED=${seed} repeats it`);

/** Declares one test for each part of a campaign. */
function campaign<World extends FailoverWorld, Kind extends string>(
  whole: FaultMix<Kind>,
  strikes: Readonly<Record<Kind, Strike<World>>>,
  open: (options: { readonly traders: number; readonly seed: number }) => Promise<World>,
): void {
  const mix = limited(whole, env["FAILOVER_KINDS"]?.split(",") ?? null);
  const count = Number(env["FAILOVER_FAULTS"] ?? faultsOf(mix));
  const all = drawFaults(mix, count, new SeededRandom(seed));
  for (let from = 0; from < count; from += partMax) {
    const faults = all.slice(from, from + partMax);
    const names = `faults ${from + 1} to ${from + faults.length} of ${count}`;
    test(`GWY-5 GWY-6 GWY-12 LDR-5 LDR-6 ${names} lose and repeat nothing`, {
      skip: lacksNats(),
    }, async (t) => {
      const world = await open({ traders, seed: seed + from });
      const report = await runFailovers(world, { faults, strikes, seed: seed + from, say });
      struck.push(...report.struck);
      t.diagnostic(`\n${renderReport(report)}`);
      assert.deepEqual(report.faults, []);
      assert(report.counts.acknowledged > 10 * faults.length, "too few orders were acknowledged");
      if (faults.length === partMax)
        assert.deepEqual(undone(report.done), [], "routes of which no request was done");
    });
  }
}

if (place === "cluster") campaign(clusterMix, clusterStrikes, ClusterWorld.open);
else campaign(loopbackMix, loopbackStrikes, LoopbackWorld.open);

after(() => say(`\nall parts of the campaign\n${renderOutages(struck)}`));
