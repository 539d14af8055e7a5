// The rows of the tables of events and commands, and the headers of records.

import {
  anyNumber,
  bit,
  code,
  type Fields,
  id,
  number16,
  number32,
  recordOrNull,
} from "./fields.ts";

export interface EventRow {
  /** The kind's number in the journal. */
  readonly code: number;
  readonly description: string;
  /** The fields, in the order of the event object. */
  readonly fields: Fields;
  /** The order of the fields in memory, if it is not largest first. */
  readonly layout?: readonly string[];
  /** Whether the body contains the two sides of the trade only as hashes, because each side is private to its owner. */
  readonly hasSides?: true;
}

/** The header of every event. */
export const eventHeader = {
  seq: id("Number in the journal, gapless from 1."),
  tsUs: id("Microseconds UTC, strictly increasing."),
  account: number32(
    "The account whose command caused the event (for `traded` the incoming order's account).",
  ),
  isTransactionEnd: bit("flags", 1, "True for the last event that one command caused."),
} satisfies Fields;

/**
 * The layout of the header. `bytes` is the length of the whole event and makes it self-delimiting: a wrong length is
 * detected before any field is read.
 */
export const eventHeaderLayout = ["seq", "tsUs", "account", "kind", "flags", "bytes"];

/** The rows of events, by event name. */
export type EventRows = Readonly<Record<string, EventRow>>;

export interface CommandRow {
  readonly code: number;
  readonly description: string;
  /** The fields, in the order of the command object. */
  readonly fields: Fields;
  /** The order of the fields in memory, if it is not largest first. */
  readonly layout?: readonly string[];
  /**
   * Optional parts, in order. A part is omitted if all its fields are zero; `byte` and `mask` are the bit that marks
   * it.
   */
  readonly parts?: Readonly<Record<string, { readonly byte: string; readonly mask: number }>>;
}

export type CommandRows = Readonly<Record<string, CommandRow>>;

/**
 * What identifies a command of a gateway. It follows the record, at a multiple of 8 bytes, if the bit in the byte of the
 * kind is set. So commands of the venue's own threads have no bytes for it.
 */
const identity = recordOrNull(
  "CommandIdentity",
  { byte: "kind", mask: 128 },
  {
    origin: number32("The gateway's incarnation."),
    lane: code("OriginLane"),
    number: anyNumber("Number of the command among those of its origin and lane."),
    confirmedUpTo: anyNumber("Results up to this number are no longer needed."),
  },
  "Identifies a command of a gateway; null or absent for the venue's own threads.",
);

/**
 * The header of every command. Values that a client can influence are safe integers of either sign; clearing refuses
 * absurd ones.
 */
export const commandHeader = {
  source: number16(
    "The command source that sent it (a front, main or settlement), to which the reply goes.",
  ),
  correlation: number32("The source's own number for the request, an unsigned 32-bit integer."),
  atUs: anyNumber("Microseconds UTC at the source."),
  deadlineUs: anyNumber(
    "Microseconds UTC; clearing refuses the command when its own time is past this.",
  ),
  account: anyNumber("The account acted upon; 0 for none."),
  identity: { ...identity, isOptional: true },
} satisfies Fields;

/** The layout of the header: the kind first, and the length of the text that follows the record. */
export const commandHeaderLayout = [
  ...["kind", "idLength", "source", "correlation", "atUs", "deadlineUs", "account"],
];
