// Runs statements on a database over a connection that is closed afterwards.

import {
  type ConnectionPurpose,
  openPostgres,
  type PostgresConnectionOptions,
  type Sql,
} from "../../../src/adapters/postgres/connection.ts";

/** Opens a connection for `work`, and closes it when that ends. Statements of `migrations` have no time limit. */
export async function onDatabase<T>(
  options: PostgresConnectionOptions,
  work: (sql: Sql) => Promise<T>,
  purpose: ConnectionPurpose = "queries",
): Promise<T> {
  const sql = openPostgres(options, purpose);
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
