// The files of the project according to git: tracked and new files, without ignored ones, so that a check covers
// exactly what will be committed. Each file is read once. This file contains no rules.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of package.json, relative to dist/test/support/tidy. */
export const projectRoot = fileURLToPath(new URL("../../../..", import.meta.url));

export interface TreeFile {
  /** Path relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Returns the path of every project file. Fails without git. */
export function projectPaths(): string[] {
  return listed(["-co", "--exclude-standard"]);
}

function textsOf(paths: readonly string[]): TreeFile[] {
  return paths.map((path) => ({ path, text: readFileSync(join(projectRoot, path), "utf8") }));
}

/** Returns the code generated from the tables of records; git ignores these files. */
export function generatedFiles(): TreeFile[] {
  const ignored = listed(["-oi", "--exclude-standard", "--", "src", "schemas"]);
  return textsOf(ignored.filter((path) => /\/generated\/.*\.ts$/.test(path)));
}

const binary = /\.(png|ico|woff2?|gz)$/;

function listed(options: readonly string[]): string[] {
  // Accept a checkout that belongs to a user other than the one who runs the tests, for example in a container.
  const listing = execFileSync("git", ["-c", "safe.directory=*", "ls-files", "-z", ...options], {
    cwd: projectRoot,
    encoding: "utf8",
  });
  return listing.split("\0").filter((path) => path !== "" && existsSync(join(projectRoot, path)));
}

/** Returns every text file of the project. */
export function projectFiles(): TreeFile[] {
  return textsOf(projectPaths().filter((path) => !binary.test(path)));
}
