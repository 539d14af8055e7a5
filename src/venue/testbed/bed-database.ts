// The databases of a test bed: one embedded PostgreSQL server, the database of the image, and a copy of it for each
// open venue. A copy is made by the server from its template, which takes a fraction of the time of a migration.

import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres, type Sql } from "../../adapters/postgres/connection.ts";
import {
  type PostgresConnectionOptions,
  withDatabase,
} from "../../adapters/postgres/connection-options.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../adapters/postgres/server/embedded-postgres.ts";
import { folderLockFile } from "../../adapters/runtime/folder-lock.ts";
import { assert } from "../../core/assert.ts";

/** Names that this file makes are letters, digits and underscores, so they need no quoting. */
const nameForm = /^[a-z][a-z0-9_]{0,62}$/;

/** A venue begins its epochs within a second of its start. */
const beginMsMax = 60_000;
const beginLookMs = 20;

export class BedDatabase {
  readonly #server: EmbeddedPostgres;
  readonly #admin: Sql;

  /** Starts the server in `folder`, which this process holds. */
  static async open(folder: string, log: (message: string) => void): Promise<BedDatabase> {
    const holderFile = folderLockFile(folder);
    const server = await startEmbeddedPostgres({ dataDir: folder, holderFile, log });
    return new BedDatabase(server);
  }

  private constructor(server: EmbeddedPostgres) {
    this.#server = server;
    this.#admin = openPostgres(withDatabase(server.connection, "postgres"), "queries");
  }

  /** The value of DATABASE_URL for a venue on the database `name`. */
  urlOf(name: string): string {
    const { connection } = this.#server;
    assert("host" in connection, "the embedded server is reached by its socket or on loopback");
    return urlOf(connection, name);
  }

  async has(name: string): Promise<boolean> {
    const [found] = await this.#admin`select 1 from pg_database where datname = ${name}`;
    return found !== undefined;
  }

  /** The names of all databases that begin with `start`. */
  async names(start: string): Promise<string[]> {
    const rows = await this.#admin<{ datname: string }[]>`
      select datname from pg_database where starts_with(datname, ${start}) order by datname`;
    return rows.map(({ datname }) => datname);
  }

  /** Creates the database `name`, empty or as a copy of `template`, to which nobody may be connected. */
  async create(name: string, template: string | null = null): Promise<void> {
    const from = template === null ? "" : ` template ${checked(template)}`;
    await this.#admin.unsafe(`create database ${checked(name)}${from}`);
  }

  /** Resolves when the venue on the database `name` has begun its epochs; throws if it does not, or after the signal. */
  async untilSealing(name: string, signal: AbortSignal): Promise<void> {
    const sql = openPostgres(withDatabase(this.#server.connection, name), "queries");
    const untilMs = performance.now() + beginMsMax;
    try {
      while ((await sql`select 1 from epoch_chain`).length === 0) {
        if (performance.now() > untilMs) throw new Error("the venue of the image began no epochs");
        await sleep(beginLookMs, undefined, { signal });
      }
    } finally {
      await sql.end({ timeout: 2 });
    }
  }

  /** Drops the database `name` if it exists, and ends the sessions that are connected to it. */
  async drop(name: string): Promise<void> {
    await this.#admin.unsafe(`drop database if exists ${checked(name)} with (force)`);
  }

  async close(): Promise<void> {
    await this.#admin.end({ timeout: 2 });
    await this.#server.stop("fast");
  }
}

function checked(name: string): string {
  assert(nameForm.test(name), `${name} is a name of this test bed`);
  return name;
}

function urlOf(
  { host, port, user, password }: Extract<PostgresConnectionOptions, { readonly host: string }>,
  database: string,
): string {
  // A socket's folder cannot be the host of a URL. As a parameter it wins over the host that must be there.
  const isSocket = host.startsWith("/");
  const url = new URL(`postgres://${isSocket ? "localhost" : host}:${port}/${database}`);
  url.username = user;
  url.password = password;
  url.searchParams.set("sslmode", "disable");
  if (isSocket) url.searchParams.set("host", host);
  return url.href;
}
