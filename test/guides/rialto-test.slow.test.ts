// Proves that the guide's program for pytest runs, with the package for Python installed by pip in a new environment.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { projectRoot } from "../support/tidy/tree.ts";
import { GuidePrograms } from "./guide-programs.ts";

let guide: GuidePrograms;
before(async () => {
  guide = await GuidePrograms.open("docs/guides/test-your-bot.md");
});
after(() => guide.close());

test("REW-107 the guide's program for pytest runs with the fixtures of the package", async () => {
  const python = join(guide.folder, "venv/bin/python");
  const steps: readonly (readonly [program: string, args: readonly string[]])[] = [
    ["python3", ["-m", "venv", "venv"]],
    // A copy, because pip builds in the folder of the sources.
    ["cp", ["-r", join(projectRoot, "rialto-test/python"), "package"]],
    [python, ["-m", "pip", "install", "--quiet", "pytest==8.4.2", "./package"]],
  ];
  for (const [program, args] of steps) {
    const { code, printed } = await guide.run(program, args);
    assert.equal(code, 0, `${program} ${args.join(" ")}: ${printed}`);
  }
  const { code, printed } = await guide.run(python, ["-m", "pytest", "test_quoter.py"], {
    PYTHONPATH: "",
  });
  assert.equal(code, 0, printed);
  assert.match(printed, /1 passed/);
});
