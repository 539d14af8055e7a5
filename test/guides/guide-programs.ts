// The programs of a guide, written to a folder in which the packages of rialto-test are installed, and run there as a reader
// would, on a test bed of their own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { cliFile } from "../support/venue/test-bed.ts";
import { blocksOf } from "./document-blocks.ts";

const ownPrograms = join(projectRoot, "test/guides/rialto-test");
const installed = join(projectRoot, "node_modules");
const waitMsMax = 400_000;

type Environment = Readonly<Record<string, string>>;

export class GuidePrograms {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Writes the named blocks of the guide at `path`, and the tests' own programs. */
  static async open(path: string): Promise<GuidePrograms> {
    const folder = await mkdtemp(join(tmpdir(), "rialto-programs-"));
    await mkdir(join(folder, "node_modules"));
    await symlink(join(projectRoot, "rialto-test/node"), join(folder, "node_modules/rialto-test"));
    await symlink(join(installed, "@types"), join(folder, "node_modules/@types"));
    await symlink(join(installed, "undici-types"), join(folder, "node_modules/undici-types"));
    for (const { name, text } of blocksOf(path))
      if (name !== null) await writeFile(join(folder, name), text);
    for (const name of await readdir(ownPrograms))
      await copyFile(join(ownPrograms, name), join(folder, name));
    return new GuidePrograms(folder);
  }

  /** Runs `node`, `tsc`, or a program on the PATH, and returns all that it printed. */
  async run(program: string, args: readonly string[], more: Environment = {}) {
    const known: Readonly<Record<string, string>> = {
      node: process.execPath,
      tsc: join(installed, ".bin/tsc"),
    };
    const child = spawn(known[program] ?? program, args, {
      cwd: this.folder,
      env: { ...this.#environment(), ...more },
      timeout: waitMsMax,
    });
    let printed = "";
    for (const output of [child.stdout, child.stderr])
      output.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    const [code] = (await once(child, "close")) as [number | null];
    return { code, printed };
  }

  /** Ends the test bed that the programs started. */
  async close(): Promise<void> {
    const path = controlSocketPath(this.#bedFolder);
    const answer = await callControl(path, "ping").catch(() => null);
    const { pid = 0 } = (answer?.result ?? {}) as { readonly pid?: number };
    if (pid > 0) {
      process.kill(pid, "SIGTERM");
      // Its socket is gone once it has ended its venues.
      while (await callControl(path, "ping").catch(() => null))
        await once(AbortSignal.timeout(50), "abort");
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
  }

  get #bedFolder(): string {
    return join(this.folder, "bed");
  }

  #environment(): Environment {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.folder,
      RIALTO: `${process.execPath} ${cliFile}`,
      RIALTO_TESTBED: this.#bedFolder,
      PYTHONPATH: join(projectRoot, "rialto-test/python"),
      PYTHONDONTWRITEBYTECODE: "1",
    };
  }
}
