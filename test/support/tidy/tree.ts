// The files of the project as git sees them: tracked ones and new ones, never ignored ones, so that
// a check speaks about what will be committed. Reads each file once; knows no rule.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where package.json stands, seen from dist/test/support. */
export const projectRoot = fileURLToPath(new URL("../../../..", import.meta.url));

export interface TreeFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The path of every file of the project. A checkout without git has no list and fails loudly. */
export function projectPaths(): string[] {
  return listed(["-co", "--exclude-standard"]);
}

function textsOf(paths: readonly string[]): TreeFile[] {
  return paths.map((path) => ({ path, text: readFileSync(join(projectRoot, path), "utf8") }));
}

/** What the build made of the tables of records: git does not know these files. */
export function generatedFiles(): TreeFile[] {
  const ignored = listed(["-oi", "--exclude-standard", "--", "src", "schemas"]);
  return textsOf(ignored.filter((path) => /\/generated\/.*\.ts$/.test(path)));
}

const binary = /\.(png|ico|woff2?|gz)$/;

function listed(options: readonly string[]): string[] {
  // The checkout may belong to another user than the one who tests, as in a container.
  const listing = execFileSync("git", ["-c", "safe.directory=*", "ls-files", "-z", ...options], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  return listing.split("\0").filter((path) => path !== "" && existsSync(join(projectRoot, path)));
}

/** Every text file of the project. */
export function projectFiles(): TreeFile[] {
  return textsOf(projectPaths().filter((path) => !binary.test(path)));
}
