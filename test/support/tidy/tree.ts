// The files of the project according to git: tracked and new ones, without ignored ones, so that a check covers
// what will be committed. Reads each file once; contains no rules.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of package.json, relative to dist/test/support. */
export const projectRoot = fileURLToPath(new URL("../../../..", import.meta.url));

export interface TreeFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The path of every project file. Fails without git. */
export function projectPaths(): string[] {
  return listed(["-co", "--exclude-standard"]);
}

function textsOf(paths: readonly string[]): TreeFile[] {
  return paths.map((path) => ({ path, text: readFileSync(join(projectRoot, path), "utf8") }));
}

/** Generated code of the tables of records; git ignores these files. */
export function generatedFiles(): TreeFile[] {
  const ignored = listed(["-oi", "--exclude-standard", "--", "src", "schemas"]);
  return textsOf(ignored.filter((path) => /\/generated\/.*\.ts$/.test(path)));
}

const binary = /\.(png|ico|woff2?|gz)$/;

function listed(options: readonly string[]): string[] {
  // The checkout may belong to another user than the tests run as, for example in a container.
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
