// Runs the embedded PostgreSQL: a real server from the npm package, with its files in the data folder and with durable
// commits. The server's process group outlives a killed venue by some seconds (postgres-guard.ts). The next start can
// therefore find no server, a stale pid file, a running server to adopt, or a server that is recovering or stopping.
// One loop polls the pid file until a server of this folder is ready.
//
//   none ──spawn──▶ starting ──▶ ready ──stop──▶ stopping ──▶ none
//                      ▲           │ dies: onExit, then restart()
//                      └───────────┘

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../process-life.ts";
import { openPostgres } from "../connection.ts";
import { type PostgresConnectionOptions, withDatabase } from "../connection-options.ts";
import { PostgresFault } from "../postgres-fault.ts";
import { isRetryable } from "../retryable.ts";
import { guardPostgres } from "./postgres-guard.ts";
import { type PostgresHome, preparePostgresHome } from "./postgres-home.ts";
import {
  findPostmaster,
  isServerOf,
  type Postmaster,
  type PostmasterFinding,
} from "./postmaster.ts";

/** Settings of the embedded server, with the reason for each. */
const serverSettings: Readonly<Record<string, string>> = {
  // Durability comes before speed: none of these three settings may be relaxed.
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  // Keeps in memory the table pages that commit batches use, up to about 10 million journal rows.
  shared_buffers: "256MB",
  // Holds the log of one checkpoint interval at full load. Reused log files make commit times steadier than new ones.
  max_wal_size: "2GB",
  min_wal_size: "512MB",
  checkpoint_timeout: "5min",
  checkpoint_completion_target: "0.9",
  // Page images after a checkpoint are most of the log; compressing them costs little.
  wal_compression: "on",
  wal_buffers: "16MB",
  // Statements are short, so compiling or parallelising them costs more than running them.
  jit: "off",
  max_parallel_workers_per_gather: "0",
  // Saves two system calls per statement; only ps shows the process title.
  update_process_title: "off",
  // A venue holds 8 sessions, with a ledger 14; a test bed has up to twelve venues, and each may have more for a moment.
  max_connections: "200",
  log_line_prefix: "%m [%p] ",
  log_autovacuum_min_duration: "-1",
};

const databaseName = "rialto";
const loginName = "rialto";
const tcpHost = "127.0.0.1";
/**
 * Maximum length of the socket folder's path. The kernel's field for a socket path has 108 bytes; the file name takes
 * 15 of them, and the rest is a reserve.
 */
const socketFolderBytesMax = 85;
/**
 * Maximum time until the server is ready. Redo of a full 2 GB log took less than half a minute, so ten minutes mean a
 * broken disk.
 */
const readyDeadlineMs = 600_000;
/**
 * Maximum number of attempts to start the server: it exits at once while the previous server still holds its shared
 * memory.
 */
const spawnsMax = 100;
const pollMs = 10;
/**
 * Milliseconds that a fast stop, which writes a checkpoint, may take. After this time, the server is stopped without a
 * checkpoint.
 */
const stopDeadlineMs = 60_000;
const logBytesMax = 16 * 2 ** 20;
/** Matches the log of a server that exited at once for a reason that can pass by itself. */
const passingReason =
  /pre-existing shared memory block|lock file "[^"]*" (already exists|is empty)|bogus data in lock file|Address already in use/;

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /**
   * File that names the process which holds the data folder. The server is stopped once no living process holds the
   * folder; null disables this.
   */
  readonly holderFile: string | null;
  readonly log: (message: string) => void;
}

/** A started server; `pid` and `redoMs` change when it is restarted. */
export interface EmbeddedPostgres {
  readonly connection: PostgresConnectionOptions;
  readonly pid: number;
  /** Milliseconds of log redo at the last start; 0 after a clean stop or if the server was adopted. */
  readonly redoMs: number;
  /** Stops the server. `fast` writes a checkpoint; `immediate` is like a crash. Idempotent. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** Leaves the server running and stops supervising it; a `restart` in progress fails. */
  leave(): void;
  /** Registers a callback for each time that the server ends without a call of `stop`. */
  onExit(callback: () => void): void;
  /** Starts the server again after it ended, or adopts a running one. Refused after `stop` or `leave`. */
  restart(): Promise<void>;
}

/** Starts or adopts the server in `<dataDir>/postgres`; throws a PostgresFault `embedded` with the reason. */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const home = await preparePostgresHome(options.dataDir);
  await initialise(home, options.log);
  const { cluster } = home;
  const { holderFile } = options;
  const endGuard = holderFile === null ? () => undefined : guardPostgres({ cluster, holderFile });
  const server = new Server(home, options.log, endGuard);
  await server.restart();
  return server;
}

class Server implements EmbeddedPostgres {
  readonly #home: PostgresHome;
  readonly #log: (message: string) => void;
  readonly #endGuard: () => void;
  readonly #onExit: (() => void)[] = [];
  #child: ChildProcess | null = null;
  #running: Postmaster | null = null;
  #redoMs = 0;
  #isStopping = false;
  #password = "";
  #watch: NodeJS.Timeout | null = null;

  constructor(home: PostgresHome, log: (message: string) => void, endGuard: () => void) {
    this.#home = home;
    this.#log = log;
    this.#endGuard = endGuard;
  }

  get connection(): PostgresConnectionOptions {
    const { host, port } = this.#server();
    const password = this.#password;
    return { host, port, user: loginName, password, database: databaseName };
  }

  get pid(): number {
    return this.#server().pid;
  }

  get redoMs(): number {
    return this.#redoMs;
  }

  onExit(callback: () => void): void {
    this.#onExit.push(callback);
  }

  async restart(): Promise<void> {
    this.#password = (await readFile(this.#home.passwordFile, "utf8")).trim();
    const logStart = await rotateLog(this.#home.logFile);
    const found = await this.#untilReady(logStart);
    this.#running = found;
    if (this.#child?.pid !== found.pid)
      this.#log(`adopted the running PostgreSQL (pid ${found.pid})`);
    this.#redoMs = this.#child?.pid === found.pid ? await this.#redoSince(logStart) : 0;
    const isThere = () => !this.#isStopping && this.#isThere(found.pid);
    await createDatabase(this.connection, isThere);
    this.#refuseStopped();
    this.#watchFor(found.pid);
  }

  leave(): void {
    this.#isStopping = true;
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }

  async stop(mode: "fast" | "immediate"): Promise<void> {
    this.leave();
    const found = await findPostmaster(this.#home.cluster);
    if (typeof found !== "string") await this.#end(found.pid, mode);
    this.#endGuard();
  }

  async #end(pid: number, mode: "fast" | "immediate"): Promise<void> {
    await this.#signal(pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
    if (await this.#untilGone(pid, stopDeadlineMs)) return;
    this.#log("PostgreSQL did not stop in time and is stopped without a checkpoint");
    await this.#signal(pid, "SIGQUIT");
    if (await this.#untilGone(pid, stopDeadlineMs)) return;
    throw new PostgresFault("embedded", `PostgreSQL (pid ${pid}) does not stop`);
  }

  #server(): Postmaster {
    if (this.#running === null) throw new PostgresFault("embedded", "PostgreSQL is not started");
    return this.#running;
  }

  async #untilReady(logStart: number): Promise<Postmaster> {
    const deadline = performance.now() + readyDeadlineMs;
    let spawns = 0;
    while (performance.now() < deadline && spawns <= spawnsMax) {
      const found = await findPostmaster(this.#home.cluster);
      if (typeof found === "string") {
        // If a server that this venue started is running, do not start another: wait until the pid file names it, so
        // that a stop finds it.
        if (!isRunning(this.#child)) {
          await this.#makeRoom(found, spawns, logStart);
          const listen = await this.#listen();
          this.#refuseStopped();
          this.#spawn(listen);
          spawns += 1;
        }
      } else if (found.status === "ready") return found;
      else this.#refuseStopped();
      await sleep(pollMs);
    }
    throw new PostgresFault("embedded", `PostgreSQL is not ready: see ${this.#home.logFile}`);
  }

  /** Throws after a stop, so that nothing is started any more. */
  #refuseStopped(): void {
    if (this.#isStopping) throw new PostgresFault("embedded", "PostgreSQL is stopped");
  }

  /** Prepares another attempt to start; throws if the previous one failed for a reason that does not pass by itself. */
  async #makeRoom(found: PostmasterFinding, spawns: number, logStart: number): Promise<void> {
    if (spawns === 0) return;
    await this.#refuseUnlessPassing(logStart);
    await sleep(10 * pollMs);
    // Remove the file only after the wait above, because a new pid file may still be incomplete.
    if (found === "foreign") await this.#removeForeignPidFile();
  }

  /**
   * Removes a pid file that is incomplete or names the pid of another program, because the server would refuse to
   * start.
   */
  async #removeForeignPidFile(): Promise<void> {
    // The server uses the file as a lock, but removing it is safe: the server's shared memory is also keyed by the data
    // folder, and a second server finds it by that key.
    this.#log("removed a postmaster.pid that names no server of this folder");
    await rm(join(this.#home.cluster, "postmaster.pid"), { force: true });
  }

  /** Returns where the server listens: a socket in its folder, or loopback if the socket's path would be too long. */
  async #listen(): Promise<Record<string, string>> {
    const { socketFolder } = this.#home;
    if (Buffer.byteLength(socketFolder) > socketFolderBytesMax)
      return {
        listen_addresses: tcpHost,
        unix_socket_directories: "",
        port: String(await freePort()),
      };
    return {
      listen_addresses: "",
      unix_socket_directories: `"${socketFolder}"`,
      unix_socket_permissions: "0700",
    };
  }

  #spawn(listen: Record<string, string>): void {
    const home = this.#home;
    const settings = Object.entries({ ...serverSettings, ...listen });
    const log = openSync(home.logFile, "a", 0o600);
    // Start the server in a separate session, so that Ctrl-C at the terminal reaches only the venue.
    this.#child = spawn(
      home.postgres,
      ["-D", home.cluster, ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`])],
      { ...processOptions(home), detached: true, stdio: ["ignore", log, log] },
    );
    this.#child.on("error", (error) => this.#log(`PostgreSQL could not be started: ${error}`));
    this.#child.unref();
    closeSync(log);
  }

  async #refuseUnlessPassing(logStart: number): Promise<void> {
    const message = await logSince(this.#home.logFile, logStart);
    if (passingReason.test(message.slice(-2000))) return;
    throw new PostgresFault("embedded", `PostgreSQL did not start: ${message.slice(-2000).trim()}`);
  }

  async #redoSince(logStart: number): Promise<number> {
    const message = await logSince(this.#home.logFile, logStart);
    const elapsed = /redo done at .* elapsed: ([\d.]+) s/.exec(message)?.[1];
    return elapsed === undefined ? 0 : Math.round(Number(elapsed) * 1000);
  }

  #watchFor(pid: number): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    const look = () => {
      if (this.#isThere(pid)) return;
      if (this.#watch !== null) clearInterval(this.#watch);
      this.#watch = null;
      if (this.#isStopping) return;
      for (const callback of this.#onExit) callback();
    };
    // An adopted server is not a child process, so only polling detects its end.
    const isAdopted = this.#child?.pid !== pid || !isRunning(this.#child);
    if (isAdopted) this.#watch = setInterval(look, 10 * pollMs).unref();
    else this.#child?.once("exit", look);
  }

  #isThere(pid: number): boolean {
    return isAlive(pid) && (this.#child?.pid !== pid || isRunning(this.#child));
  }

  async #signal(pid: number, signal: NodeJS.Signals): Promise<void> {
    if (!(await isServerOf(pid, this.#home.cluster))) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (isAlive(pid)) throw error;
    }
  }

  async #untilGone(pid: number, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (performance.now() < deadline) {
      // A child process that has ended keeps its pid until its exit status is read.
      const isUnreaped = this.#child?.pid === pid && isRunning(this.#child);
      if (!isUnreaped && !(await isServerOf(pid, this.#home.cluster))) return true;
      await sleep(pollMs);
    }
    return false;
  }
}

/** Creates the server's files at the first start. Their folder gets its final name only once it is complete. */
async function initialise(home: PostgresHome, log: (message: string) => void): Promise<void> {
  if ((await stat(join(home.cluster, "PG_VERSION")).catch(() => null)) !== null) return;
  const unfinished = `${home.cluster}.new`;
  await rm(unfinished, { recursive: true, force: true });
  log(`creating the database in ${home.cluster}`);
  const message = await outputOf(home, [
    `--pgdata=${unfinished}`,
    `--username=${loginName}`,
    `--pwfile=${home.passwordFile}`,
    // Other users cannot enter the socket's folder; over TCP the password decides.
    "--auth-local=trust",
    "--auth-host=scram-sha-256",
    // Order texts by bytes, so that the order does not depend on the system's locales.
    "--locale=C",
    "--encoding=UTF8",
    "--data-checksums",
  ]);
  await rename(unfinished, home.cluster).catch((cause: unknown) => {
    throw new PostgresFault(
      "embedded",
      `the database could not be created in ${home.cluster}: the disk must be writable and have about 50 MB ` +
        `free; initdb says: ${message.slice(-2000).trim()}`,
      { cause },
    );
  });
}

async function outputOf(home: PostgresHome, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(home.initdb, args, { ...processOptions(home), stdio: "pipe" });
    let message = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        message += chunk.toString("utf8");
      });
    child.on("error", (cause) =>
      reject(new PostgresFault("embedded", `initdb: ${cause.message}`, { cause })),
    );
    child.on("close", () => resolve(message));
  });
}

function processOptions(home: PostgresHome): {
  cwd: string;
  env: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
} {
  // Messages are in English, because the venue recognises some of them by their text. The server must not get any PG*
  // variable of this process.
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  return { cwd: "/", env, ...home.user };
}

function isRunning(child: ChildProcess | null): boolean {
  return (
    child !== null &&
    child.pid !== undefined &&
    child.exitCode === null &&
    child.signalCode === null
  );
}

/** Renames a large log and keeps one old one; returns the offset at which this start's log begins. */
async function rotateLog(logFile: string): Promise<number> {
  const size = (await stat(logFile).catch(() => null))?.size ?? 0;
  if (size < logBytesMax) return size;
  await rename(logFile, `${logFile}.1`);
  return 0;
}

async function logSince(logFile: string, start: number): Promise<string> {
  const bytes = await readFile(logFile).catch(() => Buffer.alloc(0));
  return bytes.subarray(start).toString("utf8");
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, tcpHost, () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** Creates the venue's database at the first start; waits while the server recovers. */
async function createDatabase(
  options: PostgresConnectionOptions,
  isThere: () => boolean,
): Promise<void> {
  const deadline = performance.now() + readyDeadlineMs;
  for (;;) {
    const sql = openPostgres(withDatabase(options, "postgres"), "queries");
    try {
      const [found] = await sql`select 1 from pg_database where datname = ${databaseName}`;
      if (found === undefined) await sql.unsafe(`create database ${databaseName}`);
      return;
    } catch (error) {
      if (!isThere())
        throw new PostgresFault("embedded", "PostgreSQL ended before its database was ready", {
          cause: error,
        });
      if (!isRetryable(error) || performance.now() > deadline) throw error;
      await sleep(10 * pollMs);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
}
