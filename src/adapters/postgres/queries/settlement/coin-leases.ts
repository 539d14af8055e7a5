// Leases custody's coins: each to one payment at a time, by name.

import type { Statements } from "../../sql.ts";

/** A coin is spent or leased to another payment. */
export class LeasedElsewhere extends Error {
  override name = "LeasedElsewhere";
}

/** False for that; rethrows everything else. */
export function isLeasedElsewhere(error: unknown): false {
  if (error instanceof LeasedElsewhere) return false;
  throw error;
}

/** Leases every coin or none; a coin already leased under the same name stays leased. */
export async function lease(
  sql: Statements,
  inputs: readonly string[],
  name: string,
): Promise<void> {
  const { count } = await sql`
    update settlement_holdings set batch_id = ${name}
    where contract_id = any (${textArray(inputs)}::text[])
      and (batch_id is null or batch_id = ${name})`;
  if (count < inputs.length) throw new LeasedElsewhere("a coin is gone or is being spent");
}

export async function free(sql: Statements, name: string): Promise<void> {
  await sql`update settlement_holdings set batch_id = null where batch_id = ${name}`;
}

/** The client has no parameter types, so a list is sent as the text of an array. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => JSON.stringify(value)).join(",")}}`;
}
