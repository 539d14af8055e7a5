// `make bench`: measures rows of the table of goals and writes them to bench/results. Arguments select rows by id:
// `node dist/bench/run.js P7 P9`. It prints the whole table; rows not measured now show their last known reading. A run
// under a profiler stores no result.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openPostgres } from "../src/adapters/postgres/connection.ts";
import { describeMachine } from "./report/machine.ts";
import { profiling } from "./report/profiling.ts";
import { type BenchResult, writeResult } from "./report/result-file.ts";
import type { Bench, BenchRow, RowResult } from "./report/row.ts";
import { renderTable } from "./report/table.ts";
import { wholeTable } from "./report/whole-table.ts";
import { benchRows } from "./rows/bench-rows.ts";
import { Stage } from "./venue/stage.ts";

const script = fileURLToPath(new URL("./micro-process.js", import.meta.url));

type Figures = Readonly<Record<string, number>>;

/**
 * Returns a function that runs `bench/micro/<name>.bench.ts` and returns its figures; repeated calls reuse the figures.
 */
function microRunner(): (name: string) => Promise<Figures> {
  const results = new Map<string, Promise<Figures>>();
  return (name) => {
    const result = results.get(name) ?? runMicro(name);
    results.set(name, result);
    return result;
  };
}

function runMicro(name: string): Promise<Figures> {
  return new Promise((resolve, reject) => {
    const child = fork(script, [name], {
      stdio: "inherit",
      execArgv: ["--expose-gc", ...profiling],
    });
    child.once("message", (figures: Figures) => resolve(figures));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name}: ended with ${code}`)));
  });
}

const workload = [
  "book: seeded million operations, 55 % passive limits, 35 % cancels, 5 % crossing, 5 % market",
  "order path: LIMIT GTC on three spot markets, 30 % priced to trade at once, 2048 accounts with a key each, default (FULL) answers, HMAC, keep-alive, no pipelining",
];

const durabilitySettings = ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method"];

function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

function chosenRows(ids: readonly string[]): readonly BenchRow[] {
  if (ids.length === 0) return benchRows.filter(({ isSlow }) => isSlow !== true);
  return ids.map((id) => benchRows.find((row) => row.id === id.toUpperCase()) ?? refuse(id));
}

function refuse(id: string): never {
  process.stderr.write(`no row ${id}; rows: ${benchRows.map((row) => row.id).join(" ")}\n`);
  process.exit(2);
}

async function measureRow(row: BenchRow, bench: Bench): Promise<RowResult> {
  const { id, measure, goal } = row;
  say(`${id}: ${measure}`);
  try {
    return { id, measure, goal, failure: null, ...(await row.run(bench)) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    const empty = { measured: "", baseline: "", score: null, passed: false };
    return { id, measure, goal, failure, ...empty, figures: {}, notes: [] };
  }
}

/** Returns the durability settings of the database, if a row started one. */
async function durability(stage: Stage): Promise<Record<string, string>> {
  if (!stage.isVenueStarted) return {};
  const sql = openPostgres(await (await stage.venue()).database(), "queries");
  const settings = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name = any (${`{${durabilitySettings.join(",")}}`}::text[])`;
  await sql.end();
  return Object.fromEntries(settings.map(({ name, setting }) => [name, setting]));
}

const chosen = chosenRows(process.argv.slice(2));
const machine = describeMachine();
const stage = new Stage(say);
const bench: Bench = { stage, micro: microRunner(), say };
const results: RowResult[] = [];
// Close the stage on a signal; otherwise its processes would outlive this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stage.close().finally(() => process.exit(1)));
}
try {
  for (const row of chosen) {
    results.push(await measureRow(row, bench));
    process.stdout.write(`${renderTable(wholeTable([row], results))}\n`);
  }
  const result: BenchResult = {
    date: new Date().toISOString(),
    machine,
    durability: await durability(stage),
    workload,
    rows: results,
  };
  const path = profiling.length > 0 ? "profiled: the figures are not stored" : writeResult(result);
  const { cpu, cores, node, commit, isDirty, loadBefore } = machine;
  process.stdout.write(
    `\n${renderTable(wholeTable(benchRows, results))}\n${cpu}, ${cores} cores, Node ${node}, commit ${commit}` +
      `${isDirty ? " with changes" : ""}, load before ${loadBefore.toFixed(2)}\n${path}\n`,
  );
} finally {
  await stage.close();
}
process.exit(results.every(({ passed }) => passed !== false) ? 0 : 1);
