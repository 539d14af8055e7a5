// Runs a document's commands as a reader would: in one bash, in a new folder. The printed address is replaced by the
// venue's, and `rialto` and `npm run cli` run the built command line; nothing else changes.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../support/tidy/tree.ts";

const mark = "== end of block ==";
/** Keeps a trade that is repeated meanwhile, and the orders of the next document, below the limit of 50 in 10 s. */
const meanwhileMs = 500;
const cli = join(projectRoot, "dist/bundle/src/venue/rialto.js");
const message = `set -euo pipefail
rialto() { ${process.execPath} ${cli} "$@"; }
npm() { command npm --prefix ${projectRoot} "$@"; }
`;

export interface SessionSettings {
  /** The venue's address, which replaces the address that documents print. */
  readonly address: string;
  /** Environment variables of the reader, in addition to PATH. */
  readonly env: Readonly<Record<string, string>>;
}

/** Result of a session. */
export interface SessionEnd {
  readonly code: number;
  /** Output of each block, up to the block that failed. */
  readonly printed: readonly string[];
  readonly complained: string;
}

export class ShellSession {
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-reader-"));
  readonly #settings: SessionSettings;

  constructor(settings: SessionSettings) {
    this.#settings = settings;
  }

  /** Runs the blocks one after another and stops at the first that fails. */
  run(blocks: readonly string[]): Promise<SessionEnd> {
    const script = this.#script(blocks.join(`\necho; echo '${mark}'\n`));
    const options = { cwd: this.folder, env: this.#env(), timeout: 1_000_000, maxBuffer: 2 ** 26 };
    return new Promise((resolve) => {
      execFile("bash", ["--norc", "-c", script], options, (fault, stdout, stderr) => {
        const code = fault === null ? 0 : typeof fault.code === "number" ? fault.code : -1;
        resolve({ code, printed: stdout.split(mark), complained: stderr });
      });
    });
  }

  /**
   * Runs blocks of which the last one does not end by itself. Calls `meanwhile` twice a second until the output contains
   * `until` or `withinMs` have passed, then kills the command. Returns the output.
   */
  async runUntil(
    blocks: readonly string[],
    until: string,
    meanwhile: () => Promise<unknown>,
    withinMs = 600_000,
  ): Promise<string> {
    const options = { cwd: this.folder, env: this.#env(), detached: true } as const;
    const child = spawn("bash", ["--norc", "-c", this.#script(blocks.join("\n"))], options);
    let printed = "";
    const take = (bytes: Buffer) => {
      printed += bytes.toString("utf8");
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    const ended = once(child, "close");
    const lateMs = Date.now() + withinMs;
    while (!printed.includes(until) && child.exitCode === null && Date.now() < lateMs) {
      await meanwhile();
      await sleep(meanwhileMs);
    }
    // Kill the process group, because the command is a child of the shell.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await ended;
    return printed;
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }

  #script(text: string): string {
    const { address } = this.#settings;
    const here = text
      .replaceAll("http://127.0.0.1:8080", address)
      .replaceAll("ws://127.0.0.1:8080", address.replace("http", "ws"));
    return message + here;
  }

  #env(): Record<string, string> {
    return { PATH: process.env["PATH"] ?? "", LOG_LEVEL: "error", ...this.#settings.env };
  }
}
