// Runs a group of compiled tests: `run-tests.js <normal|slow|fuzz> [part of a path …]`.
//
// Node 20 takes no globs, and `--test dist` would run helpers too, so this file lists the tests
// itself. It never compiles: the Makefile has removed what no source stands behind.

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { startingEnvironment } from "../../src/venue/config/process-settings.ts";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../..");
const minuteMs = 60_000;
const slowSuffix = ".slow.test.js";

/** How each group's files end, and how long one test of it may take before it counts as hung. */
const groups: Readonly<Record<string, { readonly suffix: string; readonly timeoutMs: number }>> = {
  normal: { suffix: ".test.js", timeoutMs: 5 * minuteMs },
  slow: { suffix: slowSuffix, timeoutMs: 60 * minuteMs },
  // In the normal group too, for some seconds each; here for as long as FUZZ_SECONDS says.
  fuzz: { suffix: ".fuzz.test.js", timeoutMs: 24 * 60 * minuteMs },
};

function filesOf(suffix: string, parts: readonly string[]): string[] {
  return readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(suffix) && !name.includes("node_modules"))
    .filter((name) => suffix === slowSuffix || !name.endsWith(slowSuffix))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .map((name) => relative(process.cwd(), join(dist, name)))
    .sort();
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const [groupName = "normal", ...parts] = process.argv.slice(2);
const group = groups[groupName] ?? fail(`no such group: ${groupName}`);
const files = filesOf(group.suffix, parts);
// An empty list would make `node --test` search by itself, and a run of nothing proves nothing.
if (files.length === 0) fail(`no ${groupName} tests match ${parts.join(", ") || "anything"}`);

// Files that share a ledger of somebody's would spend each other's coins. Else three: tests wait a third of their
// time, and two at once leave that of two cores unused. Slow tests measure, and have a core each.
const usual = groupName === "normal" ? 3 : 2;
const atOnce = process.env["LEDGER_URL"] ? 1 : usual;
const options = [
  "--enable-source-maps",
  "--test",
  "--test-reporter=spec",
  `--test-concurrency=${atOnce}`,
  `--test-timeout=${group.timeoutMs}`,
];
// A second venue in one process would cost three quarters of the time of a simulation run, and 5 GB, in memory
// that the C library kept of the one before and clears.
const environment = { ...process.env, ...startingEnvironment };
const run = { stdio: "inherit", env: environment } as const;
const runner = spawn(process.execPath, [...options, ...files], run);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => runner.kill(signal));
}
runner.on("exit", (code) => process.exit(code ?? 1));
