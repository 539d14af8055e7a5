// What the commands `journal …` do: write the journal's events to a file for other programs, and check such a file.
// An export only reads committed events, whether the venue runs or not. `journal accept` lets a venue start again on a
// journal that lacks what it has acknowledged.

import { createReadStream } from "node:fs";
import { InvalidArgumentError } from "commander";
import { PostgresEventStore } from "../../adapters/postgres/event-store.ts";
import { PostgresEpochAnchors } from "../../adapters/postgres/queries/journal/epoch-anchors.ts";
import { eventTimeUs } from "../../adapters/postgres/queries/journal/journal-time.ts";
import { loadMarketTable } from "../../adapters/postgres/queries/journal/markets.ts";
import { controlSocketPath, isAnswered } from "../../adapters/runtime/control-socket.ts";
import {
  checkJournalFile,
  eventSchemaDigest,
  JournalFileBytes,
  JournalFileFault,
  type JournalFileHeader,
  journalFileHeader,
} from "../../services/journal/journal-file.ts";
import { type Config, readConfig } from "../config/config.ts";
import type { VenueDatabase } from "../database.ts";
import { MarkFile } from "../leadership/mark-file.ts";
import { openStoredDatabase } from "../stored-database.ts";
import { writeBalances, writeEpochs, writeStatements } from "./journal-evidence.ts";
import { ExitCode, logOf, show, showFailure } from "./terminal/output.ts";
import { type Output, openOutput } from "./terminal/output-file.ts";
import { ProgressBar } from "./terminal/progress-bar.ts";

/** Events read per statement: some two megabytes. */
const eventsPerRead = 16_384;

export interface ExportOptions {
  readonly from?: number;
  readonly to?: number;
  readonly out: string;
  readonly epochs?: string;
  readonly balances?: string;
  readonly statements?: string;
  readonly force?: boolean;
}

/** Writes the files that the options name, and shows what is in them. */
export async function exportFiles(options: ExportOptions): Promise<void> {
  const done = await inDatabase(readConfig(process.env), (database, config) =>
    exportJournal(database, config, options),
  );
  // With `-`, nothing but the file itself may be written to standard output.
  if (options.out !== "-") show({ file: options.out, ...done });
}

/** Accepts that acknowledged events up to `seq` are missing. */
export async function accept(seq: number): Promise<void> {
  const config = readConfig(process.env);
  if (await isAnswered(controlSocketPath(config.dataDir)))
    throw new Error("the venue is running: its journal lacks nothing that is known here");
  show(await inDatabase(config, (database) => acceptLoss(database, config, seq)));
}

async function acceptLoss(
  { connection }: VenueDatabase,
  config: Config,
  seq: number,
): Promise<object> {
  const { dataDir } = config;
  const file = await MarkFile.open({ dataDir, connection, log: logOf(config, "main") });
  const { headSeq } = await file.accept(seq);
  return { acknowledged: seq, journal_ends_at: headSeq, lost: Math.max(0, seq - headSeq) };
}

/** Runs `work` on the database of the data folder's venue, which may be running or stopped. */
export async function inDatabase<T>(
  config: Config,
  work: (database: VenueDatabase, config: Config) => Promise<T>,
): Promise<T> {
  const database = await openStoredDatabase(config, logOf(config, "main"));
  try {
    return await work(database, config);
  } finally {
    await database.close();
  }
}

async function exportJournal(
  { connection, sql }: VenueDatabase,
  config: Config,
  { out, epochs, balances, statements, force = false, ...wanted }: ExportOptions,
): Promise<object> {
  const log = logOf(config, "main");
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  try {
    const { from, to } = rangeOf(wanted, await store.baseSeq(), await store.lastSeq());
    const [table, firstUs, lastUs, anchor] = await Promise.all([
      loadMarketTable(sql),
      eventTimeUs(sql, from),
      eventTimeUs(sql, to),
      new PostgresEpochAnchors(sql).lastConfirmed(),
    ]);
    const range = { from, to, firstUs, lastUs };
    const header = journalFileHeader(range, table, anchor?.network ?? null);
    const evidence = { from, to, table, store, connection, sql, config, log };
    const files: { readonly output: Output; readonly write: (to: Output) => Promise<object> }[] =
      [];
    const answers: object[] = [];
    try {
      for (const [option, path, write] of [
        ["--out", out, (output: Output) => writeFile(store, header, output)],
        ["--epochs", epochs, (output: Output) => writeEpochs(evidence, output)],
        ["--balances", balances, (output: Output) => writeBalances(evidence, output)],
        ["--statements", statements, (output: Output) => writeStatements(evidence, output)],
      ] as const) {
        if (path === undefined) continue;
        const options = { option, replaces: force, isPrivate: true };
        files.push({ output: await openOutput(path, options), write });
      }
      for (const { output, write } of files) answers.push(await write(output));
    } finally {
      for (const { output } of files) await output.discard();
    }
    return Object.assign({}, ...answers) as object;
  } finally {
    await store.close();
  }
}

/**
 * Returns the range to export from a journal that begins after `base` and ends with `last`. Throws with the name of the
 * option that is out of range.
 */
function rangeOf(
  { from: wanted, to }: Pick<ExportOptions, "from" | "to">,
  base: number,
  last: number,
): { readonly from: number; readonly to: number } {
  const from = wanted ?? base + 1;
  if (to !== undefined && from > to)
    throw new InvalidArgumentError(`--from ${from} is after --to ${to}`);
  if (last === base) throw new Error("the journal has no events yet");
  if (from <= base)
    throw new Error(`--from ${from}: the journal of this fork begins with event ${base + 1}`);
  for (const [option, seq] of [["--from", from] as const, ["--to", to ?? 1] as const]) {
    if (seq > last) throw new Error(`${option} ${seq}: the newest committed event is ${last}`);
  }
  return { from, to: to ?? last };
}

async function writeFile(
  store: Pick<PostgresEventStore, "readEvents">,
  header: JournalFileHeader,
  output: Output,
): Promise<object> {
  const { from, to, count } = header;
  const file = new JournalFileBytes();
  const bar = new ProgressBar("events exported");
  await output.write(file.head(header));
  for (let afterSeq = from - 1; afterSeq < to; ) {
    const untilSeq = Math.min(afterSeq + eventsPerRead, to);
    const parts: Buffer[] = [];
    await store.readEvents(afterSeq, untilSeq, (chunk) => parts.push(file.events(chunk)));
    await output.write(Buffer.concat(parts));
    afterSeq = untilSeq;
    bar.show(afterSeq - from + 1, count);
  }
  const { bytes, sha256 } = file.trailer();
  await output.write(bytes);
  await output.close();
  bar.end();
  return { from, to, events: count, bytes: file.bytes, sha256, schema: eventSchemaDigest };
}

export async function verify(file: string): Promise<void> {
  const bar = new ProgressBar("events checked");
  try {
    const source = file === "-" ? process.stdin : createReadStream(file);
    const checked = await checkJournalFile(source, (done, count) => bar.show(done, count));
    bar.end();
    const { header, bytes, sha256 } = checked;
    const { from, to, count, network, schema_sha256: schema } = header;
    show({ from, to, events: count, network, bytes, sha256, schema });
  } catch (error) {
    if (!(error instanceof JournalFileFault)) throw unreadable(file, error);
    showFailure(new Error(`${file}: ${error.message}`));
    process.exitCode = ExitCode.differs;
  }
}

/** Returns an error with a clear message if a file cannot be opened or read; returns other errors unchanged. */
function unreadable(file: string, error: unknown): unknown {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) return error;
  const why = error.code === "ENOENT" ? "no such file" : String(error.code);
  return new Error(`${file} cannot be read: ${why}`);
}
