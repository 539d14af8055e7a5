// Leases custody's coins under the name of a payment; a coin has at most one lease at a time.

import type { Statements } from "../../sql.ts";

/**
 * Reports that coins cannot be leased: one of them is spent or leased to another payment, or their payment needs no
 * further attempt.
 */
export class LeasedElsewhere extends Error {
  override name = "LeasedElsewhere";
}

/** Returns false if the error is LeasedElsewhere; rethrows every other error. */
export function isLeasedElsewhere(error: unknown): false {
  if (error instanceof LeasedElsewhere) return false;
  throw error;
}

/** Leases all of the coins or none. A coin already leased under the same name stays leased. */
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

/** Formats a list as the text of an array, because the client does not send parameter types. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => JSON.stringify(value)).join(",")}}`;
}
