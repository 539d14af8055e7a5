// Proves that log lines and outputs which guides quote exist in the program, so that a reader who searches for a
// line finds it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFiles, projectRoot } from "../support/tidy/tree.ts";

const sources = projectFiles()
  .filter(({ path }) => /^(src|workers)\/.*\.ts$/.test(path) && !path.endsWith(".test.ts"))
  .map(({ text }) => text)
  .join("\n");

/** Returns the log lines in the guide's table below `heading`: the first cell of each row, up to an ellipsis. */
function quotedLines(page: string, heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  const cells = [...section.matchAll(/^\| (?:a start ends with )?`([^`]+)` \|/gm)];
  return cells.map(([, quoted = ""]) => (quoted.split("…")[0] ?? "").trim());
}

/** Returns the lines that occur in no source file. */
function unknownLines(lines: readonly string[]): string[] {
  return lines.filter((line) => !sources.includes(line));
}

test("the log lines that the incident guide explains exist in the program", () => {
  assert.deepEqual(unknownLines(["no such line of any log"]), ["no such line of any log"]);
  const page = readFileSync(join(projectRoot, "docs/guides/operate.md"), "utf8");
  const lines = quotedLines(page, "Storage failures in the log");
  assert.ok(lines.length >= 8, `the guide quotes only ${lines.length} lines`);
  assert.deepEqual(unknownLines(lines), []);
});
