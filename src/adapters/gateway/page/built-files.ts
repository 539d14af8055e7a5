// The built web pages: terminal, operations page, documentation. They are read once and kept in memory, where they take
// a few megabytes. A venue built without pages serves none.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  json: "application/json",
  md: "text/markdown; charset=utf-8",
};

/** Ends the name of the Brotli version of a file. */
const compressed = ".br";

/** Content type of the configuration and source files that the documentation shows. */
const otherType = "text/plain; charset=utf-8";

/** Names under assets/ contain a content hash, so the file with a given name never changes. */
const caching = { asset: "public, max-age=31536000, immutable", page: "no-cache" } as const;

export interface BuiltFile {
  /** URL path of the file. */
  readonly path: string;
  readonly type: string;
  readonly caching: string;
  /** The ETag, including its quotation marks. */
  readonly etag: string;
  readonly bytes: Buffer;
  /** The Brotli version, if the build made one. */
  readonly brotli: Buffer | null;
}

/** URL path of a file. Pages have paths without an extension: `docs/errors.html` is served at `/docs/errors`. */
function addressOf(name: string): string {
  return `/${name.split(sep).join("/")}`.replace(/(index)?\.html$/, "");
}

function builtFile(folder: string, name: string, isCompressed: boolean): BuiltFile {
  const bytes = readFileSync(join(folder, name));
  const path = addressOf(name);
  return {
    path,
    type: types[name.slice(name.lastIndexOf(".") + 1)] ?? otherType,
    caching: path.startsWith("/assets/") ? caching.asset : caching.page,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    bytes,
    brotli: isCompressed ? readFileSync(join(folder, name + compressed)) : null,
  };
}

/** Every file of a build that a browser may request; none if the folder does not exist. */
export function readBuiltFiles(folder: string): BuiltFile[] {
  if (!existsSync(folder)) return [];
  // With types, the files of a folder are listed without a look at each: a thousand looks would delay every start. Links are
  // followed to files, not to folders.
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) =>
      entry.isFile() ||
      (entry.isSymbolicLink() && statSync(join(entry.parentPath, entry.name)).isFile()),
  );
  const names = new Set(
    files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))),
  );
  return [...names]
    .filter((name) => !name.endsWith(compressed))
    .map((name) => builtFile(folder, name, names.has(name + compressed)));
}
