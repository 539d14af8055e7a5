// What a row of the tables of events says, and what every event has in front of its fields.

import { bit, type Fields, id, number32 } from "./fields.ts";

export interface EventRow {
  /** The kind's number in the journal. */
  readonly code: number;
  readonly says: string;
  /** In the order in which the event's object has them. */
  readonly fields: Fields;
  /** Where bytes do not lie largest first: the order in which they do. */
  readonly layout?: readonly string[];
  /** Both sides of a trade stand in its body as hashes of what their owners are shown. */
  readonly hasSides?: true;
}

/** What every event has in front of its fields. */
export const eventHeader = {
  seq: id("Place in the journal, gapless from 1."),
  tsUs: id("Microseconds UTC, strictly increasing."),
  account: number32(
    "The account whose command caused the event (for `traded` the incoming order's account).",
  ),
  isUnitEnd: bit("flags", 1, "True for the last event that one command caused."),
} satisfies Fields;

/**
 * Where it lies. `bytes`, of the whole event, makes an event self-delimiting: one that is shorter or longer than
 * it says is found before any field is believed.
 */
export const eventHeaderLayout = ["seq", "tsUs", "account", "kind", "flags", "bytes"];

/** By name. */
export type EventRows = Readonly<Record<string, EventRow>>;
