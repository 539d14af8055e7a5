// The login of the embedded development ledger: a role and a schema of its own in the venue's database.
// The venue's own role has no right in that schema, so that nothing of the venue can settle by SQL.

import type { Statements } from "../../sql.ts";

export interface LedgerRole {
  readonly role: string;
  readonly schema: string;
  readonly password: string;
}

/** Makes role and schema, or gives the role this password; needs the right to create roles. */
export async function prepareLedgerRole(sql: Statements, given: LedgerRole): Promise<void> {
  const { role, schema, password } = given;
  const [row] = await sql<{ statement: string }[]>`
    select format(
      case when exists (select from pg_roles where rolname = ${role})
           then 'alter role %I login password %L' else 'create role %I login password %L' end,
      ${role}::text, ${password}::text) as statement`;
  // No statement of this kind takes parameters; the server itself has quoted it.
  await sql.unsafe(row?.statement ?? "");
  await sql`create schema if not exists ${sql.identifier(schema)}`;
  // Only a member may give something to a role; the venue does not stay one.
  await sql`grant ${sql.identifier(role)} to current_user`;
  await sql`alter schema ${sql.identifier(schema)} owner to ${sql.identifier(role)}`;
  await sql`revoke ${sql.identifier(role)} from current_user`;
  const [{ database } = { database: "" }] = await sql<{ database: string }[]>`
    select current_database() as database`;
  await sql`alter role ${sql.identifier(role)} in database ${sql.identifier(database)} set search_path to ${sql.identifier(schema)}`;
}
