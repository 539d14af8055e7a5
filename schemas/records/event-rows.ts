// What a row of the tables of events says, and what every event has in front of its fields.

import type { Fields } from "./fields.ts";

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

/** What stands in front of the fields of every event. */
export const eventHeader = {
  seq: "Place in the journal, gapless from 1.",
  tsUs: "Microseconds UTC, strictly increasing.",
  account:
    "The account whose command caused the event (for `traded` the incoming order's account).",
  isUnitEnd: "True for the last event that one command caused.",
} as const;

/** By name. */
export type EventRows = Readonly<Record<string, EventRow>>;
