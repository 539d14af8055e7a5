// What the database login of a gateway may do beyond reading: write the rows that fronts write. docs/ops/gateway-rights.sql
// grants exactly this; a test compares both.

import type { Sql } from "./connection.ts";

type TableRight = "insert" | "update" | "delete";

/** The tables that gateways write, and how. */
export const gatewayRights: Readonly<Record<string, readonly TableRight[]>> = {
  api_keys: ["insert", "update"],
  listen_keys: ["insert", "update", "delete"],
  wallet_challenges: ["insert", "delete"],
  wallet_sessions: ["insert", "delete"],
  wallet_users: ["insert", "delete"],
  withdrawals: ["insert", "update", "delete"],
  swaps: ["insert", "update"],
  swap_quotes: ["insert", "update"],
  swap_moves: ["insert", "update"],
  swap_notices: ["insert", "update"],
  swap_contracts: ["insert", "update"],
  liquidity_providers: ["insert", "update", "delete"],
  liquidity_provider_keys: ["insert", "update", "delete"],
  liquidity_provider_nonces: ["insert", "update", "delete"],
};

/** The advice for a login that lacks a right. */
export const grantAdvice =
  "run docs/ops/gateway-rights.sql as the venue's login, also after an upgrade that adds tables";

/** How the rights of a login differ from those of a gateway. */
export interface RightsDifference {
  readonly login: string;
  /** Rights that a gateway needs and the login lacks, such as `select on journal`. */
  readonly missing: readonly string[];
  /** Tables that the login can change and a gateway must not. */
  readonly tooMuch: readonly string[];
}

interface TableRow {
  readonly login: string;
  readonly name: string;
  readonly reads: boolean;
  readonly inserts: boolean;
  readonly updates: boolean;
  readonly deletes: boolean;
  readonly truncates: boolean;
}

/** Compares the rights of the session's login on all tables of the venue with those of a gateway. */
export async function gatewayRightsDifference(sql: Sql): Promise<RightsDifference> {
  const rows = await sql<TableRow[]>`
    select current_user as login, relname as name,
           has_table_privilege(oid, 'select') as reads,
           has_table_privilege(oid, 'insert') as inserts,
           has_table_privilege(oid, 'update') as updates,
           has_table_privilege(oid, 'delete') as deletes,
           has_table_privilege(oid, 'truncate') as truncates
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`;
  const missing: string[] = [];
  const tooMuch: string[] = [];
  for (const { name, reads, inserts, updates, deletes, truncates } of rows) {
    const has = { insert: inserts, update: updates, delete: deletes };
    const needed = gatewayRights[name] ?? [];
    const lacking = [...(reads ? [] : ["select"]), ...needed.filter((right) => !has[right])];
    missing.push(...lacking.map((right) => `${right} on ${name}`));
    const writes = (["insert", "update", "delete"] as const).filter((right) => has[right]);
    if (truncates || writes.some((right) => !needed.includes(right))) tooMuch.push(name);
  }
  return { login: rows[0]?.login ?? "", missing, tooMuch };
}
