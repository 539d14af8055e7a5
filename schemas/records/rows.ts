// What a row of the tables of events and commands says, and what every record has in front of its fields.

import { anyNumber, bit, type Fields, id, number16, number32 } from "./fields.ts";

export interface EventRow {
  /** The kind's number in the journal. */
  readonly code: number;
  readonly description: string;
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
  isTransactionEnd: bit("flags", 1, "True for the last event that one command caused."),
} satisfies Fields;

/**
 * Where it lies. `bytes`, of the whole event, makes an event self-delimiting: one that is shorter or longer than
 * it says is found before any field is believed.
 */
export const eventHeaderLayout = ["seq", "tsUs", "account", "kind", "flags", "bytes"];

/** By name. */
export type EventRows = Readonly<Record<string, EventRow>>;

export interface CommandRow {
  readonly code: number;
  readonly description: string;
  /** In the order in which the command's object has them. */
  readonly fields: Fields;
  /** Where bytes do not lie largest first: the order in which they do. */
  readonly layout?: readonly string[];
  /** Parts that are left out where everything in them is zero, in their order: the byte and the bit that say so. */
  readonly parts?: Readonly<Record<string, { readonly byte: string; readonly mask: number }>>;
}

export type CommandRows = Readonly<Record<string, CommandRow>>;

/**
 * What every command has in front of its fields. Numbers that a client can influence travel as safe integers of
 * either sign, as in the fields: clearing refuses what is absurd.
 */
export const commandHeader = {
  source: number16("Which front (or the main thread) asked: the address of the reply."),
  correlation: number32("The source's own number for the request, an unsigned 32-bit integer."),
  atUs: anyNumber("Microseconds UTC at the source."),
  deadlineUs: anyNumber(
    "Microseconds UTC; clearing refuses the command when its own time is past this.",
  ),
  account: anyNumber("The account acted upon; 0 where there is none."),
} satisfies Fields;

/** Where it lies: the kind first, and how many characters of text follow the record. */
export const commandHeaderLayout = [
  ...["kind", "idLength", "source", "correlation", "atUs", "deadlineUs", "account"],
];
