// Where a venue comes from that is a fork of another one: one row, written when the fork is made. A fork's journal begins
// after the event at which it was made, with the state in the snapshot of that event.

import * as z from "zod";
import type { Statements } from "../../sql.ts";

const ancestorForm = z.strictObject({
  /** The check of its nonce key, by which a venue is known whatever its name. */
  venue: z.string(),
  /** The event after which the next one begins. */
  seq: z.number().int().positive(),
  tsUs: z.number().int().positive(),
});

export type Ancestor = z.output<typeof ancestorForm>;

export interface ForkOrigin {
  /** Name of the parent. */
  readonly parent: string;
  /** The parent's event after which the fork begins, and its time in microseconds. */
  readonly seq: number;
  readonly tsUs: number;
  /** Oldest first; the last one is the parent. */
  readonly ancestors: readonly Ancestor[];
}

interface OriginRow {
  readonly parent: string;
  readonly seq: string;
  readonly ts_us: string;
  readonly ancestors: string;
}

/** Returns where the venue comes from; null if it is no fork. */
export async function readForkOrigin(sql: Statements): Promise<ForkOrigin | null> {
  const [row] = await sql<OriginRow[]>`select parent, seq, ts_us, ancestors from fork_origin`;
  if (row === undefined) return null;
  const ancestors = z.array(ancestorForm).parse(JSON.parse(row.ancestors));
  return { parent: row.parent, seq: Number(row.seq), tsUs: Number(row.ts_us), ancestors };
}

export async function writeForkOrigin(sql: Statements, origin: ForkOrigin): Promise<void> {
  const { parent, seq, tsUs, ancestors } = origin;
  await sql`
    insert into fork_origin (parent, seq, ts_us, ancestors)
    values (${parent}, ${seq}, ${tsUs}, ${JSON.stringify(ancestors)})`;
}
