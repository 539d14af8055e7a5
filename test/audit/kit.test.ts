// Proves that the auditor's kit agrees with honest records, and that it finds falsified ones at the entry that was
// falsified. With the check that finds it switched off, each falsification is missed there: these tests can fail.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { variedJournal } from "../journal/varied-journal.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { firstOf } from "./altered-events.ts";
import {
  type Audit,
  type AuditFiles,
  type AuditResult,
  audited,
  auditedAll,
  runKit,
} from "./audit-kit.ts";
import { epochManipulations } from "./epoch-manipulations.ts";
import {
  type EpochLine,
  type Evidence,
  exportOf,
  sealed,
  statementOf,
  written,
} from "./evidence.ts";
import {
  entryManipulations,
  type Falsified,
  type Honest,
  type Manipulation,
  statementManipulations,
} from "./manipulations.ts";

const run = promisify(execFile);
const briefEpochs = 40;

let folder: string;
let honest: Honest;
/** The beginning of the run, up to the end of an epoch: enough for statements and epochs, and soon audited. */
let brief: Honest;
let epochs: readonly EpochLine[];
let files: AuditFiles;
/** By name: the falsified records, and what was found in them. */
const falsified = new Map<string, Falsified>();
const findings = new Map<string, readonly (AuditResult | null)[]>();

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-audit-"));
  const { events } = variedJournal();
  honest = { events, balances: statementOf(events) };
  epochs = await sealed(events);
  const briefEvents = events.slice(0, Number(epochs[briefEpochs - 1]?.["last_seq"]));
  brief = { events: briefEvents, balances: statementOf(briefEvents) };
  const whole = { journal: exportOf(events), epochs, balances: honest.balances };
  files = await written(whole, folder, "honest");
  for (const { name, falsify } of entryManipulations) falsified.set(name, falsify(honest));
  for (const { name, falsify } of statementManipulations) falsified.set(name, falsify(brief));
  for (const { name, falsify } of epochManipulations) {
    const evidence = falsify(brief.events, epochs.slice(0, briefEpochs));
    falsified.set(name, { evidence, seq: null });
  }
  await auditFalsified();
});

/** Audits everything that is falsified twice: by the whole kit, and by one without the check that finds it. */
async function auditFalsified(): Promise<void> {
  const rules = [...entryManipulations, ...statementManipulations, ...epochManipulations];
  const audits: Audit[] = [];
  for (const [index, { name, rule }] of rules.entries()) {
    const { evidence } = falsified.get(name) as Falsified;
    const given = await written(evidence, folder, `falsified-${index}`);
    audits.push({ files: given, rule: null }, { files: given, rule });
  }
  const results = await auditedAll(audits);
  for (const [index, { name }] of rules.entries()) {
    findings.set(name, results.slice(2 * index, 2 * index + 2));
  }
}

after(() => rm(folder, { recursive: true, force: true }));

test("AUD-1 AUD-3 AUD-4 the kit recomputes every balance, position, leaf and root of a varied run", async () => {
  const result = await audited(files);
  const { entries, balances, positions, leaves_recomputed } = result;
  assert.equal(result.result, "agrees", result.rule);
  assert.equal(entries, honest.events.length);
  assert.equal(balances, honest.balances.balances.length);
  assert.equal(positions, honest.balances.positions.length);
  assert.equal(result.epochs, epochs.length);
  assert.equal(leaves_recomputed, true);
});

test("AUD-4 without openings, headers and counts of epochs are checked, and the kit says that leaves were not", async () => {
  const closed = epochs.map(({ nonces: _, leaves: __, ...line }) => line);
  const evidence = { journal: exportOf(honest.events), epochs: closed };
  const result = await audited(await written(evidence, folder, "closed"));
  assert.equal(result.result, "agrees", result.rule);
  assert.equal(result.epochs, epochs.length);
  assert.equal(result.leaves_recomputed, false);
});

/** What the kit found in falsified records, and what it found without the check. */
function found(name: string, rule: string): AuditResult {
  const [whole, without] = findings.get(name) ?? [null, null];
  assert.equal(whole?.result, "differs");
  assert.ok(whole.rule.includes(rule), whole.rule);
  // Without the check, the kit agrees, finds a consequence later, or breaks off where it relies on the check.
  const isSame = without?.seq === whole.seq && without?.rule?.includes(rule) === true;
  assert.ok(!isSame, "a kit without the check must not find it by this check");
  return whole;
}

for (const { name, rule } of entryManipulations) {
  test(`AUD-2 ${name}: the kit names the entry, and without the check it does not`, () => {
    const whole = found(name, rule);
    assert.equal(whole.seq, falsified.get(name)?.seq, JSON.stringify(whole));
  });
}

for (const { name, rule } of statementManipulations) {
  test(`AUD-3 ${name}: the kit names the account, and without the check it does not`, () => {
    const whole = found(name, rule);
    assert.equal(whole.seq, null);
    const account = falsified.get(name)?.account;
    if (account !== undefined) assert.equal(whole.account, account);
  });
}

for (const { name, rule } of epochManipulations) {
  test(`AUD-4 ${name}: the kit finds it, and without the check it does not`, () => {
    found(name, rule);
  });
}

test("AUD-2 exit codes: 0 agrees, 1 differs, 2 for usage and for files that cannot be audited", async () => {
  const [{ falsify }] = entryManipulations as [Manipulation];
  const { evidence } = falsify(honest);
  const falsified = await written(evidence, folder, "exit");
  const cut = await written({ journal: exportOf(honest.events).subarray(0, -9) }, folder, "cut");
  const codes = [];
  for (const args of [[files.journal], [falsified.journal], [cut.journal], [], ["nowhere"]]) {
    codes.push((await runKit(args)).code);
  }
  assert.deepEqual(codes, [0, 1, 2, 2, 2]);
  const { printed } = await runKit([falsified.journal]);
  assert.match(printed, /^result: differs\nseq: \d+\nkind: Traded\naccount: \d+\n/);
});

/** The export with another header, and the digest that follows. */
function withHeader(file: Buffer, change: (header: Record<string, string>) => void): Buffer {
  const recordsAt = 16 + file.readUInt32LE(12);
  const header = JSON.parse(file.toString("utf8", 16, recordsAt));
  change(header);
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.from(file.subarray(0, 16));
  prefix.writeUInt32LE(text.length, 12);
  const hashed = Buffer.concat([prefix, text, file.subarray(recordsAt, -44)]);
  const digest = createHash("sha256").update(hashed).digest();
  return Buffer.concat([hashed, file.subarray(-44, -32), digest]);
}

test("AUD-2 files of another form, and balances that the export has no event of, are not audited", async () => {
  const journal = exportOf(honest.events);
  const odd: Evidence[] = [
    { journal: withHeader(journal, (header) => delete header["from"]) },
    { journal: withHeader(journal, (header) => delete header["markets"]) },
  ];
  for (const seq of [0, -1, honest.events.length + 1])
    odd.push({ journal, balances: { ...honest.balances, seq } });
  for (const [index, evidence] of odd.entries()) {
    const { journal: path, ...more } = await written(evidence, folder, `odd-${index}`);
    const given = Object.entries(more).flatMap(([name, file]) => [`--${name}`, file]);
    const { code, printed, complained } = await runKit([path, ...given]);
    assert.deepEqual([code, printed], [2, ""], complained);
    assert.doesNotMatch(complained, /Traceback/);
  }
});

test("AUD-7 an entry of a kind that the kit does not know is a difference", async () => {
  const journal = withHeader(exportOf(honest.events), (header) => {
    const schema = header["schema"]?.replaceAll("MarketStatusSet", "MoneyVanished") ?? "";
    header["schema"] = schema;
    header["schema_sha256"] = createHash("sha256").update(schema).digest("hex");
  });
  const found = await audited(await written({ journal }, folder, "unknown"));
  assert.deepEqual([found.result, found.kind], ["differs", "MoneyVanished"]);
  assert.match(found.rule, /must know the kind/);
});

/** Peak memory in KiB of an audit, without any package of the Python installation. */
async function memoryOf(journal: Buffer, name: string): Promise<number> {
  const { journal: path } = await written({ journal }, folder, name);
  const program = [
    "import runpy, sys",
    "sys.argv = ['rialto_audit', sys.argv[1]]",
    "try: runpy.run_module('rialto_audit', run_name='__main__', alter_sys=True)",
    "except SystemExit as end: assert not end.code, end.code",
    // The peak that getrusage says includes that of the process that started Python.
    "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))",
  ];
  const kit = join(projectRoot, "tools/audit");
  const args = ["-S", "-c", program.join("\n"), path];
  const { stdout } = await run("python3", args, {
    cwd: kit,
    env: { ...process.env, PYTHONPATH: kit },
  });
  return Number(stdout.trimEnd().split("\n").at(-1));
}

test("AUD-8 the kit needs no packages, and its memory does not grow with the journal", async () => {
  const { events } = honest;
  const mark = firstOf(events, EventKind.marked);
  const last = events.at(-1) as VenueEvent;
  const marks = Array.from({ length: 200_000 }, (_, index) => {
    return { ...mark, seq: last.seq + 1 + index, tsUs: last.tsUs + 1 + index };
  });
  const long = exportOf([...events, ...marks]);
  const [few, many] = [await memoryOf(exportOf(events), "few"), await memoryOf(long, "many")];
  assert.ok(long.length > 8 * 2 ** 20, "the long journal must be long");
  assert.ok(many - few < 4_096, `${few} KiB and ${many} KiB`);
});
