// Opens connections to PostgreSQL: the server's location, the session settings of each use, and the check
// that the server is fit for a venue.
//
// The journal has its own sessions (writer-session.ts). This file opens the others; its only statement is the
// fitness check.

import type { PostgresConnectionOptions } from "./connection-options.ts";
import { answerMsMaxOf } from "./connection-timeouts.ts";
import { PgPool } from "./pg-pool.ts";
import { PgSession } from "./pg-session.ts";
import { PostgresFault } from "./postgres-fault.ts";
import type { Sql } from "./sql.ts";

export type { PostgresConnectionOptions } from "./connection-options.ts";
export type { Sql } from "./sql.ts";

/** `queries`: for surfaces and operators. `migrations`: one session that waits for locks. */
export type ConnectionPurpose = "queries" | "migrations";

/** The oldest supported PostgreSQL. */
export const serverVersionMin = 150_000;

interface PurposeSettings {
  readonly sessionsMax: number;
  readonly session: Readonly<Record<string, string>>;
}

const settingsByPurpose: Readonly<Record<ConnectionPurpose, PurposeSettings>> = {
  migrations: {
    sessionsMax: 1,
    // No limit: building an index on a large table takes its time.
    session: { statement_timeout: "0", lock_timeout: "30000" },
  },
  queries: {
    sessionsMax: 4,
    session: {
      statement_timeout: "15000",
      lock_timeout: "5000",
      // A plan made while tables are empty must also be good once they are full: each query shape has its
      // index, and no plan depends on the values.
      plan_cache_mode: "force_generic_plan",
      enable_seqscan: "off",
    },
  },
};

const shared: Readonly<Record<string, string>> = {
  jit: "off",
  idle_in_transaction_session_timeout: "60000",
};

/** Opens a pool of sessions for `purpose`; connects at the first statement. */
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
  /** The owner of the venue's tables, if the login does not have its rights. */
  readonly foreign_owner: string | null;
}

/**
 * Checks that a venue can use this database and returns the server's version text. Throws a PostgresFault
 * that names what is missing: version, encoding, rights, or a standby.
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

/** What makes a server unfit, as sentences for the operator; empty if it is fit. */
export function missingOf(facts: ServerFacts): string[] {
  const missing: string[] = [];
  if (Number(facts.version_number) < serverVersionMin)
    missing.push(`version ${serverVersionMin / 10_000} or newer is needed`);
  if (facts.encoding !== "UTF8")
    missing.push(`encoding UTF8 is needed, the database has ${facts.encoding}`);
  if (facts.is_standby) missing.push("this is a standby: connect to the primary");
  else if (!facts.can_create_tables)
    missing.push(
      `the login may not create tables: GRANT CREATE ON SCHEMA public TO "${facts.login}"`,
    );
  if (facts.foreign_owner !== null)
    missing.push(
      `the venue's tables belong to "${facts.foreign_owner}": log in as that role or a member of it`,
    );
  return missing;
}
