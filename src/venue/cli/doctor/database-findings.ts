// `doctor` on the database: whether it answers, has this program's schema, keeps the time of this machine, and has what
// a cluster needs of it.

import { join } from "node:path";
import {
  checkServer,
  openPostgres,
  type PostgresConnectionOptions,
  type Sql,
} from "../../../adapters/postgres/connection.ts";
import { gatewayRightsDifference, grantAdvice } from "../../../adapters/postgres/gateway-rights.ts";
import { firstMissing } from "../../../adapters/postgres/migrate.ts";
import { PostgresFault } from "../../../adapters/postgres/postgres-fault.ts";
import { PostgresEpochs } from "../../../adapters/postgres/queries/journal/epochs.ts";
import { findPostmaster } from "../../../adapters/postgres/server/postmaster.ts";
import type { Config } from "../../config/config.ts";
import { type Finding, fault, ok, skipped, warning } from "./finding.ts";
import { journalFinding } from "./journal-finding.ts";
import { followersFinding, leaderFinding } from "./leadership-findings.ts";
import { standbyFinding } from "./standby-finding.ts";

const clockOffMsMax = 1_000;
/** How many names a finding lists. */
const namesMax = 5;

export async function databaseFindings(config: Config, isGateway: boolean): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl === null) {
    const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
    if (typeof found !== "string")
      return [ok("database", `embedded, running as process ${found.pid}`)];
    const message = "embedded, starts with the venue: schema and journal are not checked";
    return [skipped("database", message, "start the venue, and run this again")];
  }
  const connection = { url: databaseUrl };
  const sql = openPostgres(connection, "queries");
  try {
    const version = isGateway ? await serverVersion(sql) : await checkServer(sql);
    const findings = [ok("database", `PostgreSQL ${version}`), await serverClockFinding(sql)];
    if (isGateway) findings.push(await rightsFinding(sql));
    const schema = await schemaFinding(sql, isGateway);
    findings.push(schema);
    if (schema.verdict !== "ok") return findings;
    return [...findings, ...(await clusterFindings(config, { connection, sql, isGateway }))];
  } catch (error) {
    return [databaseFault(error)];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

interface ClusterParts {
  readonly connection: PostgresConnectionOptions;
  readonly sql: Sql;
  readonly isGateway: boolean;
}

async function clusterFindings(config: Config, parts: ClusterParts): Promise<Finding[]> {
  const { connection, sql, isGateway } = parts;
  const findings = [await nameFinding(sql, config.venueName)];
  if (!isGateway) findings.push(await journalFinding(config.dataDir, connection));
  if (config.synchronousWaitMs !== null) findings.push(await standbyFinding(connection));
  if (config.lease === null && !isGateway) return findings;
  const followers = await followersFinding(sql);
  return [...findings, await leaderFinding(sql), ...(isGateway ? [] : [followers])];
}

function databaseFault(error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  const isUnfit = error instanceof PostgresFault && error.code === "unfit";
  const mend = isUnfit
    ? "give the venue a UTF8 database on PostgreSQL 15 or newer, owned by its own login; for a gateway's settings, run 'rialto doctor --gateway'"
    : "check DATABASE_URL (host, port, user, password, database) and that the server is running";
  return fault("database", message, mend);
}

async function serverVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ version: string }[]>`
    select current_setting('server_version') as version`;
  return row?.version ?? "";
}

/**
 * Checks that the clocks of the database server and of this machine agree, because sealing and settlement compare times
 * of both clocks.
 */
async function serverClockFinding(sql: Sql): Promise<Finding> {
  const beforeMs = Date.now();
  const [row] = await sql<{ ms: string }[]>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`;
  // The server read its clock at some moment while it was asked, so a slow answer says less.
  const serverMs = Number(row?.ms);
  const offMs = Math.max(0, beforeMs - serverMs, serverMs - Date.now());
  if (offMs <= clockOffMsMax) return ok("db clock", "agrees with this machine's clock");
  const found = `${(offMs / 1000).toFixed(1)} s from this machine's clock`;
  return fault("db clock", found, "synchronise both machines' clocks with NTP");
}

async function schemaFinding(sql: Sql, isGateway: boolean): Promise<Finding> {
  const check = "schema";
  try {
    const missing = await firstMissing(sql);
    if (missing === null) return ok(check, "that of this program");
    const found = `migration ${missing} is not applied`;
    return isGateway
      ? fault(check, found, "start the venue of this version first")
      : warning(check, found, "the next start applies it");
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const isNewer = error instanceof PostgresFault;
    return fault(check, message, isNewer ? "run the program of this version" : grantAdvice);
  }
}

async function rightsFinding(sql: Sql): Promise<Finding> {
  const check = "rights";
  const { login, missing, tooMuch } = await gatewayRightsDifference(sql);
  if (tooMuch.length > 0)
    return fault(
      check,
      `the login "${login}" can change ${listed(tooMuch)}, which a gateway must not`,
      "give gateways a login of their own (docs/ops/gateway-rights.sql)",
    );
  if (missing.length > 0)
    return fault(check, `the login "${login}" lacks ${listed(missing)}`, grantAdvice);
  return ok(check, "those of a gateway: the journal cannot be written");
}

function listed(names: readonly string[]): string {
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : "";
  return names.slice(0, namesMax).join(", ") + more;
}

async function nameFinding(sql: Sql, venueName: string): Promise<Finding> {
  const check = "venue name";
  const terms = await new PostgresEpochs(sql).terms();
  if (terms === null) return ok(check, `${venueName}; the first epoch fixes it`);
  if (terms.venue === venueName) return ok(check, venueName);
  const found = `VENUE_NAME is ${venueName}, but the venue of this database is ${terms.venue}`;
  return fault(check, found, `set VENUE_NAME=${terms.venue} on all venues and gateways`);
}
