// Proves that the auditor's kit recomputes statements of liabilities from the journal, and that it finds falsified ones.
// With the check that finds it switched off, each falsification is missed there: these tests can fail.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { variedJournal } from "../journal/varied-journal.ts";
import { type Audit, type AuditResult, audited, auditedAll } from "./audit-kit.ts";
import { type Evidence, exportOf, sealed, written } from "./evidence.ts";
import { type Lies, statedAfter } from "./liability-evidence.ts";
import { liabilityManipulations } from "./liability-manipulations.ts";

/** Statements in the honest evidence; each is about an epoch with entries. */
const honestStatements = 12;
/** The beginning of the run that is audited: long enough for positions, and soon audited. */
const briefEpochs = 40;

let folder: string;
let events: readonly VenueEvent[];
let epochs: readonly { readonly epoch: number; readonly lastSeq: number }[];
/** By name: what the whole kit found, and what it found without the check. */
const findings = new Map<string, readonly (AuditResult | null)[]>();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-liabilities-"));
  const all = variedJournal().events;
  const lines = await sealed(all);
  const stated = lines.slice(0, briefEpochs).map((line) => {
    return { epoch: Number(line["epoch"]), lastSeq: Number(line["last_seq"]) };
  });
  events = all.slice(0, stated.at(-1)?.lastSeq);
  // The entries with the digests come into the epoch of the last event.
  epochs = stated.filter(({ lastSeq }) => lastSeq < events.length);
  const audits: Audit[] = [];
  for (const [index, { lies, rule }] of liabilityManipulations.entries()) {
    const files = await written(await evidenceOf(epochs.slice(-1), lies), folder, `lie-${index}`);
    audits.push({ files, rule: null }, { files, rule });
  }
  const results = await auditedAll(audits);
  for (const [index, { name }] of liabilityManipulations.entries()) {
    findings.set(name, results.slice(2 * index, 2 * index + 2));
  }
});
after(() => rm(folder, { recursive: true, force: true }));

async function evidenceOf(about: typeof epochs, lies?: Lies): Promise<Evidence> {
  const told = statedAfter(events, about, lies);
  const journal = exportOf(told.events);
  return { journal, epochs: await sealed(told.events), statements: told.statements };
}

test("AUD-9 the kit recomputes the figures, trees and digests of statements", async () => {
  const about = epochs.slice(-honestStatements);
  const result = await audited(await written(await evidenceOf(about), folder, "honest"));
  assert.equal(result.result, "agrees", JSON.stringify(result));
  assert.equal(result.liabilities_statements, honestStatements);
});

for (const { name, rule } of liabilityManipulations) {
  test(`AUD-10 ${name}: the kit finds it, and without the check it does not`, () => {
    const [whole, without] = findings.get(name) ?? [null, null];
    assert.equal(whole?.result, "differs");
    for (const part of rule.split("{name}")) assert.ok(whole.rule.includes(part), whole.rule);
    const isSame = without?.seq === whole.seq && without?.rule === whole.rule;
    assert.ok(!isSame, "a kit without the check must not find it by this check");
  });
}

test("AUD-10 a second statement of an epoch is found, also if both are right", async () => {
  const [last] = epochs.slice(-1);
  assert(last !== undefined);
  const files = await written(await evidenceOf([last, last]), folder, "twice");
  const rule = "is the only one of its epoch";
  const [whole, without] = await auditedAll([
    { files, rule: null },
    { files, rule },
  ]);
  assert(whole?.rule.includes(rule), JSON.stringify(whole));
  assert.equal(without?.result, "agrees", JSON.stringify(without));
});
