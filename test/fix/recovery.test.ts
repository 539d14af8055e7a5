// Proves that sessions with continued numbers survive kills of their venue and losses of their connections (FIX-25,
// FIX-28). The long run is recovery.slow.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RecoveryRun } from "./recovery-run.ts";

test("FIX-25 FIX-28 after kills and losses each session has had every report once, under its number", async (t) => {
  const say = (text: string) => t.diagnostic(text);
  const strikes = ["venue", "orders", "venue", "copies", "all"] as const;
  const report = await RecoveryRun.run({ strikes, seed: 1, say });
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.faults, []);
  assert(report.events > 50 && report.resent > 10, "too little happened");
});
