// Bundles as the bundler makes them: what they do with and without a code cache, and that every cache of a build is used.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { type OutputOptions, rolldown } from "rolldown";
import { projectRoot } from "../../test/support/tidy/tree.ts";
import { threadKinds } from "../thread-kinds.ts";
import { cacheOf } from "./code-cache.ts";
import { loadedBundles } from "./loaded-bundles.ts";

const run = promisify(execFile);
const built = join(projectRoot, "dist/bundle");
// Within the project, because a bundle finds its libraries from its loader.
const folder = mkdtempSync(join(projectRoot, "dist/loading-"));
after(() => rmSync(folder, { recursive: true }));

const program = `#!/usr/bin/env node
import { basename } from "node:path";
import { failing, Mute } from "./failing.ts";

interface Told {
  readonly text: string;
}
const { Piscina } = await import("piscina");
const told: Told = { text: ["naïve €😀", typeof Piscina, basename(import.meta.url)].join(" ") };
console.log(told.text);
const later = () => import("piscina");
const several = await Promise.all([import("piscina"), later()]);
console.log(several.length, /^\\€[\\–x]$/.test("€–"), "import(");
console.log((function (this: unknown) { return this === undefined; })());
try {
  failing();
} catch (error) {
  console.log((error as Error).stack);
}
console.log(new Mute("without text").stack?.split("\\n")[0]);
const other = Object.create(null);
Error.captureStackTrace(other);
console.log(other.stack.split("\\n")[0]);
`;
const failing = `// A line.
export function failing(): never {
  throw new Error("it fails");
}
export class Mute extends Error {
  override toString(): string {
    throw new Error("no text");
  }
}
`;

/** Bundles the program; returns the path of what starts it. */
async function bundled(): Promise<string> {
  const entry = join(folder, "program.ts");
  writeFileSync(entry, program);
  writeFileSync(join(folder, "failing.ts"), failing);
  const input = { input: { "workers/program": entry }, external: ["piscina"] };
  const bundle = await rolldown({ ...input, plugins: [loadedBundles([entry])], platform: "node" });
  const output: OutputOptions = { dir: folder, format: "cjs", sourcemap: true };
  await bundle.write({ ...output, entryFileNames: "[name].cjs" });
  mkdirSync(join(folder, "workers/loading"), { recursive: true });
  for (const file of ["load-bundle.js", "load-bundle.js.map"]) {
    copyFileSync(join(built, "workers/loading", file), join(folder, "workers/loading", file));
  }
  return join(folder, "workers/program.js");
}

/** A bundle, and what became of its cache: used, not used, or null if there is none. */
type Loaded = readonly [file: string, isUsed: boolean | null];

/** Runs `settings` and then loads bundles, in a separate process; then writes their caches if `writes`. */
async function loaded(files: readonly string[], settings = "", writes = false): Promise<Loaded[]> {
  const from = (file: string) => JSON.stringify(join(projectRoot, "dist/workers/loading", file));
  const code = `
    import { readFileSync } from "node:fs";
    import { writeCache } from ${from("code-cache.js")};
    import { loadBundle, scripts } from ${from("load-bundle.js")};
    ${settings}
    for (const file of ${JSON.stringify(files)}) loadBundle(file);
    const used = ({ cachedDataRejected: is }) => (is === undefined ? null : !is);
    console.log(JSON.stringify([...scripts].map(([file, script]) => [file, used(script)])));
    if (${writes}) {
      for (const [file, script] of scripts)
        writeCache(file, readFileSync(file), script.createCachedData());
    }`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code]);
  return JSON.parse(stdout) as Loaded[];
}

test("a bundle does the same with and without its cache, and its traces show the sources", async () => {
  const starter = await bundled();
  const file = starter.replace(/js$/, "cjs");
  const outputs: string[] = [];
  for (const step of ["without", "with"]) {
    assert.deepEqual(await loaded([file], "", true), [[file, step === "with" ? true : null]]);
    const { stdout } = await run(process.execPath, ["--enable-source-maps", starter]);
    outputs.push(stdout);
  }
  assert.equal(outputs[1], outputs[0]);
  const [told, imported, strict, message, ...frames] = (outputs[0] ?? "").split("\n");
  assert.equal(told, "naïve €😀 function program.cjs");
  assert.equal(imported, "2 true import(");
  assert.equal(strict, "true");
  assert.equal(message, "Error: it fails");
  assert.match(frames[0] ?? "", /at failing \(.*failing\.ts:3:9\)$/);
  assert.match(frames[1] ?? "", /at (?:Module\.)?run \(.*program\.ts:16:3\)$/);
  assert.deepEqual(frames.slice(-3), ["Error: without text", "Error", ""]);
});

test("a cache that is damaged, or of other code or another path, is not used, and the bundle runs", async () => {
  const starter = await bundled();
  const file = starter.replace(/js$/, "cjs");
  await loaded([file], "", true);
  const cache = readFileSync(cacheOf(file));
  const unlike = (at: number) => {
    const damaged = Buffer.from(cache);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
    return damaged;
  };
  const damages = [0, 1, 7, 9, cache.length - 1].map((length) => cache.subarray(0, length));
  for (let at = 8; at < cache.length; at += cache.length >> 3) damages.push(unlike(at));
  for (const damaged of damages) {
    writeFileSync(cacheOf(file), damaged);
    assert.deepEqual(await loaded([file]), [[file, null]]);
  }
  writeFileSync(cacheOf(file), cache);
  assert.deepEqual(await loaded([file]), [[file, true]]);
  const moved = join(folder, "moved/program.cjs");
  mkdirSync(dirname(moved));
  for (const end of ["", ".cache"]) copyFileSync(file + end, moved + end);
  assert.deepEqual(await loaded([moved]), [[moved, null]]);
  writeFileSync(file, readFileSync(file, "latin1").replace("na\\u00efve", "no\\u00efve"));
  assert.deepEqual(await loaded([file]), [[file, null]]);
  const { stdout } = await run(process.execPath, [starter]);
  assert.match(stdout, /^noïve /);
});

test("a cache that was written under other settings of V8 is not used, and the bundle runs", async () => {
  const starter = await bundled();
  const file = starter.replace(/js$/, "cjs");
  await loaded([file], "", true);
  const settings = `
    import { setFlagsFromString } from "node:v8";
    setFlagsFromString("--max-inlined-bytecode-size-small=61");`;
  assert.deepEqual(await loaded([file], settings), [[file, false]]);
});

test("every bundle of the build has a cache that is used", async () => {
  const files = readdirSync(built, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".cjs"),
  );
  assert(files.includes("workers/front.cjs") && files.includes("src/venue/rialto.cjs"));
  const isThread = (path: string) => threadKinds.some((kind) => path === `workers/${kind}.cjs`);
  const compiler = JSON.stringify(join(projectRoot, "dist/src/adapters/runtime/compiler.js"));
  const asThread = `import { inlineDeeply } from ${compiler}; inlineDeeply();`;
  const at = (paths: string[]) => paths.map((path) => join(built, path));
  const all = [
    ...(await loaded(at(files.filter((path) => !isThread(path))))),
    ...(await loaded(at(files.filter(isThread)), asThread)),
  ];
  assert.equal(all.length, files.length);
  assert.deepEqual(
    all.filter(([, isUsed]) => isUsed !== true),
    [],
  );
});
