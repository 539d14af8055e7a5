// Proves that an acknowledged request is durable (JRN-1, JRN-3, JRN-7, OPS-2, SPT-15): after one kill of each kind
// under load, everything acknowledged exists exactly once. The long run is crash.slow.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { killKinds, renderReport, runCrashes } from "./crash-run.ts";

test("six kills under load lose and duplicate nothing that was acknowledged", async (t) => {
  const report = await runCrashes({
    kills: killKinds.length,
    ...{ clients: 12, members: 3, users: 2 },
    seed: 1,
    kindOf: (round) => killKinds[round % killKinds.length] ?? "venue",
    say: (message) => t.diagnostic(message),
  });
  t.diagnostic(renderReport(report));
  assert.deepEqual(report.faults, []);
  assert(report.counts.acknowledged > 100, "too few requests were acknowledged");
  assert(report.counts.fills > 10, "no orders matched");
  assert(report.credited > 0 && report.withdrawn > 0, "no money moved between ledger and venue");
});
