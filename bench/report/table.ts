// Renders the table of goals, as text for a run and as Markdown for a page: one line per row, with the first and the
// final goal.

import { finalGoals } from "./final-goals.ts";
import type { RowResult } from "./row.ts";
import type { TableRow } from "./whole-table.ts";

const columns = [
  ...["", "measure", "measured", "baseline", "score"],
  ...["goal (first)", "", "goal (final)", "", "when"],
] as const;

/** Returns the table as aligned text, followed by the notes of its rows and ending in a newline. */
export function renderTable(rows: readonly TableRow[]): string {
  const lines = [columns, ...rows.map(cellsOf)];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  // Print only the notes of this run; those of earlier readings are in their result files.
  const notes = rows.flatMap(({ id, result, origin }) => [
    ...(result?.failure == null ? [] : [`${id} failed: ${result.failure}`]),
    ...(origin === null ? (result?.notes ?? []).map((note) => `${id}: ${note}`) : []),
  ]);
  return `${[...text, "", ...notes].join("\n").trimEnd()}\n`;
}

/** Returns the table in Markdown, for a page. */
export function renderPage(rows: readonly TableRow[]): string {
  const head = columns.map((title) => (title === "" ? " " : title));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map((row) => line(cellsOf(row)))].join(
    "\n",
  );
}

function cellsOf({ id, measure, goal, result, origin }: TableRow): string[] {
  const final = finalGoals[id];
  const message = final?.words ?? "";
  if (result === null) return [id, measure, "not measured yet", "", "", goal, "", message, "", ""];
  const isRead = result.failure === null;
  const when =
    origin === null
      ? "now"
      : `${origin.date} ${origin.commit}, load ${origin.loadBefore.toFixed(1)}`;
  return [
    ...[id, measure, isRead ? result.measured : "failed", result.baseline],
    ...[result.score === null ? "" : shortNumber(result.score), goal, verdictOf(result)],
    ...[message, final === undefined || !isRead ? "" : reached(final.isReached(result)), when],
  ];
}

/** Formats three significant digits, with a space between thousands. */
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
  return passed === null ? "report" : reached(passed);
}

function reached(isReached: boolean): string {
  return isReached ? "pass" : "MISSED";
}
