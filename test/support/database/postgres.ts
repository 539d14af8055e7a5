// A PostgreSQL for tests: one server for all test files of a run, one database for each test. The
// first file that asks starts a supervisor, which outlives the file and stops the server when the run
// is over. Runs are told apart by the process that started the test files.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import {
  type PostgresConnectionOptions,
  withDatabase,
} from "../../../src/adapters/postgres/connection-options.ts";
import { isAlive } from "../../../src/adapters/postgres/postmaster.ts";

/** A database of its own with the newest schema and no rows but the seeded ones. */
export interface TestDatabase {
  readonly options: PostgresConnectionOptions;
  /** The same as a connection string, for what is configured by DATABASE_URL. */
  readonly url: string;
  drop(): Promise<void>;
}

/** The migrated database every test database is a copy of. */
export const templateName = "rialto_template";

/** Folder of the run: who uses the server, and where it is. */
export interface RunFolder {
  readonly path: string;
  readonly dataDir: string;
  /** Connection options, written when the server takes connections. */
  readonly readyFile: string;
  /** What went wrong, written when the server could not be started. */
  readonly failedFile: string;
  /** One empty file per test process, named by its pid. */
  readonly usersFolder: string;
}

const startDeadlineMs = 120_000;

/** The run folder of `runPid`, the process whose end is the end of the run. */
export function runFolder(runPid: number): RunFolder {
  const path = join(tmpdir(), `rialto-test-${process.getuid?.() ?? 0}-${runPid}`);
  return {
    path,
    dataDir: join(path, "data"),
    readyFile: join(path, "ready.json"),
    failedFile: join(path, "failed.txt"),
    usersFolder: join(path, "users"),
  };
}

let shared: Promise<PostgresConnectionOptions> | null = null;

/** An empty database on the run's server; starts the server if this is the first to ask. */
export async function createTestDatabase(): Promise<TestDatabase> {
  shared ??= joinServer();
  const server = await shared;
  const name = `t_${process.pid}_${randomBytes(5).toString("hex")}`;
  await onServer(server, `create database ${name} template ${templateName}`);
  const options = withDatabase(server, name);
  return {
    options,
    url: urlOf(options),
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

async function onServer(server: PostgresConnectionOptions, statement: string): Promise<void> {
  const sql = openPostgres(withDatabase(server, "postgres"), "queries");
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function urlOf(options: PostgresConnectionOptions): string {
  if ("url" in options) return options.url;
  const { host, port, user, password, database } = options;
  const login = `${user}:${encodeURIComponent(password)}`;
  // A socket folder cannot stand where the host stands, so it travels percent-encoded.
  return `postgres://${login}@${encodeURIComponent(host)}:${port}/${database}`;
}

async function joinServer(): Promise<PostgresConnectionOptions> {
  const folder = runFolder(process.ppid);
  const deadline = Date.now() + startDeadlineMs;
  while (Date.now() < deadline) {
    const isFirst = await mkdir(folder.path, { mode: 0o711 }).then(
      () => true,
      () => false,
    );
    if (isFirst) {
      await mkdir(folder.usersFolder);
      startSupervisor(process.ppid);
    }
    const options = await readyServer(folder, deadline);
    if (options !== null) return options;
    await sleep(50);
  }
  throw new Error("the test PostgreSQL did not start in time");
}

/** Registers this process as a user and waits until the server is there; null if it went away. */
async function readyServer(
  folder: RunFolder,
  deadline: number,
): Promise<PostgresConnectionOptions | null> {
  const userFile = join(folder.usersFolder, String(process.pid));
  while (Date.now() < deadline) {
    // Registering comes before looking: the supervisor withdraws the ready file before its last look
    // at the users, so whoever still reads it after registering has been seen.
    const isRegistered = await writeFile(userFile, "").then(
      () => true,
      () => false,
    );
    const ready = isRegistered ? await readFile(folder.readyFile, "utf8").catch(() => "") : "";
    if (ready !== "") return JSON.parse(ready) as PostgresConnectionOptions;
    const failed = await readFile(folder.failedFile, "utf8").catch(() => "");
    if (failed !== "") {
      await rm(folder.path, { recursive: true, force: true });
      throw new Error(`the test PostgreSQL did not start: ${failed}`);
    }
    if (!isRegistered) return null;
    const supervisor = await readFile(join(folder.path, "supervisor.pid"), "utf8").catch(() => "");
    if (supervisor !== "" && !isAlive(Number(supervisor))) {
      await rm(folder.path, { recursive: true, force: true });
      return null;
    }
    await sleep(20);
  }
  return null;
}

function startSupervisor(runPid: number): void {
  const script = fileURLToPath(new URL("./postgres-supervisor.js", import.meta.url));
  // Detached and silent: it must not hold the test runner's pipes open.
  spawn(process.execPath, [script, String(runPid)], { detached: true, stdio: "ignore" }).unref();
}
