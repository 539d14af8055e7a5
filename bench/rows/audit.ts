// Row E6: how fast the auditor's kit recomputes the books and the sealed epochs of a venue. The journal is filled while
// the venue is stopped, the venue seals it, its command line exports it, and the kit runs on the files as it does for an
// auditor. AUDIT_EVENTS sets the size of the journal.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { type AuditFiles, type AuditResult, audited } from "../../test/audit/audit-kit.ts";
import { until } from "../../test/epochs/epoch-waits.ts";
import { runCli } from "../../test/support/venue/cli-process.ts";
import { median } from "../report/median.ts";
import { atLeast, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillVenue } from "../venue/filled-venue.ts";

const eventsDefault = 1_000_000;
const perSecondMin = 50_000;
/** Audits of each kind. With PyPy it is one, because its hashes are slow. */
const runs = 3;
const accounts = 4_000;
/** Of ten entries, one is an order that still rests at the end. */
const entriesPerRestingOrder = 10;
/** Short epochs, so that the row does not wait a minute for one. */
const settings = { EPOCH_SECONDS: "10" };
/** Hashing a million entries takes ten seconds, and far longer beside other work. */
const sealMsMax = 300_000;

interface Exported {
  readonly files: Required<Pick<AuditFiles, "journal" | "epochs" | "balances">>;
  /** The last of the filled entries. */
  readonly seq: number;
  readonly exportS: number;
}

/** Fills, seals and exports a journal. Nothing of the venue runs afterwards. */
async function exported(bench: Bench): Promise<Exported> {
  const events = Number(process.env["AUDIT_EVENTS"] ?? eventsDefault);
  const restingOrders = Math.ceil(events / entriesPerRestingOrder);
  const target = { events, restingOrders, accounts };
  const { dataDir, seq } = await fillVenue(bench, 1, target, settings);
  const venue = await bench.stage.startVenue(dataDir, settings);
  bench.say("the venue seals its journal");
  const sql = openPostgres(await venue.database(), "queries");
  const isSealed = async () => {
    const [row] = await sql<{ last_seq: string | null }[]>`
      select max(last_seq)::text as last_seq from epochs`;
    return Number(row?.last_seq ?? 0) >= seq ? true : null;
  };
  await until("epochs that have every filled entry", isSealed, sealMsMax);
  await sql.end();
  await venue.stop();
  const [journal, epochs, balances] = [
    join(dataDir, "journal.rialto"),
    join(dataDir, "epochs.jsonl"),
    join(dataDir, "balances.json"),
  ];
  bench.say("exporting");
  const startedMs = performance.now();
  const args = ["journal", "export", "--out", journal, "--epochs", epochs, "--balances", balances];
  const { code, complained } = await runCli(args, { DATA_DIR: dataDir });
  if (code !== 0) throw new Error(`the export ended with ${code}: ${complained}`);
  const exportS = (performance.now() - startedMs) / 1000;
  return { files: { journal, epochs, balances }, seq, exportS };
}

/** Audits these files; throws unless the kit agrees with all of them. */
async function agreed(files: AuditFiles, python: string): Promise<AuditResult> {
  const found = await audited(files, python);
  if (found.result !== "agrees") throw new Error(`entry ${found.seq} differs: ${found.rule}`);
  return found;
}

/** Throws unless the kit recomputed the leaf of every filled entry. */
function checkLeaves(found: AuditResult, seq: number): void {
  const { entries, entries_not_sealed: unsealed } = found;
  if (!found.leaves_recomputed || unsealed === null || entries - unsealed < seq)
    throw new Error(`leaves were not recomputed: ${unsealed} of ${entries} entries not sealed`);
}

/** The kit's speed on one Python, in entries per second. */
interface Rates {
  /** Implementation and version of this Python. */
  readonly version: string;
  readonly withEpochs: number;
  readonly booksAlone: number;
  readonly entries: number;
  readonly epochs: number;
}

/** Medians of `times` audits of each kind, each a process of its own; null if the machine has no such Python. */
async function ratesOf(
  { files, seq }: Exported,
  python: string,
  times: number,
): Promise<Rates | null> {
  const version = await versionOf(python);
  if (version === null) return null;
  const { journal, balances } = files;
  const [whole, books]: [AuditResult[], AuditResult[]] = [[], []];
  for (let run = 0; run < times; run++) {
    whole.push(await agreed(files, python));
    books.push(await agreed({ journal, balances }, python));
  }
  for (const found of whole) checkLeaves(found, seq);
  const rate = (found: readonly AuditResult[]) =>
    median(found.map(({ entries_per_second: perSecond }) => perSecond));
  const { entries = 0, epochs = 0 } = whole[0] ?? {};
  return {
    ...{ version, withEpochs: rate(whole), booksAlone: rate(books) },
    ...{ entries, epochs: epochs ?? 0 },
  };
}

async function versionOf(python: string): Promise<string | null> {
  const script = "import platform as p; print(p.python_implementation(), p.python_version())";
  try {
    return (await promisify(execFile)(python, ["-c", script])).stdout.trim();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") return null;
    throw error;
  }
}

async function auditing(bench: Bench): Promise<Reading> {
  const made = await exported(bench);
  bench.say("auditing");
  const usual = await ratesOf(made, "python3", runs);
  if (usual === null) throw new Error("the kit needs python3");
  const other = await ratesOf(made, "pypy3", 1);
  const { version, withEpochs, booksAlone, entries, epochs } = usual;
  return {
    measured: `${shortNumber(withEpochs)} entries/s; books alone ${shortNumber(booksAlone)}/s`,
    baseline: "",
    ...atLeast(withEpochs, perSecondMin),
    figures: {
      "entries/s": withEpochs,
      "entries/s without epochs": booksAlone,
      ...(other !== null && {
        "PyPy entries/s": other.withEpochs,
        "PyPy entries/s without epochs": other.booksAlone,
      }),
      ...{ entries, epochs, "s of export": made.exportS },
    },
    notes: [
      `${version}; ${shortNumber(entries)} entries, ${epochs} epochs, every leaf recomputed; medians of ${runs} runs`,
      ...(other === null
        ? []
        : [
            `one run of ${other.version}: ${shortNumber(other.withEpochs)} entries/s, books alone ${shortNumber(other.booksAlone)}/s`,
          ]),
    ],
  };
}

export const auditRows: readonly BenchRow[] = [
  {
    id: "E6",
    measure: "the auditor's kit on a journal of 1 M entries with its sealed epochs",
    goal: "≥ 50,000 entries/s, books, leaves and roots",
    isSlow: true,
    run: auditing,
  },
];
