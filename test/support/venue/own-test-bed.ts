// A test bed that programs under test start themselves, in a folder that only they use, and how they run: with the
// environment that the packages of rialto-test read.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../../src/adapters/process-life.ts";
import { callControl, controlSocketPath } from "../../../src/adapters/runtime/control-socket.ts";
import { until } from "../../epochs/epoch-waits.ts";
import { cliFile } from "./test-bed.ts";

export type Environment = Readonly<Record<string, string>>;

export interface ProgramRun {
  readonly code: number | null;
  /** What it printed on its standard output. */
  readonly output: string;
  /** All that it printed. */
  readonly printed: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: Environment;
  /** After this time it is killed. */
  readonly timeoutMs: number;
}

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutMs }: ProgramOptions,
): Promise<ProgramRun> {
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(program, args, { cwd, env, timeout: timeoutMs, stdio: [...stdio] });
  let [output, printed] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    printed += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output, printed };
}

export class OwnTestBed {
  readonly folder: string;

  static async open(): Promise<OwnTestBed> {
    return new OwnTestBed(await mkdtemp(join(tmpdir(), "rialto-programs-")));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** What lets a program find the command line, and start or use this test bed. */
  get environment(): Environment {
    return {
      PATH: process.env["PATH"] ?? "",
      HOME: this.folder,
      RIALTO: `${process.execPath} ${cliFile}`,
      RIALTO_TESTBED: this.#bedFolder,
    };
  }

  /** Ends the test bed, if a program has started it, and removes the folder. */
  async close(): Promise<void> {
    const path = controlSocketPath(this.#bedFolder);
    const answer = await callControl(path, "ping").catch(() => null);
    const { pid = 0 } = (answer?.result ?? {}) as { readonly pid?: number };
    if (pid > 0) {
      process.kill(pid, "SIGTERM");
      // Before it ends, it ends its venues.
      await until("the end of the test bed", async () => !isAlive(pid) || null);
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
  }

  get #bedFolder(): string {
    return join(this.folder, "bed");
  }
}
