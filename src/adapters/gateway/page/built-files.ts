// The terminal's files as its build left them, read once and kept in memory: some hundred kilobytes.
// A venue built without them serves none.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** Names under assets/ hold a hash of what is in them, so what such a name means never changes. */
const caching = { asset: "public, max-age=31536000, immutable", page: "no-cache" } as const;

export interface BuiltFile {
  /** Where it is served. */
  readonly path: string;
  readonly type: string;
  readonly caching: string;
  /** In its quotes. */
  readonly etag: string;
  readonly bytes: Buffer;
  /** The same in Brotli, where the build made it. */
  readonly brotli: Buffer | null;
}

function builtFile(folder: string, name: string): BuiltFile | null {
  const type = types[name.slice(name.lastIndexOf(".") + 1)];
  if (type === undefined) return null;
  const bytes = readFileSync(join(folder, name));
  const compressed = join(folder, `${name}.br`);
  const path = name.split(sep).join("/");
  return {
    path: path === "index.html" ? "/" : `/${path}`,
    type,
    caching: path.startsWith("assets/") ? caching.asset : caching.page,
    etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`,
    bytes,
    brotli: existsSync(compressed) ? readFileSync(compressed) : null,
  };
}

/** Every file of a build that a browser may ask for; none where there is no such folder. */
export function readBuiltFiles(folder: string): BuiltFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.map((name) => builtFile(folder, name)).filter((file) => file !== null);
}
