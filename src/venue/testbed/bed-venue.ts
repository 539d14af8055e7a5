// A venue of a test bed: a child process `rialto start --rewind` on a database and a data folder of its own. It is ready
// when its start has printed its address. It ends by a signal, and with the test bed: whoever opened it may be gone.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as z from "zod";
import { controlSocketPath } from "../../adapters/runtime/control-socket.ts";
import { startingEnvironment } from "../config/process-settings.ts";

/** A start that takes longer is broken, even on a busy machine. */
const readyMsMax = 60_000;
/** A venue that does not end within this time after its signal is killed: what it holds is dropped anyway. */
const endMsMax = 10_000;
const complaintBytesMax = 16_384;

export interface BedVenueOptions {
  /** The program file of the command line `rialto`. */
  readonly program: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** Further settings, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Ends a start. */
  readonly signal?: AbortSignal;
}

/** What a start prints with `--json`: the venue's address, or why it did not start. */
const printedForms = z.union([z.object({ address: z.string() }), z.object({ error: z.string() })]);

export class BedVenue {
  readonly address: string;
  readonly dataDir: string;
  readonly #child: ChildProcess;

  /** Resolves when the venue answers; rejects with what it complained about if it ends first. */
  static async start(options: BedVenueOptions): Promise<BedVenue> {
    const { program, dataDir, signal } = options;
    signal?.throwIfAborted();
    // The market's time would go on where the image ended, which may be days ago: programs compare candles with their clock.
    const now = ["--market-time", new Date().toISOString()];
    const words = [...process.execArgv, program, "start", "--rewind", ...now, "--json"];
    const child = spawn(process.execPath, words, {
      env: environmentOf(options),
      // A Ctrl-C at the terminal reaches only the test bed, which then closes its venues.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const kill = () => child.kill("SIGKILL");
    signal?.addEventListener("abort", kill);
    try {
      const told = printedForms.parse(JSON.parse(await documentOf(child)));
      if ("error" in told) throw new Error(`the venue did not start: ${told.error}`);
      return new BedVenue(child, told.address, dataDir);
    } catch (error) {
      if (kill()) await once(child, "exit");
      throw error;
    } finally {
      signal?.removeEventListener("abort", kill);
    }
  }

  private constructor(child: ChildProcess, address: string, dataDir: string) {
    this.#child = child;
    this.address = address;
    this.dataDir = dataDir;
    for (const output of [child.stdout, child.stderr]) output?.resume();
  }

  /** The path of the venue's control socket. */
  get control(): string {
    return controlSocketPath(this.dataDir);
  }

  /** Whether its process still runs. */
  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Ends the process: cleanly, so that its data may be used again, or at once. Idempotent. */
  async end(how: "stop" | "kill"): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child, "exit");
    this.#child.kill(how === "stop" ? "SIGTERM" : "SIGKILL");
    const late = setTimeout(() => this.#child.kill("SIGKILL"), endMsMax);
    await exited;
    clearTimeout(late);
  }
}

function environmentOf({ dataDir, databaseUrl, settings }: BedVenueOptions): NodeJS.ProcessEnv {
  const { PATH = "", TMPDIR } = process.env;
  return {
    PATH,
    // Decides where a control socket is whose path would be too long.
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...startingEnvironment,
    LOG_LEVEL: "error",
    LOG_FORMAT: "json",
    LEDGER_PROFILE: "none",
    OPENS_WITHOUT_INDEX: "1",
    // A test is done before its orders are many enough to gain from a warm-up.
    WARM_UP: "0",
    ...settings,
    // What makes this venue one of the test bed cannot be set otherwise.
    DEV_TOOLS: "1",
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
  };
}

/** The first document that the process prints; rejects if it ends or takes too long. */
function documentOf(child: ChildProcess): Promise<string> {
  let [printed, complained] = ["", ""];
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => fail("it did not answer in time"), readyMsMax);
    const fail = (reason: string) => {
      clearTimeout(late);
      reject(new Error(`the venue did not start: ${reason}`));
    };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (!printed.trimEnd().endsWith("\n}")) return;
      clearTimeout(late);
      resolve(printed);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      complained = (complained + text).slice(-complaintBytesMax);
    });
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => fail(`it ended with ${code}: ${complained.trim()}`));
  });
}

/** The folder of a test bed's venue `name`. */
export function venueFolder(bedFolder: string, name: string): string {
  return join(bedFolder, "venues", name);
}
