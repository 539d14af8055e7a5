// The whole table of goals from this run's readings and, for every other row, the newest result file that has it.
// So a row that takes half an hour still appears, with the time of its measurement.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type BenchResult, readResult, resultsFolder } from "./result-file.ts";
import type { BenchRow, RowResult } from "./row.ts";

/** Time and machine of an earlier reading. */
export interface Origin {
  readonly date: string;
  readonly commit: string;
  /** Above 0.3 the machine was in use. */
  readonly loadBefore: number;
}

export interface TableRow {
  readonly id: string;
  readonly measure: string;
  readonly goal: string;
  /** Null for a row in no result file. */
  readonly result: RowResult | null;
  /** Null for a reading of this run. */
  readonly origin: Origin | null;
}

/** Every row in order: read now, read earlier, or not yet read. */
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

/** P rows first, in the order of the goals, then the others by letter. */
function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  const letter = (id: string) => (id.startsWith("P") ? "" : id.charAt(0));
  const number = (id: string) => Number(id.slice(1));
  return letter(one.id).localeCompare(letter(other.id)) || number(one.id) - number(other.id);
}
