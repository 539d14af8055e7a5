// `fork` makes a venue for tests from another one's journal; `diff` says how two venues of one line differ.

import { resolve } from "node:path";
import type { Command } from "commander";
import { forkPointOf, isoOf } from "../fork/fork-point.ts";
import { forkVenue, type MadeFork } from "../fork/fork-venue.ts";
import { openStoredVenue } from "../fork/stored-venue.ts";
import { diffVenues, type VenueDiff } from "../fork/venue-diff.ts";
import { ExitCode, logOf, show, speaksJson } from "./terminal/output.ts";
import { ProgressBar } from "./terminal/progress-bar.ts";

/** The commands that name their data folders themselves: the settings of a fork in DATA_DIR are not theirs. */
export const folderCommands: ReadonlySet<string> = new Set(["fork", "diff"]);

/** Differences of each kind that are printed; JSON has more, and both have the numbers of all. */
const linesMax = 20;
const rowsMax = 1_000;

interface ForkOptions {
  readonly from?: string;
  readonly at: string;
  readonly dataDir: string;
  readonly keepKeys?: boolean;
}

const forkNotes = `
Examples:
  $ rialto fork --at latest --data-dir fork-1
  $ rialto fork --from data --at 2026-01-31T09:30:00Z --data-dir fork-1

'DATA_DIR=fork-1 rialto start --rewind' starts it. A fork is a new venue, with a name and keys of its own, without a ledger, and without the history before the event. Open
orders, positions and balances are as they were after it. The parent is only read and may be running. Its API keys are
issued anew into fork-keys.json of the new folder. docs/guides/fork-a-venue.md says more.

Exit codes: 0 made, 1 refused or failed (nothing is left of the fork), 2 usage error.`;

const diffNotes = `
Example:
  $ rialto diff fork-1 fork-2

Both may be running; one of them may be the parent. Orders are compared under their numbers, fills without their times.

Exit codes: 0 the same, 1 failed, or the venues have nothing in common, 2 usage error, 3 they differ.`;

export function addForkCommands(program: Command): void {
  program
    .command("fork")
    .description("make a venue for tests from any point of another one's journal")
    .requiredOption(
      "--at <point>",
      "an event's number, a time in UTC, or latest: the fork has the state after it (required)",
    )
    .requiredOption("--data-dir <folder>", "the fork's data folder, new or empty (required)")
    .option("--from <folder>", "the parent's data folder (default: DATA_DIR)")
    .option("--keep-keys", "keep the API keys as they are; only of a development venue")
    .addHelpText("after", forkNotes)
    .action(fork);
  program
    .command("diff <a> <b>")
    .description("say how a venue and its fork, or two forks, differ")
    .addHelpText("after", diffNotes)
    .action(diff);
}

async function fork({
  from,
  at,
  dataDir,
  keepKeys: keepsKeys = false,
}: ForkOptions): Promise<void> {
  const startedMs = performance.now();
  const point = forkPointOf(at);
  const bar = new ProgressBar("entries replayed");
  const ending = new AbortController();
  const end = () => ending.abort(new Error("stopped: nothing is left of the fork"));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  const made = await forkVenue({
    environment: process.env,
    from: from ?? process.env["DATA_DIR"] ?? "data",
    ...{ point, dataDir: resolve(dataDir), keepsKeys },
    logFor: (config) => logOf(config, "main"),
    onProgress: (done, total) => bar.show(done, total),
    signal: ending.signal,
  });
  bar.end();
  show({
    ...shownFork(made, resolve(dataDir)),
    took_ms: Math.round(performance.now() - startedMs),
    start: `DATA_DIR=${dataDir} rialto start --rewind`,
  });
}

function shownFork({ frozen, ...made }: MadeFork, dataDir: string): object {
  const counts = Object.entries(frozen).map(([kind, rows]) => [kind, rows.length]);
  return {
    venue: made.venue,
    data_dir: dataDir,
    parent: made.parent,
    seq: made.seq,
    time: isoOf(made.tsUs),
    state_hash: made.stateHash,
    snapshot_seq: made.snapshotSeq,
    replayed: made.seq - made.snapshotSeq,
    accounts: made.accounts,
    open_orders: made.openOrders,
    api_keys: made.keys,
    keys_file: made.keysFile,
    frozen: speaksJson() ? frozen : Object.fromEntries(counts),
  };
}

async function diff(folderA: string, folderB: string): Promise<void> {
  const bar = new ProgressBar("entries replayed");
  const open = (folder: string) =>
    openStoredVenue(process.env, folder, (config) => logOf(config, "main"));
  const a = await open(folderA);
  try {
    const b = await open(folderB);
    try {
      const found = await diffVenues(a, b, (done, total) => bar.show(done, total));
      bar.end();
      show(shownDiff(found));
      if (!found.isSame) process.exitCode = ExitCode.differs;
    } finally {
      await b.close();
    }
  } finally {
    await a.close();
  }
}

function shownDiff({ a, b, relation, state, fills, isSame, ...where }: VenueDiff): object {
  const max = speaksJson() ? rowsMax : linesMax;
  const kinds = Object.entries({ ...state, fills });
  const lists = kinds.filter(([, rows]) => speaksJson() || rows.length > 0);
  return {
    ...{ a, b, relation },
    parted_after: where.partedAfter,
    first_different_entry: where.firstDifferentEntry,
    is_same: isSame,
    differences: Object.fromEntries(kinds.map(([kind, rows]) => [kind, rows.length])),
    ...Object.fromEntries(lists.map(([kind, rows]) => [kind, rows.slice(0, max)])),
  };
}
