// Runs a bundle with V8's code cache, which `make build` writes beside it (write-caches.ts). Reading functions that were
// compiled before takes a tenth of the time of compiling them, and a venue loads eight megabytes of code when it starts.
// Node.js 20 has no such cache for modules, so bundles are functions in ASCII (loaded-bundles.ts) and are loaded here
// (docs/decisions/0111). A cache of another version of Node.js, or of other settings of V8, is not used: V8 compares both.
// The rest is compared in code-cache.ts.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { Script } from "node:vm";
import { openCache } from "./code-cache.ts";
import { mapTraces } from "./mapped-traces.ts";

/** What a bundle exports; an entry point exports what it does. */
type Exports = { run?: () => Promise<void> };

/** A bundle: the function of a CommonJS file, which also gets the function for what only `import` can load. */
type Bundle = (
  exports: Exports,
  require: (specifier: string) => unknown,
  module: { exports: Exports },
  file: string,
  folder: string,
  importModule: (specifier: string) => Promise<unknown>,
) => void;

const ofNode = createRequire(import.meta.url);
const modules = new Map<string, { exports: Exports }>();

/** The scripts that were loaded, by file. */
export const scripts = new Map<string, Script>();

/** Does what the entry point does whose bundle is at the absolute path `file`. */
export async function runBundle(file: string): Promise<void> {
  await loadBundle(file).run?.();
}

/** Evaluates the bundle at the absolute path `file`, once; returns its exports. */
export function loadBundle(file: string): Exports {
  const known = modules.get(file);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(file, module);
  const folder = dirname(file);
  const require = (specifier: string): unknown =>
    specifier.startsWith(".") ? loadBundle(resolve(folder, specifier)) : ofNode(specifier);
  try {
    const run: Bundle = compiled(file).runInThisContext();
    run(module.exports, require, module, file, folder, (specifier) => import(specifier));
  } catch (error) {
    // The next caller must not get the exports of half a bundle.
    modules.delete(file);
    throw error;
  }
  return module.exports;
}

function compiled(file: string): Script {
  const code = readFileSync(file);
  // Functions from a cache are not counted in coverage, so none is used then.
  const isCounted = process.env["NODE_V8_COVERAGE"] !== undefined;
  const cachedData = isCounted ? undefined : openCache(file, code);
  if (process.sourceMapsEnabled) mapTraces(file);
  const options = { filename: file, ...(cachedData && { cachedData }) };
  const script = new Script(code.toString("latin1"), options);
  scripts.set(file, script);
  return script;
}
