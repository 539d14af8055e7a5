// Runs a group of compiled tests: `run-tests.js <normal|slow|fuzz> [part of a path …]`. It lists the test files itself,
// because Node 20 has no globs and `node --test dist` would also run support files. It does not compile. The Makefile
// removes compiled files whose source is gone.

import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { startingEnvironment } from "../../src/venue/config/process-settings.ts";

const dist = join(dirname(fileURLToPath(import.meta.url)), "../..");
const minuteMs = 60_000;
const slowSuffix = ".slow.test.js";

/** File suffix of each group, and timeout of each of its tests and files. The longest file, the campaign of failovers, takes three hours. */
const groups: Readonly<Record<string, { readonly suffix: string; readonly timeoutMs: number }>> = {
  normal: { suffix: ".test.js", timeoutMs: 20 * minuteMs },
  slow: { suffix: slowSuffix, timeoutMs: 8 * 60 * minuteMs },
  // The normal group runs these tests for some seconds each; this group runs them for FUZZ_SECONDS.
  fuzz: { suffix: ".fuzz.test.js", timeoutMs: 24 * 60 * minuteMs },
};

/** The test files whose path has one of `parts`; all if there is none. The runner takes them in alphabetical order. */
function filesOf(suffix: string, parts: readonly string[]): string[] {
  return readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(suffix) && !name.includes("node_modules"))
    .filter((name) => suffix === slowSuffix || !name.endsWith(slowSuffix))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .map((name) => relative(process.cwd(), join(dist, name)));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const [groupName = "normal", ...parts] = process.argv.slice(2);
const group = groups[groupName] ?? fail(`unknown test group: ${groupName}`);
const files = filesOf(group.suffix, parts);
// Refuse an empty list: `node --test` would then search for tests itself, and an empty run proves nothing.
if (files.length === 0) fail(`no ${groupName} tests match ${parts.join(", ") || "anything"}`);

// One file at a time on a shared ledger, because files would spend each other's coins. In the normal group twice as many
// files as cores, up to eight: a file is busy on a third of a core on average. Two files in the other groups: slow tests
// measure, so each file needs a core.
const usual = groupName === "normal" ? Math.min(8, Math.max(3, 2 * availableParallelism())) : 2;
const atOnce = process.env["LEDGER_URL"] ? 1 : usual;
const options = [
  "--enable-source-maps",
  "--test",
  `--test-reporter=${join(dist, "test/support/slowest-files.js")}`,
  `--test-reporter-destination=${join(dist, "slowest-files.txt")}`,
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  `--test-concurrency=${atOnce}`,
  `--test-timeout=${group.timeoutMs}`,
];
// Without these variables, the C library keeps the memory of a closed venue and clears it when the next venue starts in
// the same process. This takes three quarters of a simulation run's time, and 5 GB.
const environment = { ...process.env, ...startingEnvironment };
const run = { stdio: "inherit", env: environment } as const;
const runner = spawn(process.execPath, [...options, ...files], run);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => runner.kill(signal));
}
runner.on("exit", (code) => process.exit(code ?? 1));
