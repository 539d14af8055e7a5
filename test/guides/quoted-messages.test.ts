// Log lines and outputs that guides quote exist in the program, so that a reader who searches for one finds it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectFiles, projectRoot } from "../support/tidy/tree.ts";

const sources = projectFiles()
  .filter(({ path }) => /^(src|workers)\/.*\.ts$/.test(path) && !path.endsWith(".test.ts"))
  .map(({ text }) => text)
  .join("\n");

/** The quoted log lines of a guide's table: the first cell of each row, up to an ellipsis. */
function quotedLines(page: string, heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? "";
  const cells = [...section.matchAll(/^\| (?:a start ends with )?`([^`]+)` \|/gm)];
  return cells.map(([, quoted = ""]) => (quoted.split("…")[0] ?? "").trim());
}

/** Those of `lines` that no source has. */
function unknownLines(lines: readonly string[]): string[] {
  return lines.filter((line) => !sources.includes(line));
}

test("the log lines that the guide for incidents explains are those of the program", () => {
  assert.deepEqual(unknownLines(["no such line of any log"]), ["no such line of any log"]);
  const page = readFileSync(join(projectRoot, "docs/guides/operate.md"), "utf8");
  const lines = quotedLines(page, "Storage failures in the log");
  assert.ok(lines.length >= 8, `${lines.length} lines`);
  assert.deepEqual(unknownLines(lines), []);
});
