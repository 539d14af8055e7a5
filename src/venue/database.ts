// The venue's PostgreSQL, its own or the operator's: started or reached, checked, brought to this
// program's schema. The embedded one is kept alive for as long as the venue runs; the journal retries
// meanwhile and loses nothing. It belongs to the process that has the data folder: that one ends it, and
// a command beside a running venue only uses it.

import { setTimeout as sleep } from "node:timers/promises";
import {
  checkServer,
  openPostgres,
  type PostgresConnectionOptions,
  type Sql,
} from "../adapters/postgres/connection.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../adapters/postgres/embedded-postgres.ts";
import { firstMissing, migrate } from "../adapters/postgres/migrate.ts";
import { PostgresFault } from "../adapters/postgres/postgres-fault.ts";
import { folderLockFile } from "../adapters/runtime/folder-lock.ts";
import type { Log } from "../ports/log.ts";
import { makeDataFolder } from "./config/data-folder.ts";

/** Pause before the server is started again a second time; doubled up to the longest. */
const reviveMsMin = 500;
const reviveMsMax = 5_000;

export interface DatabaseOptions {
  /** null for the embedded one. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly log: Log;
  /** Whether this process has the folder: an embedded server is then its own, kept alive and ended by it. */
  readonly ownsFolder: boolean;
}

export interface VenueDatabase {
  readonly connection: PostgresConnectionOptions;
  readonly sql: Sql;
  readonly serverVersion: string;
  /** Names of the migrations applied now. */
  readonly migrated: readonly string[];
  /** Milliseconds the embedded server spent on redoing its log. */
  readonly redoMs: number;
  readonly isEmbedded: boolean;
  close(): Promise<void>;
}

export async function openDatabase(options: DatabaseOptions): Promise<VenueDatabase> {
  const { databaseUrl, dataDir, log, ownsFolder } = options;
  await makeDataFolder(dataDir);
  const holderFile = ownsFolder ? folderLockFile(dataDir) : null;
  const server =
    databaseUrl === null
      ? await startEmbeddedPostgres({
          dataDir,
          holderFile,
          log: (message) => log.info({}, message),
        })
      : null;
  const connection = server === null ? { url: databaseUrl ?? "" } : server.connection;
  const sql = openPostgres(connection, "queries");
  const letGo = server !== null && ownsFolder ? keepAlive(server, log) : async () => undefined;
  const close = async () => {
    await letGo();
    await sql.end({ timeout: 2 });
    if (ownsFolder) await server?.stop("fast");
    else server?.leave();
  };
  try {
    const serverVersion = await checkServer(sql);
    const migrated = (await firstMissing(sql)) === null ? [] : await migrateWith(connection);
    const redoMs = server?.redoMs ?? 0;
    const isEmbedded = server !== null;
    return { connection, sql, serverVersion, migrated, redoMs, isEmbedded, close };
  } catch (error) {
    await close();
    throw databaseUrl === null ? error : unreachable(error, databaseUrl);
  }
}

/** The same fault with the place it is about, which a connection error alone does not name. */
function unreachable(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof Error) || error instanceof PostgresFault) return error;
  const { host, pathname } = new URL(databaseUrl);
  const message = error.message === "" ? String(error) : error.message;
  const place = `${decodeURIComponent(host)}${pathname}`;
  return new Error(`the database of DATABASE_URL (${place}) cannot be used: ${message}`);
}

/** On a session of its own: a migration may take long, and waits for locks with patience. */
async function migrateWith(connection: PostgresConnectionOptions): Promise<string[]> {
  const sql = openPostgres(connection, "migrations");
  try {
    return await migrate(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/**
 * Starts the server again each time it dies, and tries until it is there: a disk that is full, or cannot
 * be written, may be mended. Answers what ends that, which resolves when nothing is started any more.
 */
function keepAlive(server: EmbeddedPostgres, log: Log): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  let reviving: Promise<void> = Promise.resolve();
  const revive = async () => {
    log.warn({}, "PostgreSQL died and is started again; nothing is acknowledged until it is back");
    for (let pauseMs = reviveMsMin; ; pauseMs = Math.min(2 * pauseMs, reviveMsMax)) {
      try {
        await server.restart();
        log.info({ redoMs: server.redoMs }, "PostgreSQL is back");
        return;
      } catch (err) {
        if (signal.aborted) return;
        log.error(
          { err },
          "PostgreSQL could not be started again; mend the cause, it is tried again",
        );
      }
      // Broken off by the end, which the next look sees.
      await sleep(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
    }
  };
  server.onExit(() => {
    reviving = revive();
  });
  return async () => {
    ending.abort();
    server.leave();
    await reviving;
  };
}
