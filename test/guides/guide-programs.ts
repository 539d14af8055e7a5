// The programs of a guide, written to a folder in which the packages of rialto-test are installed, and run there as a reader
// would, on a test bed of their own.

import { copyFile, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../support/tidy/tree.ts";
import { type Environment, OwnTestBed, runProgram } from "../support/venue/own-test-bed.ts";
import { blocksOf } from "./document-blocks.ts";

const ownPrograms = join(projectRoot, "test/guides/rialto-test");
const installed = join(projectRoot, "node_modules");
const timeoutMs = 1_200_000;

export class GuidePrograms {
  readonly #bed: OwnTestBed;

  private constructor(bed: OwnTestBed) {
    this.#bed = bed;
  }

  /** Writes the named blocks of the guide at `path`, and the tests' own programs. */
  static async open(path: string): Promise<GuidePrograms> {
    const bed = await OwnTestBed.open();
    const { folder } = bed;
    await mkdir(join(folder, "node_modules"));
    await symlink(join(projectRoot, "rialto-test/node"), join(folder, "node_modules/rialto-test"));
    await symlink(join(installed, "@types"), join(folder, "node_modules/@types"));
    await symlink(join(installed, "undici-types"), join(folder, "node_modules/undici-types"));
    for (const { name, text } of blocksOf(path))
      if (name !== null) await writeFile(join(folder, name), text);
    for (const name of await readdir(ownPrograms))
      await copyFile(join(ownPrograms, name), join(folder, name));
    return new GuidePrograms(bed);
  }

  get folder(): string {
    return this.#bed.folder;
  }

  /** Runs `node`, `tsc`, or a program on the PATH. */
  run(program: string, args: readonly string[], more: Environment = {}) {
    const known: Environment = { node: process.execPath, tsc: join(installed, ".bin/tsc") };
    const env = {
      ...this.#bed.environment,
      PYTHONPATH: join(projectRoot, "rialto-test/python"),
      PYTHONDONTWRITEBYTECODE: "1",
      ...more,
    };
    return runProgram(known[program] ?? program, args, { cwd: this.folder, env, timeoutMs });
  }

  /** Ends the test bed that the programs started. */
  close(): Promise<void> {
    return this.#bed.close();
  }
}
