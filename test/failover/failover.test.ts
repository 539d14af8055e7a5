// Proves on processes that gateways and leadership work together: one fault of each usual kind, under load, loses
// nothing that was acknowledged, executes nothing twice and leaves streams without a gap.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lacksNats } from "../support/bus/nats-server.ts";
import { renderReport } from "./failover-report.ts";
import { runFailovers } from "./failover-run.ts";
import { loopbackStrikes as strikes } from "./loopback/loopback-faults.ts";
import { LoopbackWorld } from "./loopback/loopback-world.ts";

const faults = [
  ...(["leader killed", "handover", "gateway killed", "NATS killed"] as const),
  "leader without NATS" as const,
];

/** Longer than a busy machine stalls, so that only the faults change the leader. */
const leaseMs = 10_000;
/** The same orders in each run; failover.slow.test.ts draws others. */
const seed = 1;

test("GWY-5 GWY-6 GWY-12 LDR-6 LDR-7 LDR-16 clients of gateways lose nothing when the leader, a gateway or the bus is lost", {
  skip: lacksNats(),
}, async (t) => {
  const world = await LoopbackWorld.open({ traders: 6, seed, leaseMs });
  const say = (words: string) => t.diagnostic(words);
  const report = await runFailovers(world, { faults, strikes, seed, say });
  t.diagnostic(`\n${renderReport(report)}`);
  assert.deepEqual(report.faults, []);
  assert(report.counts.acknowledged > 100, "too few orders were acknowledged");
  assert(report.frames > 100, "the streams had too few frames");
  assert(
    report.epochs >= 3 && report.answers > report.counts.acknowledged / 2,
    "answers are missing",
  );
  assert(report.statements > 0, "no liabilities were stated");
});
