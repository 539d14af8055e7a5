// The pack of the built pages: what is read is what was packed.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { packFiles, readPack } from "./built-files.ts";

const folder = mkdtempSync(join(tmpdir(), "pages-"));
after(() => rmSync(folder, { recursive: true }));

test("a pack has every file with its head, and Brotli versions with their files", () => {
  const pages = join(folder, "pages");
  mkdirSync(join(pages, "assets/fonts"), { recursive: true });
  mkdirSync(join(pages, "docs"));
  const files = {
    "index.html": "<p>€</p>",
    "index.html.br": "short",
    "docs/errors.html": "",
    "assets/fonts/a.b.css": "p {}",
    "docs/deploy.service": "[Unit]",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(pages, name), text);
  writeFileSync(join(folder, "pages.pack"), packFiles(pages));
  const read = readPack(join(folder, "pages.pack")).map(({ bytes, brotli, ...head }) => {
    return { ...head, text: bytes.toString(), brotli: brotli?.toString() ?? null };
  });
  const etagOf = (text: string) =>
    `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const head = (path: string, type: string, text: string, caching = "no-cache") => {
    return { path, type, caching, etag: etagOf(text), text, brotli: null };
  };
  assert.deepEqual(
    read.sort((a, b) => (a.path < b.path ? -1 : 1)),
    [
      { ...head("/", "text/html; charset=utf-8", "<p>€</p>"), brotli: "short" },
      head(
        "/assets/fonts/a.b.css",
        "text/css; charset=utf-8",
        "p {}",
        "public, max-age=31536000, immutable",
      ),
      head("/docs/deploy.service", "text/plain; charset=utf-8", "[Unit]"),
      head("/docs/errors", "text/html; charset=utf-8", ""),
    ],
  );
});

test("without a pack there are no files", () => {
  assert.deepEqual(readPack(join(folder, "missing.pack")), []);
});

test("a pack that was written only in part is not read", () => {
  const pages = join(folder, "part");
  mkdirSync(pages);
  writeFileSync(join(pages, "index.html"), "<p>a page</p>");
  const pack = packFiles(pages);
  for (const length of [0, 3, 20, pack.length - 1]) {
    writeFileSync(join(folder, "part.pack"), pack.subarray(0, length));
    assert.throws(() => readPack(join(folder, "part.pack")));
  }
});
