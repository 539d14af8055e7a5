// Builds the whole table of goals: this run's readings and, for every other row, the reading in the newest result file
// that contains the row. So a row that takes half an hour still appears, with the time of its measurement.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type BenchResult, readResult, resultsFolder } from "./result-file.ts";
import type { BenchRow, RowResult } from "./row.ts";

/** Time, commit and machine load of an earlier reading. */
export interface Origin {
  readonly date: string;
  readonly commit: string;
  /** Load average before the run; above 0.3 the machine was in use. */
  readonly loadBefore: number;
}

export interface TableRow {
  readonly id: string;
  readonly measure: string;
  readonly goal: string;
  /** The row's reading; null if no result file contains it. */
  readonly result: RowResult | null;
  /** Origin of an earlier reading; null for a reading of this run. */
  readonly origin: Origin | null;
}

/** Returns every row in order, whether read now, read earlier or not yet read. */
export function wholeTable(
  rows: readonly Pick<BenchRow, "id" | "measure" | "goal">[],
  now: readonly RowResult[],
): TableRow[] {
  const earlier = newestFirst();
  return [...rows].sort(byId).map(({ id, measure, goal }) => {
    const read = now.find((row) => row.id === id);
    if (read !== undefined) return { id, measure, goal, result: read, origin: null };
    for (const { rows: found, date, machine } of earlier) {
      const result = found.find((row) => row.id === id && row.failure === null);
      if (result === undefined) continue;
      const { commit, loadBefore } = machine;
      return { id, measure, goal, result, origin: { date: date.slice(0, 10), commit, loadBefore } };
    }
    return { id, measure, goal, result: null, origin: null };
  });
}

function newestFirst(): BenchResult[] {
  const files = readdirSync(resultsFolder).filter((name) => name.endsWith(".json"));
  const results = files.map((name) => readResult(join(resultsFolder, name)));
  return results.sort((one, other) => other.date.localeCompare(one.date));
}

/** Sorts the P rows first and then the other rows by letter. Rows with the same letter are sorted by number. */
function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  const letter = (id: string) => (id.startsWith("P") ? "" : id.charAt(0));
  const number = (id: string) => Number(id.slice(1));
  return letter(one.id).localeCompare(letter(other.id)) || number(one.id) - number(other.id);
}
