// PostgreSQL for tests: one server for all test files of a run, one database per test. The first test file starts a
// supervisor process, which outlives that file and stops the server after the run. A run is identified by the process
// that started the test files.

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
import { isAlive } from "../../../src/adapters/process-life.ts";

/** A test's own database with the newest schema and only the seeded rows. */
export interface TestDatabase {
  readonly options: PostgresConnectionOptions;
  /** The connection options as a connection string, for DATABASE_URL. */
  readonly url: string;
  /** A database with the same content, as a restored backup has it. No session may be open in this one. */
  copy(): Promise<TestDatabase>;
  drop(): Promise<void>;
}

/** The migrated database that every test database copies. */
export const templateName = "rialto_template";

/** The folder of a test run; it lists the server's users and holds its address. */
export interface RunFolder {
  readonly path: string;
  readonly dataDir: string;
  /** Connection options, written when the server accepts connections. */
  readonly readyFile: string;
  /** The error, written when the server could not start. */
  readonly failedFile: string;
  /** One empty file per test process, named by its pid. */
  readonly usersFolder: string;
}

const startDeadlineMs = 120_000;

/** Returns the folder of the run that ends when the process `runPid` exits. */
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

/** Creates a database on the run's server; starts the server if necessary. */
export async function createTestDatabase(): Promise<TestDatabase> {
  shared ??= joinServer();
  return databaseOf(await shared, templateName);
}

async function databaseOf(
  server: PostgresConnectionOptions,
  template: string,
): Promise<TestDatabase> {
  const name = `t_${process.pid}_${randomBytes(5).toString("hex")}`;
  // Copying files takes half the processor time of writing every page to the log.
  await onServer(server, `create database ${name} template ${template} strategy file_copy`);
  const options = withDatabase(server, name);
  return {
    options,
    url: urlOf(options),
    copy: () => databaseOf(server, name),
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

async function onServer(server: PostgresConnectionOptions, statement: string): Promise<void> {
  // A new or a dropped database costs a checkpoint, which takes long on a busy disk.
  const sql = openPostgres(withDatabase(server, "postgres"), "migrations");
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
  // A socket folder is not valid as a URL host, so it is percent-encoded.
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

/** Registers this process as a user and waits for the server; returns null if the server has stopped. */
async function readyServer(
  folder: RunFolder,
  deadline: number,
): Promise<PostgresConnectionOptions | null> {
  const userFile = join(folder.usersFolder, String(process.pid));
  while (Date.now() < deadline) {
    // Register before reading. The supervisor removes the ready file before its last check for users, so it sees every
    // process that read the file after registering.
    const isRegistered = await writeFile(userFile, "").then(
      () => true,
      () => false,
    );
    const ready = isRegistered ? await readFile(folder.readyFile, "utf8").catch(() => "") : "";
    const supervisor = await readFile(join(folder.path, "supervisor.pid"), "utf8").catch(() => "");
    // A run that was killed may leave its folder, and another run may get its pid.
    if (supervisor !== "" && !isAlive(Number(supervisor))) {
      await rm(folder.path, { recursive: true, force: true });
      return null;
    }
    if (ready !== "") return JSON.parse(ready) as PostgresConnectionOptions;
    const failed = await readFile(folder.failedFile, "utf8").catch(() => "");
    if (failed !== "") {
      await rm(folder.path, { recursive: true, force: true });
      throw new Error(`the test PostgreSQL did not start: ${failed}`);
    }
    if (!isRegistered) return null;
    await sleep(20);
  }
  return null;
}

function startSupervisor(runPid: number): void {
  const script = fileURLToPath(new URL("./postgres-supervisor.js", import.meta.url));
  // Start it detached and without output, so that it does not hold the test runner's pipes open.
  spawn(process.execPath, [script, String(runPid)], { detached: true, stdio: "ignore" }).unref();
}
