// The venue's PostgreSQL, embedded or external: started or connected to, checked, and migrated to this program's
// schema. The embedded server is restarted whenever it dies; the journal retries meanwhile and loses nothing. The
// process that owns the data folder starts and stops the server. A command that runs while a venue runs only connects
// to it.

import { setTimeout as sleep } from "node:timers/promises";
import {
  checkServer,
  openPostgres,
  type PostgresConnectionOptions,
  type Sql,
} from "../adapters/postgres/connection.ts";
import { firstMissing, migrate } from "../adapters/postgres/migrate.ts";
import { PostgresFault } from "../adapters/postgres/postgres-fault.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../adapters/postgres/server/embedded-postgres.ts";
import { folderLockFile } from "../adapters/runtime/folder-lock.ts";
import type { Log } from "../ports/log.ts";
import { makeDataFolder } from "./config/data-folder.ts";

/** Pause before the second restart in a row; doubles up to the maximum. */
const reviveMsMin = 500;
const reviveMsMax = 5_000;

export interface DatabaseOptions {
  /** null for the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  /** Longest wait for the synchronous standby; null if commits need none. Only for an external server. */
  readonly synchronousWaitMs: number | null;
  readonly log: Log;
  /**
   * Whether this process owns the data folder. The owner also restarts and stops the embedded server; other processes
   * only connect to it.
   */
  readonly ownsFolder: boolean;
  /** Whether the database is only read; a database of an earlier version is then refused. */
  readonly isReadOnly?: boolean;
}

export interface VenueDatabase {
  readonly connection: PostgresConnectionOptions;
  readonly sql: Sql;
  readonly serverVersion: string;
  /** Names of the migrations that were applied at this start. */
  readonly migrated: readonly string[];
  /** Milliseconds the embedded server spent replaying its write-ahead log. */
  readonly redoMs: number;
  readonly isEmbedded: boolean;
  close(): Promise<void>;
}

export async function openDatabase(options: DatabaseOptions): Promise<VenueDatabase> {
  const { databaseUrl, dataDir, log, ownsFolder, isReadOnly = false } = options;
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
  const reached = server === null ? externalDatabase(options) : server.connection;
  const connection = isReadOnly ? { ...reached, isReadOnly: true as const } : reached;
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
    const missing = await firstMissing(sql);
    if (missing !== null && isReadOnly) throw new Error(olderMessage(dataDir, missing));
    const migrated = missing === null ? [] : await migrateWith(connection);
    const redoMs = server?.redoMs ?? 0;
    const isEmbedded = server !== null;
    return { connection, sql, serverVersion, migrated, redoMs, isEmbedded, close };
  } catch (error) {
    await close();
    throw databaseUrl === null ? error : databaseFault(error, databaseUrl);
  }
}

/** The external database, with the demand for a standby if there is one. */
export function externalDatabase({
  databaseUrl,
  synchronousWaitMs: waitMs,
}: Pick<DatabaseOptions, "databaseUrl" | "synchronousWaitMs">): PostgresConnectionOptions {
  const demands = waitMs === null ? {} : { synchronous: { waitMs } };
  return { url: databaseUrl ?? "", ...demands };
}

/** Returns the same error with host and database in its message, because a connection error does not name them. */
export function databaseFault(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof Error) || error instanceof PostgresFault) return error;
  const { host, pathname } = new URL(databaseUrl);
  const message = error.message === "" ? String(error) : error.message;
  const place = `${decodeURIComponent(host)}${pathname}`;
  return new Error(`the database of DATABASE_URL (${place}) cannot be used: ${message}`);
}

function olderMessage(dataDir: string, missing: string): string {
  return (
    `the database of ${dataDir} is of an earlier version of Rialto (it lacks ${missing}), and is only read here: ` +
    "start its venue once with this version, or run 'rialto migrate'"
  );
}

/** Migrates in a separate session, whose statements have no time limit and may wait longer for locks. */
async function migrateWith(connection: PostgresConnectionOptions): Promise<string[]> {
  const sql = openPostgres(connection, "migrations");
  try {
    return await migrate(sql);
  } finally {
    await sql.end({ timeout: 2 });
  }
}

/**
 * Restarts the server each time it dies. Retries until it runs, because the operator may repair a full or read-only
 * disk. Returns a function that stops the restarting and resolves once no further start can happen.
 */
function keepAlive(server: EmbeddedPostgres, log: Log): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  let reviving: Promise<void> = Promise.resolve();
  const revive = async () => {
    log.warn(
      {},
      "PostgreSQL died and is being restarted; no command is acknowledged until it is back",
    );
    for (let pauseMs = reviveMsMin; ; pauseMs = Math.min(2 * pauseMs, reviveMsMax)) {
      try {
        await server.restart();
        log.info({ redoMs: server.redoMs }, "PostgreSQL is back");
        return;
      } catch (err) {
        if (signal.aborted) return;
        log.error(
          { err },
          "PostgreSQL could not be restarted; fix the cause, the venue keeps trying",
        );
      }
      // The stop signal ends this wait early, and the check below then ends the loop.
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
