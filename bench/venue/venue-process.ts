// Runs the real venue as a child process. It is started by its command line, as an operator would do, on embedded
// PostgreSQL in its own folder. The bench observes it only from outside: sockets, /metrics, the kernel's figures, and
// SQL for sizes.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  openPostgres,
  type PostgresConnectionOptions,
} from "../../src/adapters/postgres/connection.ts";
import { findPostmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import { controlSocketPath, isAnswered } from "../../src/adapters/runtime/control-socket.ts";
import { statSeconds } from "../../src/adapters/telemetry/thread-time.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { startingEnvironment } from "../../src/venue/config/process-settings.ts";
import { freePort } from "../../test/support/free-port.ts";
import { profiling } from "../report/profiling.ts";

const cli = fileURLToPath(new URL("../../bundle/src/venue/rialto.js", import.meta.url));
const host = "127.0.0.1";
/** Longest start, which includes the first start of the database on a busy machine. */
const startMsMax = 120_000;
const pollMs = 5;

export interface VenueProcessOptions {
  readonly dataDir: string;
  /** Settings that are added to the usual ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Flags of `rialto start`, such as `--rewind`. */
  readonly flags?: readonly string[];
  /** Command line that is put before the venue's. Its program must replace itself by the venue, as `unshare` does. */
  readonly within?: readonly string[];
}

export class VenueProcess {
  readonly endpoint: Endpoint;
  readonly dataDir: string;
  /** Milliseconds from the start of the process until its public API and its operator API answer. */
  readonly startMs: number;
  readonly #child: ChildProcess;

  /** Starts a venue and resolves when it answers; throws with the end of the venue's log if it does not. */
  static async start(options: VenueProcessOptions): Promise<VenueProcess> {
    const { dataDir } = options;
    await mkdir(dataDir, { recursive: true });
    const startedMs = performance.now();
    const { child, port } = await begin(options);
    while (!(await isUp(port)) || !(await isAnswered(controlSocketPath(dataDir)))) {
      if (child.exitCode !== null || performance.now() - startedMs > startMsMax) {
        child.kill("SIGKILL");
        throw await startFault(options);
      }
      await sleep(pollMs);
    }
    return new VenueProcess(child, { host, port }, dataDir, performance.now() - startedMs);
  }

  /**
   * Starts a gateway with `settings` and resolves when it answers; throws with the end of its log if it does not. It has
   * no database of its own.
   */
  static async startGateway(options: VenueProcessOptions): Promise<VenueProcess> {
    const { dataDir } = options;
    await mkdir(dataDir, { recursive: true });
    const startedMs = performance.now();
    const { child, port } = await begin(options, "gateway");
    while (!(await isUp(port))) {
      if (child.exitCode !== null || performance.now() - startedMs > startMsMax) {
        child.kill("SIGKILL");
        throw await startFault(options);
      }
      await sleep(pollMs);
    }
    return new VenueProcess(child, { host, port }, dataDir, performance.now() - startedMs);
  }

  /**
   * Starts a venue and kills its process after `afterMs`, while its PostgreSQL continues. Returns false if the venue
   * was ready by then. Throws with the end of the venue's log if the process ended by itself.
   */
  static async killStarting(options: VenueProcessOptions, afterMs: number): Promise<boolean> {
    const { child, port } = await begin(options);
    await sleep(afterMs);
    const isReady = await isUp(port);
    if (child.exitCode !== null || child.signalCode !== null) throw await startFault(options);
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
    return !isReady;
  }

  private constructor(child: ChildProcess, endpoint: Endpoint, dataDir: string, startMs: number) {
    this.#child = child;
    this.endpoint = endpoint;
    this.dataDir = dataDir;
    this.startMs = startMs;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Kills the process with all its threads; PostgreSQL continues. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stops the venue as Ctrl-C would. */
  async stop(): Promise<void> {
    await this.#end("SIGINT");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }

  /** Returns the venue's metrics by name and labels, as in /metrics. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const { port } = this.endpoint;
    const text = await (await fetch(`http://${host}:${port}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(
      lines.map((line): [string, number] => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
    );
  }

  /** Returns the resident memory of the process with all threads, in bytes. */
  async residentBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }

  /** Returns the CPU time of the process so far, in milliseconds. */
  async cpuMs(): Promise<number> {
    return cpuMsOf(this.pid);
  }

  /**
   * Vacuums the tables. Otherwise a window could contain the vacuum, up to 50 µs per request, of the rows that an
   * earlier load has written.
   */
  async vacuum(): Promise<void> {
    // Opened as for migrations, whose statements have no time limit.
    const sql = openPostgres(await this.database(), "migrations");
    await sql`vacuum analyze`;
    await sql.end();
  }

  /** Returns the connection options of the venue's database. */
  async database(): Promise<PostgresConnectionOptions> {
    const found = await findPostmaster(join(this.dataDir, "postgres", "cluster"));
    if (typeof found === "string") throw new Error(`the venue's PostgreSQL: ${found}`);
    const password = await readFile(join(this.dataDir, "postgres", "password"), "utf8");
    return {
      host: found.host,
      port: found.port,
      user: "rialto",
      password: password.trim(),
      database: "rialto",
    };
  }
}

function logFileOf(dataDir: string): string {
  return join(dataDir, "venue.log");
}

async function startFault({ dataDir }: VenueProcessOptions): Promise<Error> {
  const args = await readFile(logFileOf(dataDir), "utf8");
  return new Error(`the venue did not start: ${args.slice(-2000)}`);
}

/** Starts the process, whose venue or gateway answers at `port` once it is ready. */
async function begin(
  options: VenueProcessOptions,
  command: "start" | "gateway" = "start",
): Promise<{ child: ChildProcess; port: number }> {
  const { dataDir, settings = {}, flags = [], within = [] } = options;
  const port = await freePort();
  const log = openSync(logFileOf(dataDir), "a");
  const [program = "", ...args] = [
    ...within,
    process.execPath,
    ...profiling,
    cli,
    command,
    ...flags,
  ];
  const child = spawn(program, args, {
    env: {
      ...process.env,
      ...startingEnvironment,
      HOST: host,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: "",
      DEV_TOOLS: "1",
      DEV_PROVIDER: "0",
      // Trust the client addresses that the load generator states in its requests. Each key then has its own address
      // with its own limits, so the venue's limits can stay on.
      TRUSTED_PROXIES: host,
      LOG_LEVEL: "warn",
      LEDGER_PROFILE: "none",
      OPENS_WITHOUT_INDEX: "1",
      ...settings,
    },
    stdio: ["ignore", log, log],
  });
  return { child, port };
}

/** Returns the CPU time of process `pid` so far, in milliseconds. */
export async function cpuMsOf(pid: number): Promise<number> {
  return statSeconds(await readFile(`/proc/${pid}/stat`, "utf8")) * 1000;
}

async function isUp(port: number): Promise<boolean> {
  return fetch(`http://${host}:${port}/api/v3/ping`).then(
    (response) => response.ok,
    () => false,
  );
}
