// Where a fork begins: an event of the parent's journal, given by its number, by a time, or as the newest one. A fork begins
// between two transactions, so a number within a transaction means the end of the transaction before.

import { eventAtUs, eventTimeUs } from "../../adapters/postgres/queries/journal/journal-time.ts";
import type { Sql } from "../../adapters/postgres/sql.ts";
import { utcExpected, utcMs } from "../config/utc-time.ts";
import { OperatorRefusal, WrongValue } from "../operator/operator-commands.ts";

/** What `--at` says. */
export type ForkPoint =
  | { readonly kind: "latest" }
  | { readonly kind: "seq"; readonly seq: number }
  | { readonly kind: "time"; readonly us: number; readonly text: string };

/** Reads `--at`; throws a WrongValue for a text that is none of the three. */
export function forkPointOf(text: string): ForkPoint {
  if (text === "latest") return { kind: "latest" };
  const seq = Number(text);
  if (/^\d{1,15}$/.test(text) && seq > 0) return { kind: "seq", seq };
  const ms = utcMs(text);
  if (ms !== null) return { kind: "time", us: ms * 1000, text };
  throw new WrongValue(
    `--at ${text.slice(0, 40)}: expected the number of an event, latest, or ${utcExpected}`,
  );
}

/** The events of a journal: it begins after `baseSeq`, whose time a fork knows too, and ends with `lastSeq`. */
export interface JournalSpan {
  readonly baseSeq: number;
  readonly baseUs: number;
  readonly lastSeq: number;
}

/** The number of the event that a point names. Throws an OperatorRefusal with the range if the journal does not have it. */
export async function seqOfPoint(sql: Sql, point: ForkPoint, span: JournalSpan): Promise<number> {
  const { baseSeq, baseUs, lastSeq } = span;
  if (lastSeq === 0) throw new OperatorRefusal("the journal has no events yet: nothing to fork");
  if (point.kind === "latest") return lastSeq;
  const firstSeq = Math.max(baseSeq, 1);
  if (point.kind === "seq") {
    if (point.seq >= firstSeq && point.seq <= lastSeq) return point.seq;
    throw new OperatorRefusal(`--at ${point.seq}: ${await rangeText(sql, span)}`);
  }
  const found = await eventAtUs(sql, point.us);
  const isPast = found !== null && (found.seq < lastSeq || found.tsUs === point.us);
  if (isPast) return found.seq;
  if (found === null && baseSeq > 0 && point.us >= baseUs && lastSeq > baseSeq) return baseSeq;
  throw new OperatorRefusal(`--at ${point.text}: ${await rangeText(sql, span)}`);
}

async function rangeText(sql: Sql, { baseSeq, baseUs, lastSeq }: JournalSpan): Promise<string> {
  const firstSeq = Math.max(baseSeq, 1);
  const firstUs = baseSeq > 0 ? baseUs : await eventTimeUs(sql, 1);
  const lastUs = lastSeq > baseSeq ? await eventTimeUs(sql, lastSeq) : baseUs;
  return (
    `the journal has events ${firstSeq} to ${lastSeq}, from ${isoOf(firstUs)} to ${isoOf(lastUs)}; ` +
    "'latest' is its newest one"
  );
}

/** A time of the journal for people, in whole milliseconds. */
export function isoOf(us: number): string {
  return new Date(us / 1000).toISOString();
}
