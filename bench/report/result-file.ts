// Reads and writes result files, which hold everything needed to compare two runs a year apart. There is one file per
// day and commit; a later run of the same day and commit replaces only the rows that it measured.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.ts";
import type { RowResult } from "./row.ts";

export interface BenchResult {
  readonly date: string;
  readonly machine: Machine;
  /** Durability settings as reported by the database. */
  readonly durability: Readonly<Record<string, string>>;
  readonly workload: readonly string[];
  readonly rows: readonly RowResult[];
}

export const resultsFolder = "bench/results";

/**
 * Writes `result` and returns the path of the file. Keeps the rows of an earlier run of the same day and commit that
 * this run did not measure.
 */
export function writeResult(result: BenchResult): string {
  mkdirSync(resultsFolder, { recursive: true });
  const path = join(resultsFolder, `${result.date.slice(0, 10)}-${result.machine.commit}.json`);
  const before = existsSync(path) ? readResult(path).rows : [];
  const measured = new Set(result.rows.map(({ id }) => id));
  const rows = [...before.filter(({ id }) => !measured.has(id)), ...result.rows].sort(
    (one, other) => Number(one.id.slice(1)) - Number(other.id.slice(1)),
  );
  writeFileSync(path, `${JSON.stringify({ ...result, rows }, null, 2)}\n`);
  return path;
}

export function readResult(path: string): BenchResult {
  return JSON.parse(readFileSync(path, "utf8")) as BenchResult;
}
