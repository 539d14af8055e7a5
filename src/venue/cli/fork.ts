// What `fork` and `diff` do: make a venue for tests from another one's journal, and say how two venues of one line differ.

import { resolve } from "node:path";
import { forkPointOf, isoOf } from "../fork/fork-point.ts";
import { forkVenue, type MadeFork } from "../fork/fork-venue.ts";
import { openStoredVenue } from "../fork/stored-venue.ts";
import { diffVenues, type VenueDiff } from "../fork/venue-diff.ts";
import { ExitCode, logOf, show, speaksJson } from "./terminal/output.ts";
import { ProgressBar } from "./terminal/progress-bar.ts";

/** Differences of each kind that are printed; JSON has more, and both have the numbers of all. */
const linesMax = 20;
const rowsMax = 1_000;

export interface ForkOptions {
  readonly from?: string;
  readonly at: string;
  readonly dataDir: string;
  readonly keepKeys?: boolean;
}

export async function fork({
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

export async function diff(folderA: string, folderB: string): Promise<void> {
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
