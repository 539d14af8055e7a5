// The command line as operators use it: a process with its environment, output and exit code. Of the test's own
// environment it gets only PATH, and what `make run` and the services set.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startingEnvironment } from "../../../src/venue/config/process-settings.ts";

const cli = fileURLToPath(new URL("../../../bundle/src/venue/rialto.js", import.meta.url));

export type Settings = Readonly<Record<string, string>>;

export class CliProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #printed = "";
  #complained = "";

  /** Runs in `folder`, or in the tests' own folder; `program` is the path of another version. */
  constructor(args: readonly string[], settings: Settings, folder?: string, program = cli) {
    const usual = { ...startingEnvironment, LOG_LEVEL: "error", WARM_UP: "0" };
    const env = { PATH: process.env["PATH"] ?? "", ...usual, ...settings };
    const place = folder === undefined ? {} : { cwd: folder };
    this.#child = spawn(process.execPath, [program, ...args], { env, stdio: "pipe", ...place });
    // A character of several bytes may come in two parts.
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#printed += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complained += text;
    });
    this.#ended = once(this.#child, "close").then(([code]) => code as number | null);
  }

  /** Standard output so far. */
  get printed(): string {
    return this.#printed;
  }

  /** Standard error so far. */
  get complained(): string {
    return this.#complained;
  }

  /** Resolves to the exit code once the process has ended; null after a signal. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  /** Closes the reading ends of the process's output, as when its terminal is closed. */
  hangUp(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.signal("SIGHUP");
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves when standard output matches `pattern`; throws if the process ends first. */
  async untilPrinted(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#printed);
      if (found !== null) return found;
      const next = once(this.#child.stdout ?? this.#child, "data");
      const code = await Promise.race([next.then(() => "printed" as const), this.#ended]);
      if (code !== "printed")
        throw new Error(`the process ended with ${code}: ${this.#complained}`);
    }
  }
}

/** Runs one command to its end. */
export async function runCli(args: readonly string[], settings: Settings, folder?: string) {
  const command = new CliProcess(args, settings, folder);
  const code = await command.ended;
  return { code, printed: command.printed, complained: command.complained };
}
