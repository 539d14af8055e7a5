// Compares two result files of the benchmarks with each other, row by row, and each of them with the baselines below:
// `node dist/bench/compare.js <before.json> <after.json>`. Given one file, it prints only the comparison with the
// baselines. Scores that are ratios can be compared across machines, all others only on one machine.

import { type BenchResult, readResult } from "./report/result-file.ts";
import type { RowResult } from "./report/row.ts";
import { shortNumber } from "./report/table.ts";

interface NamedBaseline {
  readonly name: string;
  readonly row: string;
  /** Returns the ratio of the venue to the baseline; null if the row's figures do not include this ratio. */
  readonly ratio: (figures: RowResult["figures"]) => number | null;
}

/** Returns `one ÷ other`, or null if one of the two was not measured or `other` is 0. */
function ratio(one: number | undefined, other: number | undefined): number | null {
  return one === undefined || other === undefined || other === 0 ? null : one / other;
}

/**
 * Baselines by name: bare servers and functions that are measured in the same run as the venue. A ratio above 1 means
 * that the venue is faster.
 */
const namedBaselines: readonly NamedBaseline[] = [
  {
    name: "book, against a book of plain objects in maps",
    row: "P1",
    ratio: (figures) => figures["P1 ratio to Map-of-objects book"] ?? null,
  },
  {
    name: "book, against nodejs-order-book",
    row: "P1",
    ratio: (figures) => figures["P1 ratio to nodejs-order-book"] ?? null,
  },
  {
    name: "durable orders/s, against a bare uWS echo that checks the HMAC",
    row: "P7",
    ratio: (figures) => ratio(figures["orders/s, 256 connections"], figures["echo/s"]),
  },
  {
    name: "one order's latency, against a single-statement insert in PostgreSQL",
    row: "P9",
    ratio: (figures) => ratio(figures["row p50 ms"], figures["p50 ms, 1 connection"]),
  },
  {
    name: "journal with its tables, against COPY of the journal rows",
    row: "P13",
    ratio: (figures) => figures["P13 with projections, of COPY"] ?? null,
  },
];

const [firstPath, secondPath] = process.argv.slice(2);
if (firstPath === undefined) {
  process.stderr.write("usage: node dist/bench/compare.js [before.json] <after.json>\n");
  process.exit(2);
}

function scoreText(score: number | null | undefined): string {
  return score === null || score === undefined ? "–" : shortNumber(score);
}

/** Formats the lines so that all columns have equal width. */
function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) => {
      const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
}

function nameOf({ machine, date }: BenchResult): string {
  return `${machine.commit} (${date.slice(0, 10)}, load ${machine.loadBefore.toFixed(1)})`;
}

/** Compares the scores of two runs row by row. */
function difference(before: BenchResult, after: BenchResult): string {
  const rows = after.rows.map(({ id, score, measure }) => {
    const earlier = before.rows.find((row) => row.id === id)?.score;
    const isComparable = earlier != null && score !== null && earlier !== 0;
    const ratio = isComparable ? `${shortNumber(score / earlier)}×` : "–";
    return [id, scoreText(earlier), scoreText(score), ratio, measure];
  });
  const isSameMachine = before.machine.cpu === after.machine.cpu;
  const warning = isSameMachine ? "" : "; different machines: compare ratios only";
  const head = ["row", "before", "after", "after ÷ before", "measure"];
  return `${nameOf(before)} → ${nameOf(after)}${warning}\n\n${aligned([head, ...rows])}`;
}

/** Compares one or both files with the named baselines. */
function againstBaselines(results: readonly BenchResult[]): string {
  const lines = namedBaselines.map(({ name, row, ratio }) => [
    row,
    ...results.map(({ rows }) => {
      const found = rows.find(({ id }) => id === row);
      const times = found === undefined ? null : ratio(found.figures);
      return times === null ? "–" : `${shortNumber(times)}×`;
    }),
    name,
  ]);
  const heads = results.length === 1 ? ["ratio"] : ["before", "after"];
  return aligned([["row", ...heads, "what, against what"], ...lines]);
}

const results = [firstPath, secondPath].flatMap((path) =>
  path === undefined ? [] : [readResult(path)],
);
const [before, after] = results;
if (before !== undefined && after !== undefined) {
  process.stdout.write(`${difference(before, after)}\n`);
}
process.stdout.write(againstBaselines(results));
