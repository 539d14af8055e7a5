// Proves that a build in a checkout leaves the commit for the program, unless the tree has changes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildInfo, builtCommit } from "../../src/venue/program-version.ts";
import { projectRoot } from "../support/tidy/tree.ts";

test("OPS-108 a build knows the commit of a checkout without changes, and BUILD_COMMIT overrides it", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-commit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
  const built = () => {
    run("make", "built-commit");
    return builtCommit(folder);
  };
  assert.equal(builtCommit(folder), null, "nothing is built");
  copyFileSync(join(projectRoot, "Makefile"), join(folder, "Makefile"));
  assert.equal(built(), null, "the folder is no repository");
  run("git", "init", "--quiet");
  run("git", "add", "Makefile");
  const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  run("git", ...author, "commit", "--quiet", "--no-gpg-sign", "--message", "all");
  assert.equal(built(), run("git", "rev-parse", "HEAD"));
  appendFileSync(join(folder, "Makefile"), "# a change\n");
  assert.equal(built(), null, "what is built is no commit");
  assert.equal(buildInfo({ buildCommit: "c0ffee0123", isRewind: false }).commit, "c0ffee0123");
});
