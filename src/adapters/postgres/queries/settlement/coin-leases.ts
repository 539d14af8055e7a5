// Who may spend custody's coins: a coin is leased to one payment at a time, by name.

import type { Statements } from "../../sql.ts";

/** A coin is gone, or somebody else's for now. */
export class LeasedElsewhere extends Error {
  override name = "LeasedElsewhere";
}

/** False for that; throws everything else on. */
export function isLeasedElsewhere(error: unknown): false {
  if (error instanceof LeasedElsewhere) return false;
  throw error;
}

/** Every coin or none; one that is leased by the same name stays so. */
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

/** The client is told no types, so a list travels as the text of an array. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => JSON.stringify(value)).join(",")}}`;
}
