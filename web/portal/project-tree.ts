// What the portal reads of the project: its documents, and whether a path that one of them links to is a file.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

export const root = join(import.meta.dirname, "../..");

const rootDocuments = [
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
];

/** The paths of all documents, in a fixed order. */
export function documentPaths(): string[] {
  const below = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const paths = below
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join("docs", name));
  return [...rootDocuments, ...paths.sort()];
}

/** The text of a document. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The bytes of a file. */
export function bytesOf(path: string): Uint8Array {
  return readFileSync(join(root, path));
}

/** Whether the project has a file there; a folder is none. */
export function isFile(path: string): boolean {
  return statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
}
