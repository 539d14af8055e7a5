// The built web pages: terminal, operations page, documentation. A build packs them into one file, because to look for a
// thousand files, read and hash them would delay every start. A front keeps them in memory, where they take some megabytes.
//
//   length of the list (4 bytes, little-endian) ─ list of the files (JSON) ─ their bytes, in the order of the list

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { assert } from "../../../core/assert.ts";

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

/** What a response says of a file. */
interface FileHead {
  /** URL path of the file. */
  readonly path: string;
  readonly type: string;
  readonly caching: string;
  /** The ETag, including its quotation marks. */
  readonly etag: string;
}

export interface BuiltFile extends FileHead {
  readonly bytes: Buffer;
  /** The Brotli version, if the build made one. */
  readonly brotli: Buffer | null;
}

/** A file in the list: its lengths in bytes. */
interface PackedFile extends FileHead {
  readonly length: number;
  readonly brotliLength: number | null;
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

/** Packs every file of a folder that a browser may request. */
export function packFiles(folder: string): Buffer {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const names = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)),
  );
  const files = [...names]
    .filter((name) => !name.endsWith(compressed))
    .map((name) => builtFile(folder, name, names.has(name + compressed)));
  const list = files.map(({ bytes, brotli, ...head }): PackedFile => {
    return { ...head, length: bytes.length, brotliLength: brotli?.length ?? null };
  });
  const text = Buffer.from(JSON.stringify(list));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const contents = files.flatMap(({ bytes, brotli }) =>
    brotli === null ? [bytes] : [bytes, brotli],
  );
  return Buffer.concat([length, text, ...contents]);
}

/** The files of a pack; none if there is no pack, as in a venue that was built without pages. */
export function readPack(file: string): BuiltFile[] {
  if (!existsSync(file)) return [];
  const pack = readFileSync(file);
  let at = 4 + pack.readUInt32LE();
  const take = (length: number) => {
    at += length;
    return pack.subarray(at - length, at);
  };
  const list = JSON.parse(pack.toString("utf8", 4, at)) as PackedFile[];
  const files = list.map(({ length, brotliLength, ...head }) => {
    const bytes = take(length);
    return { ...head, bytes, brotli: brotliLength === null ? null : take(brotliLength) };
  });
  // Browsers would keep what is left of an asset for a year.
  assert(at === pack.length, `${file} is not as long as its list says: build the venue again`);
  return files;
}
