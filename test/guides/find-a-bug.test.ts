// Follows the walk of the guide: its programs run, the report names the bug that was planted, and not in the repaired one.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { blocksIn } from "./document-blocks.ts";
import { GuidePrograms } from "./guide-programs.ts";

const path = "docs/guides/find-a-bug.md";

let guide: GuidePrograms;
before(async () => {
  guide = await GuidePrograms.open(path);
});
after(() => guide.close());

/** Runs the command of one of the guide's blocks. */
function runBlock(at: number) {
  const [program = "", ...args] = blocksIn(path, "sh")[at]?.text.trim().split(" ") ?? [];
  return guide.run(program, args);
}

const page = () => readFile(join(guide.folder, "report.html"), "utf8");

test("REW-136 REW-142 DOC-9 the guide's crash shows the planted bug, and the repaired program has none", {
  timeout: 1_200_000,
}, async () => {
  const wrong = await runBlock(0);
  assert.equal(wrong.code, 0, wrong.printed);
  assert.match(
    wrong.printed,
    /^error: Sent again after an unknown answer: you hold 2× BUY 0\.\d+ BTC-PERP at market/m,
  );
  assert.match(wrong.printed, /^error: Believed of position BTCUSDT: /m);
  assert.match(await page(), /Sent again after an unknown answer/);
  const right = await runBlock(1);
  assert.equal(right.code, 0, right.printed);
  const lines = right.printed.trim().split("\n");
  assert.equal(lines.length, 1, right.printed);
  assert.match(
    lines[0] ?? "",
    /^note: The answers to \d+ orders? were lost, and the program found out about (it|them) later\.$/,
  );
  assert.match(await page(), /Nothing wrong was found/);
});

test("REW-142 both packages write a page and return the same figures", async () => {
  const node = await guide.run("node", ["report.mjs"]);
  const python = await guide.run("python3", ["-W", "error", "report.py"]);
  assert.equal(node.code, 0, node.printed);
  assert.equal(python.code, 0, python.printed);
  const told = JSON.parse(node.printed);
  assert.deepEqual(JSON.parse(python.printed), told);
  assert.deepEqual(told, {
    isPage: true,
    orders: 1,
    kinds: ["error belief", "note activity"],
    difference: { what: "open order", name: "mine", believed: null, true: "NEW" },
    events: 2,
  });
});
