// Proves that random days have every kind of command, and that each kind is executed in them at least once: the model, the
// simulation and the simulation of failover draw their commands from the same steps.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { auditedVenue } from "./clearing-runs.ts";
import { driveAlone, streams } from "./clearing-steps.ts";

/** Kinds that no step executes, and who does. */
const elsewhere: Readonly<Record<string, string>> = {
  tick: "every stream ends with ticks, which have no reply",
  bindWallet: "simulation of settlement",
  setRiskTerm: "market crashes",
  registerOrigin: "simulation of failover",
  signOfLife: "simulation of failover",
  edgeTime: "only venues that can be rewound have it, and it has no reply",
  stateLiabilities: "venues that state liabilities; it changes no state",
};

test("the steps of random days draw every kind of command, and each kind is executed", (t) => {
  const executed = new Map<number, number>();
  const [first] = fc.sample(streams(40_000), { seed: 26, numRuns: 1 });
  const { venue } = auditedVenue(2);
  for (const step of first ?? [])
    driveAlone(venue, step, ({ kind }) => ({ reason }) => {
      if (reason === RejectReason.none) executed.set(kind, (executed.get(kind) ?? 0) + 1);
    });
  const names = Object.entries(CommandKind);
  const missing = names.flatMap(([name, kind]) => (executed.has(kind) ? [] : [name]));
  t.diagnostic(names.map(([name, kind]) => `${executed.get(kind) ?? 0} ${name}`).join(", "));
  assert.deepEqual(missing, Object.keys(elsewhere));
});
