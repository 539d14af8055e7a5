// A database login with the rights that docs/ops/gateway-rights.sql gives to gateways.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import {
  type PostgresConnectionOptions,
  withDatabase,
} from "../../../src/adapters/postgres/connection-options.ts";
import { projectRoot } from "../tidy/tree.ts";

export interface GatewayLogin {
  readonly name: string;
  /** The database, for DATABASE_URL. */
  readonly url: string;
  /** Removes the login; its database must be gone. */
  drop(): Promise<void>;
}

/** `options` log in as the owner of the tables; `url` is the same database. */
export async function gatewayLogin(
  options: PostgresConnectionOptions,
  url: string,
): Promise<GatewayLogin> {
  const name = `gateway_${process.pid}`;
  const text = readFileSync(join(projectRoot, "docs/ops/gateway-rights.sql"), "utf8")
    .replaceAll(':"gateway"', name)
    .replaceAll(':"DBNAME"', new URL(url).pathname.slice(1));
  const sql = openPostgres(options, "migrations");
  await sql.unsafe(`create role ${name} login password 'gateway'`);
  await sql.unsafe(text);
  await sql.end();
  const limited = new URL(url);
  limited.username = name;
  limited.password = "gateway";
  const drop = async () => {
    const server = openPostgres(withDatabase(options, "postgres"), "migrations");
    await server.unsafe(`drop role ${name}`);
    await server.end();
  };
  return { name, url: limited.href, drop };
}
