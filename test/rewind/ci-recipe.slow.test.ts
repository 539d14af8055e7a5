// Proves that the workflow of examples/rewind/ci does what it says: its commands run, one step after the other as a runner
// of GitHub runs them, in the repository of a trading program whose tests are those of the guide. What actions of GitHub's
// own do is there already: the program's files, Node.js, Python and an empty cache.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { blocksOf } from "../guides/document-blocks.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { OwnTestBed, type ProgramRun, runProgram } from "../support/venue/own-test-bed.ts";

/** A build from nothing, with all packages. */
const timeoutMs = 25 * 60_000;
const branch = "recipe";

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly permissions: unknown;
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const text = readFileSync(join(projectRoot, "examples/rewind/ci/workflow.yml"), "utf8");
const workflow = parse(text) as Workflow;
const steps = workflow.jobs["test"]?.steps ?? [];

let bed: OwnTestBed;
before(async () => {
  bed = await OwnTestBed.open();
});
after(() => bed.close());

test("REW-152 the workflow uses pinned actions of GitHub's own, may only read, and names no secret", () => {
  assert(steps.length > 0);
  for (const { uses, run } of steps) {
    assert((uses === undefined) !== (run === undefined));
    if (uses !== undefined) assert.match(uses, /^actions\/[a-z-]+@v\d+$/);
  }
  assert.deepEqual(workflow.permissions, { contents: "read" });
  assert.doesNotMatch(text, /secrets\./);
});

/** A repository with this tree's last commit, in place of the one that a reader would name. */
function ownRepository(): string {
  const repository = join(bed.folder, "rialto.git");
  const git = (...words: readonly string[]) => execFileSync("git", words, { stdio: "pipe" });
  git("-c", "safe.directory=*", "clone", "--quiet", "--bare", `file://${projectRoot}`, repository);
  git("--git-dir", repository, "update-ref", `refs/heads/${branch}`, "HEAD");
  return `file://${repository}`;
}

/** The repository of the program under test. */
function writeProgram(): string {
  const workspace = join(bed.folder, "bot");
  mkdirSync(workspace);
  for (const { name, text: program } of blocksOf("docs/guides/test-your-bot.md"))
    if (name !== null) writeFileSync(join(workspace, name), program);
  return workspace;
}

/** The PATH with what GitHub's actions would set up: Node.js, and a Python into which pip may install. */
function preparedPath(): string {
  const programs = join(bed.folder, "python/bin");
  execFileSync("python3", ["-m", "venv", join(bed.folder, "python")]);
  symlinkSync(process.execPath, join(programs, "node"));
  return `${programs}:${process.env["PATH"]}`;
}

test("REW-152 the commands of the workflow build Rialto and run the program's tests", async (t) => {
  const cwd = writeProgram();
  const variables = join(bed.folder, "variables");
  writeFileSync(variables, "");
  const env: Record<string, string> = {
    ...{ HOME: bed.folder, PATH: preparedPath(), GITHUB_ENV: variables },
    ...workflow.env,
    ...{ RIALTO_REPOSITORY: ownRepository(), RIALTO_VERSION: branch },
    RIALTO_TESTBED: bed.environment["RIALTO_TESTBED"] ?? "",
  };
  const told = new Map<string, ProgramRun>();
  for (const { name = "", run } of steps) {
    if (run === undefined) continue;
    const ran = await runProgram("bash", ["-e", "-c", run], { cwd, env, timeoutMs });
    t.diagnostic(`${name}: ${ran.code}`);
    assert.equal(ran.code, 0, `${name}: ${ran.printed}`);
    told.set(name, ran);
    for (const [, key = "", value = ""] of readFileSync(variables, "utf8").matchAll(
      /^(\w+)=(.*)$/gm,
    ))
      env[key] = value;
  }
  assert.match(told.get("Test in Node")?.output ?? "", /# pass 1\n/);
  assert.match(told.get("Test in Python")?.output ?? "", /2 passed/);
});
