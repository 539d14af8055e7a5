// Proves over fifty strikes, or as many as FIX_STRIKES says, that sessions with continued numbers lose no report and never
// get two under one number (FIX-25, FIX-28). Every other strike kills the venue; the others drop connections.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RecoveryRun, type Strike } from "./recovery-run.ts";

const count = Number(process.env["FIX_STRIKES"] ?? 50);
const seed = Number(process.env["FIX_SEED"] ?? Date.now() % 1_000_000);
const drops = ["orders", "copies", "all"] as const;

test(`FIX-25 FIX-28 ${count} strikes lose no report and repeat no number`, async (t) => {
  t.diagnostic(`FIX_SEED=${seed} repeats this run`);
  const strikes = Array.from(
    { length: count },
    (_, at): Strike => (at % 2 === 0 ? "venue" : (drops[((at - 1) / 2) % drops.length] ?? "all")),
  );
  const say = (text: string) => void process.stderr.write(`${text}\n`);
  const report = await RecoveryRun.run({ strikes, seed, say });
  t.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.faults, []);
  assert(report.events > 10 * count && report.resent > count, "too little happened");
});
