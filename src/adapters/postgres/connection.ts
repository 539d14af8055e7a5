// Connections to PostgreSQL, made in one place: where the server is, which session settings each
// use needs, and whether this server is fit to hold a venue.
//
// The journal has sessions of its own (pg-session.ts). This file opens the others; the only statement
// it knows is the one that asks whether the server is fit.

import postgres from "postgres";
import { ClientSocket } from "./client-socket.ts";
import { withLostTransactions } from "./lost-transactions.ts";
import { PostgresFault } from "./postgres-fault.ts";
import { answerMsMaxOf, keepAliveMs, silenceSettings } from "./silence.ts";
import { withWholeAnswers } from "./whole-answers.ts";

/** Where a database is. Plain data, so that it can be handed to a worker thread. */
export type PostgresConnectionOptions =
  | { readonly url: string }
  | {
      /** A host name, or the folder of a Unix socket. */
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

export type Sql = postgres.Sql;

/** `queries`: what surfaces and operators ask. `migrations`: one session, patient with locks. `notices`: LISTEN. */
export type ConnectionPurpose = "queries" | "migrations" | "notices";

/** The oldest server the venue runs on (decided.md 1). */
export const serverVersionMin = 150_000;

interface PurposeSettings {
  readonly connectionsMax: number;
  /** Seconds before a connection that was lost is made anew; null leaves it to whoever holds the work. */
  readonly pauseS: number | null;
  readonly session: Readonly<Record<string, string>>;
}

const settingsByPurpose: Readonly<Record<ConnectionPurpose, PurposeSettings>> = {
  migrations: {
    connectionsMax: 1,
    pauseS: null,
    // Building an index on a large table takes as long as it takes.
    session: { statement_timeout: "0", lock_timeout: "30000" },
  },
  queries: {
    connectionsMax: 4,
    pauseS: null,
    session: {
      statement_timeout: "15000",
      lock_timeout: "5000",
      // A plan made while the tables were empty must still be right when they are not: each shape of
      // a query has its index, and no plan depends on the values.
      plan_cache_mode: "force_generic_plan",
      enable_seqscan: "off",
    },
  },
  notices: {
    connectionsMax: 1,
    // The client listens again by itself, at once and for as long as the server refuses it.
    pauseS: 0.5,
    session: { statement_timeout: "15000", lock_timeout: "5000" },
  },
};

/**
 * Opens a client for `purpose`; nothing is sent until the first statement. `onClose` is called
 * whenever one of its connections is gone, also when the client reconnects by itself later.
 */
export function openPostgres(
  options: PostgresConnectionOptions,
  purpose: ConnectionPurpose,
  onClose: () => void = () => undefined,
): Sql {
  const { connectionsMax, pauseS, session } = settingsByPurpose[purpose];
  const shared = {
    max: connectionsMax,
    // Prepared statements live in the session: it ends only when the server ends it.
    max_lifetime: null,
    connect_timeout: 10,
    keep_alive: keepAliveMs / 1000,
    // Whoever holds the work decides when to try again (retryable.ts).
    backoff: pauseS === null ? false : () => pauseS,
    // Arrays travel as text with a cast, so the catalog of types is not needed.
    fetch_types: false,
    ...ownSocket(answerMsMaxOf(session)),
    onnotice: () => undefined,
    onclose: onClose,
    connection: {
      application_name: `rialto-${purpose}`,
      jit: "off",
      ...silenceSettings,
      idle_in_transaction_session_timeout: "60000",
      ...session,
    } as unknown as postgres.ConnectionParameters,
  };
  if ("url" in options) {
    return mended(postgres(options.url, { ...shared, ...socketHostOf(options.url) }));
  }
  const { host, port, user, password, database } = options;
  return mended(postgres({ ...shared, host, port, user, password, database }));
}

/** The client without its defects. */
function mended(client: Sql): Sql {
  return withWholeAnswers(withLostTransactions(client));
}

// A socket's folder stands percent-encoded where the host stands; the client does not decode it.
function socketHostOf(url: string): { host?: string } {
  const host = decodeURIComponent(new URL(url).hostname);
  return host.startsWith("/") ? { host } : {};
}

/** The same server, another database. */
export function withDatabase(
  options: PostgresConnectionOptions,
  database: string,
): PostgresConnectionOptions {
  if (!("url" in options)) return { ...options, database };
  const url = new URL(options.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

interface SocketPlace {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

function ownSocket(answerMsMax: number | null) {
  return {
    socket(place: SocketPlace): ClientSocket {
      if (place.path) return new ClientSocket({ path: place.path }, answerMsMax);
      const [host = "127.0.0.1", port = 5432] = [place.host[0], place.port[0]];
      return new ClientSocket({ host, port }, answerMsMax);
    },
  } as postgres.Options<Record<string, postgres.PostgresType>>;
}

interface ServerFacts {
  readonly version: string;
  readonly version_number: string;
  readonly database: string;
  readonly login: string;
  readonly encoding: string;
  readonly is_standby: boolean;
  readonly can_create_tables: boolean;
  /** Who owns the venue's tables, where they exist and the login does not have the owner's rights. */
  readonly foreign_owner: string | null;
}

/**
 * Asks the server whether a venue can live in this database and returns its version text.
 * Throws a PostgresFault that names what is missing: version, encoding, rights, or a standby.
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
  if (facts === undefined) throw new PostgresFault("unfit", "the server answered nothing");
  const missing = missingOf(facts);
  if (missing.length > 0) {
    throw new PostgresFault(
      "unfit",
      `PostgreSQL ${facts.version}, database "${facts.database}", login "${facts.login}": ${missing.join("; ")}`,
    );
  }
  return facts.version;
}

/** What keeps a server from holding a venue, as sentences for the operator; empty if it is fit. */
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
