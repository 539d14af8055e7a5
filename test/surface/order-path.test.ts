// Proves that docs/internals/order-path.md is correct: it names exactly the files that run for one order.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { projectRoot } from "../support/tidy/tree.ts";

const program = fileURLToPath(new URL("./order-way-process.js", import.meta.url));

/** Returns the first column of the table under a heading, without the table's head. */
function firstCells(page: string, heading: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2);
  return rows.map((row) => row.split("|")[1]?.trim() ?? "");
}

const page = readFileSync(join(projectRoot, "docs/internals/order-path.md"), "utf8");

test("the page about the path of an order names exactly the files that run for one, at most 50", () => {
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { env });
  assert.equal(status, 0, String(stderr));
  const ran = JSON.parse(String(stdout)) as string[];
  const named = firstCells(page, "Files").map((cell) => cell.replaceAll("`", ""));
  assert.deepEqual(named.toSorted(), ran);
  assert.ok(ran.length <= 50, `${ran.length} files run for an order`);
});

test("the page about the path of an order lists at most 14 shapes", () => {
  const shapes = firstCells(page, "Shapes");
  assert.ok(shapes.length > 0 && shapes.length <= 14, `the page lists ${shapes.length} shapes`);
});
