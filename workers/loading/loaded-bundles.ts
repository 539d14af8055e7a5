// The bundler's part of loading: makes each bundle a function in ASCII for load-bundle.ts, and each entry point a small
// module that runs its bundle.

import { posix } from "node:path";
import type { Plugin } from "rolldown";
import { parseAst } from "rolldown/parseAst";

/** What a dynamic import of something outside of the bundle looks like in a bundle, except in its comments. */
const outerImport = /(?<=\b(?:await|return) |[=?:(] )import\(/g;

/** What makes a bundle the function that load-bundle.ts calls. It is on the first line, so that lines stay. */
const opening =
  '(function (exports, require, module, __filename, __dirname, importModule) { "use strict"; ';

/** Returns the plugin for the entry points at `entries`, absolute paths. They must not export anything. */
export function loadedBundles(entries: readonly string[]): Plugin {
  return {
    name: "loaded-bundles",
    /** A function cannot wait as a module can, so what an entry point does after its imports becomes its export `run`. */
    transform(code, id) {
      if (!entries.includes(id)) return null;
      const { body } = parseAst(code, { lang: "ts" }, id);
      const imports = body.filter(({ type }) => type === "ImportDeclaration");
      const end = imports.at(-1)?.end ?? 0;
      // The line that names the interpreter is in the starter.
      const top = code.slice(0, end).replace(/^#!/, "//");
      return { code: `${top} export async function run() {${code.slice(end)}\n}`, map: null };
    },
    generateBundle(_, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== "chunk") continue;
        const { code, fileName, isEntry } = output;
        output.code = `${opening}${inAscii(code.replace(outerImport, "importModule("))}\n})`;
        if (!isEntry) continue;
        const starter = {
          fileName: fileName.replace(/\.cjs$/, ".js"),
          source: starterOf(fileName),
        };
        this.emitFile({ type: "asset", ...starter });
      }
    },
  };
}

/**
 * Replaces other characters by their escapes, which mean the same in texts, templates, patterns and names. V8 keeps a text in
 * ASCII in half the memory, and it is read without decoding.
 */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function starterOf(fileName: string): string {
  const loader = posix.relative(posix.dirname(fileName), "workers/loading/load-bundle.js");
  const path = loader.startsWith(".") ? loader : `./${loader}`;
  return `#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { runBundle } from "${path}";

await runBundle(fileURLToPath(new URL("./${posix.basename(fileName)}", import.meta.url)));
`;
}
