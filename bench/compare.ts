// Compares two result files row by row: `node dist/bench/compare.js <before.json> <after.json>`.
// Scores that are ratios travel between machines; others are only worth comparing on the same one.

import { readResult } from "./report/result-file.ts";
import { shortNumber } from "./report/table.ts";

const [beforePath, afterPath] = process.argv.slice(2);
if (beforePath === undefined || afterPath === undefined) {
  process.stderr.write("usage: node dist/bench/compare.js <before.json> <after.json>\n");
  process.exit(2);
}
const before = readResult(beforePath);
const after = readResult(afterPath);

function scoreText(score: number | null | undefined): string {
  return score === null || score === undefined ? "–" : shortNumber(score);
}

const lines = [["row", "before", "after", "after ÷ before", "measure"]];
for (const row of after.rows) {
  const earlier = before.rows.find(({ id }) => id === row.id);
  const isComparable = earlier?.score != null && row.score !== null && earlier.score !== 0;
  lines.push([
    row.id,
    scoreText(earlier?.score),
    scoreText(row.score),
    isComparable ? `${shortNumber((row.score ?? 0) / (earlier.score ?? 1))}×` : "–",
    row.measure,
  ]);
}
const widths = (lines[0] ?? []).map((_, column) =>
  Math.max(...lines.map((line) => line[column]?.length ?? 0)),
);
const table = lines.map((line) =>
  line
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd(),
);
const isSameMachine = before.machine.cpu === after.machine.cpu;
process.stdout.write(
  `${before.machine.commit} (${before.date.slice(0, 10)}) → ` +
    `${after.machine.commit} (${after.date.slice(0, 10)})` +
    `${isSameMachine ? "" : "; different machines: compare ratios only"}\n\n${table.join("\n")}\n`,
);
