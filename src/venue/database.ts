// The venue's PostgreSQL, its own or the operator's: started or reached, checked, brought to this
// program's schema. The embedded one is kept alive for as long as the venue runs; the journal retries
// meanwhile and loses nothing. A start that fails leaves a server that ran before as it was: it may be
// another venue's.

import { join } from "node:path";
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
import { findPostmaster } from "../adapters/postgres/postmaster.ts";
import type { Log } from "../ports/log.ts";
import { makeDataFolder } from "./data-folder.ts";

/** Pause before the server is started again a second time; doubled up to the longest. */
const reviveMsMin = 500;
const reviveMsMax = 5_000;

export interface DatabaseOptions {
  /** null for the embedded one. */
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly log: Log;
  /** Whether an embedded server that ran before goes on running afterwards: it may be a venue's. */
  readonly leavesRunning: boolean;
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
  /** After a failed start: closes, and leaves an embedded server running if it ran before. */
  giveBack(): Promise<void>;
}

export async function openDatabase(options: DatabaseOptions): Promise<VenueDatabase> {
  const { databaseUrl, dataDir, log } = options;
  await makeDataFolder(dataDir);
  const isFound = databaseUrl === null && (await isServerRunning(dataDir));
  const isLeft = options.leavesRunning && isFound;
  const server =
    databaseUrl === null
      ? await startEmbeddedPostgres({ dataDir, log: (words) => log.info({}, words) })
      : null;
  const connection = server === null ? { url: databaseUrl ?? "" } : server.connection;
  const sql = openPostgres(connection, "queries");
  const letGo = server === null || isLeft ? async () => undefined : keepAlive(server, log);
  const end = async (isLeftRunning: boolean) => {
    await letGo();
    await sql.end({ timeout: 2 });
    if (isLeftRunning) server?.leave();
    else await server?.stop("fast");
  };
  const close = () => end(isLeft);
  const giveBack = () => end(isFound);
  try {
    const serverVersion = await checkServer(sql);
    const migrated = (await firstMissing(sql)) === null ? [] : await migrateWith(connection);
    const redoMs = server?.redoMs ?? 0;
    const isEmbedded = server !== null;
    return { connection, sql, serverVersion, migrated, redoMs, isEmbedded, close, giveBack };
  } catch (error) {
    await giveBack();
    throw databaseUrl === null ? error : unreachable(error, databaseUrl);
  }
}

/** The same fault with the place it is about, which a connection error alone does not name. */
function unreachable(error: unknown, databaseUrl: string): unknown {
  if (!(error instanceof Error) || error instanceof PostgresFault) return error;
  const { host, pathname } = new URL(databaseUrl);
  const words = error.message === "" ? String(error) : error.message;
  const place = `${decodeURIComponent(host)}${pathname}`;
  return new Error(`the database of DATABASE_URL (${place}) cannot be used: ${words}`);
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

async function isServerRunning(dataDir: string): Promise<boolean> {
  return typeof (await findPostmaster(join(dataDir, "postgres", "cluster"))) !== "string";
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
