// Writes the code caches of all bundles (load-bundle.ts), as the last step of a build: evaluates every bundle, so that its
// cache has the functions that this compiles. Argument: the folder of the bundles.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { inlineDeeply } from "../../src/adapters/runtime/compiler.ts";
import { threadKinds } from "../thread-kinds.ts";
import { writeCache } from "./code-cache.ts";
import { loadBundle, scripts } from "./load-bundle.ts";

const folder = resolve(process.argv[2] ?? "");
const threads = threadKinds.map((kind) => join("workers", `${kind}.cjs`));
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".cjs"),
);

write(files.filter((path) => !threads.includes(path)));
// Threads are loaded with these settings, which are part of what V8 compares.
inlineDeeply();
write(threads);

function write(paths: readonly string[]): void {
  for (const path of paths) loadBundle(join(folder, path));
  for (const [file, script] of scripts)
    writeCache(file, readFileSync(file), script.createCachedData());
  scripts.clear();
}
