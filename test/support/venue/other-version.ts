// Another version of the program, as an operator has it beside this one during an upgrade: a copy of the sources with
// some lines changed, from which the records are generated and the threads are bundled as by `make build`.

import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../tidy/tree.ts";

const run = promisify(execFile);
const buildMsMax = 20 * 60_000;

/** Everything of which the bundle is made. */
const sources = [
  ...["src", "workers", "schemas", "sql", "rialto-test", "bench", "test"],
  ...["package.json", "tsconfig.json"],
];

/** One changed line: the file, the text that it must have, and the text in its place. */
export type Change = readonly [file: string, before: string, now: string];

export class OtherVersion {
  readonly folder: string;

  /** Builds the sources with these changes; the first one is the version's number. */
  static async build(number: string, changes: readonly Change[]): Promise<OtherVersion> {
    const version = new OtherVersion(await mkdtemp(join(tmpdir(), "rialto-version-")));
    await version.#copy();
    const today = /"version": ".*"/.exec(await version.#read("package.json"))?.[0] ?? "";
    await version.#change("package.json", today, `"version": "${number}"`);
    for (const change of changes) await version.#change(...change);
    await version.#build();
    return version;
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** The path of its program. */
  get program(): string {
    return join(this.folder, "dist/bundle/src/venue/rialto.js");
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #copy(): Promise<void> {
    for (const name of sources)
      await cp(join(projectRoot, name), join(this.folder, name), { recursive: true });
    for (const name of ["node_modules", "docs"])
      await symlink(join(projectRoot, name), join(this.folder, name));
  }

  #read(file: string): Promise<string> {
    return readFile(join(this.folder, file), "utf8");
  }

  /** Changes a line, or writes a new file if `before` is empty. */
  async #change(file: string, before: string, now: string): Promise<void> {
    const text = before === "" ? "" : await this.#read(file);
    if (!text.includes(before)) throw new Error(`${file} has no ${before}`);
    const changed = before === "" ? now : text.replace(before, now);
    await writeFile(join(this.folder, file), changed);
  }

  async #build(): Promise<void> {
    const options = { cwd: this.folder, timeout: buildMsMax, maxBuffer: 2 ** 26 };
    const generator = "dist/generate-records.mjs";
    const bundling = ["--bundle", "--platform=node", "--format=esm", `--outfile=${generator}`];
    await run("node_modules/.bin/esbuild", ["schemas/generate/main.ts", ...bundling], options);
    await run(process.execPath, [generator], options);
    await run("node_modules/.bin/rolldown", ["-c", "workers/bundle.config.ts"], options);
    await cp(
      join(projectRoot, "dist/bundle/pages.pack"),
      join(this.folder, "dist/bundle/pages.pack"),
    );
  }
}
