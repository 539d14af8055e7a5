// The bundler's part of loading: makes each bundle a function in ASCII for load-bundle.ts, and each entry point a small
// module that runs its bundle.

import { posix } from "node:path";
import type { Plugin } from "rolldown";
import { parseAst } from "rolldown/parseAst";

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
        output.code = withLoadersImport(`${opening}${inAscii(code)}\n})`);
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

/** Replaces each `import()` that is left, of something outside of the bundle, by a call of the loader's function. */
function withLoadersImport(code: string): string {
  // Few bundles contain it, and parsing takes time.
  if (!code.includes("import(")) return code;
  let replaced = "";
  let end = 0;
  const starts = importsIn(parseAst(code, { lang: "js", sourceType: "script" }));
  for (const start of starts.sort((one, other) => one - other)) {
    replaced += `${code.slice(end, start)}importModule`;
    end = start + "import".length;
  }
  return replaced + code.slice(end);
}

/** Returns where the `import()` calls within a node of a syntax tree start. */
function importsIn(node: unknown): number[] {
  if (node === null || typeof node !== "object") return [];
  const within = Object.values(node).flatMap(importsIn);
  return "type" in node && node.type === "ImportExpression" && "start" in node
    ? [Number(node.start), ...within]
    : within;
}

/**
 * Replaces other characters by their escapes, which mean the same in texts, templates, patterns and names. V8 keeps a text in
 * ASCII in half the memory, and it is read without decoding. A backslash before such a character means nothing and would
 * escape the escape, so it is left out.
 */
function inAscii(code: string): string {
  return code.replace(/\\?([^\0-\x7f])|\\./gs, (one, other?: string) =>
    other === undefined ? one : `\\u${other.charCodeAt(0).toString(16).padStart(4, "0")}`,
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
