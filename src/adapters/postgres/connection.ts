// Opens connections to PostgreSQL with the session settings of each purpose, and checks that the server is suitable for
// a venue. This file opens the pools for queries and migrations; the journal, readers and listeners open sessions of
// their own (pg-session.ts). The check is the only statement that this file runs.

import type { PostgresConnectionOptions } from "./connection-options.ts";
import { answerMsMaxOf } from "./connection-timeouts.ts";
import { PgPool } from "./pg-pool.ts";
import { PgSession } from "./pg-session.ts";
import { PostgresFault } from "./postgres-fault.ts";
import type { Sql } from "./sql.ts";

export type { PostgresConnectionOptions } from "./connection-options.ts";
export type { Sql } from "./sql.ts";

/**
 * Purpose of a connection. `queries` is for API surfaces and operators; `migrations` is one session, whose statements
 * have no time limit and may wait longer for locks.
 */
export type ConnectionPurpose = "queries" | "migrations";

/** Version number of the oldest supported PostgreSQL, as in server_version_num. */
export const serverVersionMin = 150_000;

interface PurposeSettings {
  readonly sessionsMax: number;
  readonly session: Readonly<Record<string, string>>;
}

const settingsByPurpose: Readonly<Record<ConnectionPurpose, PurposeSettings>> = {
  migrations: {
    sessionsMax: 1,
    // Set no limit, because building an index on a large table takes long.
    session: { statement_timeout: "0", lock_timeout: "30000" },
  },
  queries: {
    sessionsMax: 4,
    session: {
      statement_timeout: "15000",
      lock_timeout: "5000",
      // Use one plan for all values. A plan made while tables are empty is still good once they are full, because every
      // query shape has its index and no plan depends on the values.
      plan_cache_mode: "force_generic_plan",
      enable_seqscan: "off",
    },
  },
};

const shared: Readonly<Record<string, string>> = {
  jit: "off",
  idle_in_transaction_session_timeout: "60000",
};

/** Opens a pool of sessions for `purpose`; the pool connects at the first statement. */
export function openPostgres(options: PostgresConnectionOptions, purpose: ConnectionPurpose): Sql {
  const { sessionsMax, session } = settingsByPurpose[purpose];
  const settings = { ...shared, ...session };
  const open = () => PgSession.open(options, purpose, settings);
  return new PgPool({ open, sessionsMax, waitMsMax: answerMsMaxOf(settings) }).sql();
}

interface ServerFacts {
  readonly version: string;
  readonly version_number: string;
  readonly database: string;
  readonly login: string;
  readonly encoding: string;
  readonly is_standby: boolean;
  readonly can_create_tables: boolean;
  /** Owner of the venue's tables if the login lacks the owner's rights; otherwise null. */
  readonly foreign_owner: string | null;
}

/**
 * Checks that a venue can use this database and returns the server's version text. Throws a PostgresFault that names
 * the problem: version, encoding, missing rights, or a standby server.
 */
export async function checkServer(sql: Sql): Promise<string> {
  const [facts] = await sql<ServerFacts[]>`
    select current_setting('server_version') as version,
           current_setting('server_version_num') as version_number,
           current_database() as database,
           current_user as login,
           current_setting('server_encoding') as encoding,
           pg_is_in_recovery() as is_standby,
           coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as can_create_tables,
           (select pg_get_userbyid(relowner) from pg_class
             where oid = to_regclass('schema_migrations')
               and not pg_has_role(relowner, 'USAGE')) as foreign_owner`;
  if (facts === undefined) throw new PostgresFault("unfit", "the server returned no answer");
  const missing = missingOf(facts);
  if (missing.length > 0) {
    throw new PostgresFault(
      "unfit",
      `PostgreSQL ${facts.version}, database "${facts.database}", login "${facts.login}": ${missing.join("; ")}`,
    );
  }
  return facts.version;
}

/** Returns what makes a server unsuitable, as sentences for the operator; empty if the server is suitable. */
export function missingOf(facts: ServerFacts): string[] {
  const missing: string[] = [];
  if (Number(facts.version_number) < serverVersionMin)
    missing.push(`version ${serverVersionMin / 10_000} or newer is needed`);
  if (facts.encoding !== "UTF8")
    missing.push(`encoding UTF8 is needed, the database has ${facts.encoding}`);
  if (facts.is_standby) missing.push("this is a standby: connect to the primary");
  else if (!facts.can_create_tables)
    missing.push(
      `the login has no right to create tables: GRANT CREATE ON SCHEMA public TO "${facts.login}"`,
    );
  if (facts.foreign_owner !== null)
    missing.push(
      `the venue's tables belong to "${facts.foreign_owner}": log in as that role or a member of it (a gateway's login serves 'rialto gateway' only)`,
    );
  return missing;
}
