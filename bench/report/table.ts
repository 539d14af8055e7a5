// The table a run prints: one line a row, notes below it.

import type { RowResult } from "./row.ts";

const columns = ["", "measure", "measured", "baseline", "score", "goal (first)", ""] as const;

/** The rows as aligned text, ending in a newline. */
export function renderTable(rows: readonly RowResult[]): string {
  const cells = rows.map((row) => [
    row.id,
    row.measure,
    row.failure === null ? row.measured : "failed",
    row.baseline,
    row.score === null ? "" : shortNumber(row.score),
    row.goal,
    verdictOf(row),
  ]);
  const widths = columns.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lines = [columns, ...cells].map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const notes = rows.flatMap((row) => [
    ...(row.failure === null ? [] : [`${row.id} failed: ${row.failure}`]),
    ...row.notes.map((note) => `${row.id}: ${note}`),
  ]);
  return `${[...lines, "", ...notes].join("\n")}\n`;
}

/** Three significant digits, thousands with a blank. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 1000) {
    return Math.round(value)
      .toString()
      .replace(/\B(?=(\d{3})+$)/g, " ");
  }
  return String(Number(value.toPrecision(3)));
}

function verdictOf({ failure, passed }: RowResult): string {
  if (failure !== null) return "FAILED";
  if (passed === null) return "report";
  return passed ? "pass" : "MISSED";
}
