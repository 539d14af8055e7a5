// What a field of a record can be: how it lies in memory, what it is in TypeScript, its transaction, and how it stands
// in the JSON bodies that epochs commit to. A row of the tables names its fields with these, in the order in
// which the record's object has them; the build makes everything else of it (docs/decisions/0059).

import type { codeSets } from "./code-sets.ts";

/**
 * How many bytes of which form: `u53` and `i53` are 64 bits that hold a safe integer, `f64` is one of either sign in
 * memory alone, `bit` is part of a byte or half word, `key` is three words, `record` is some fields of its own.
 */
export type Wire =
  | "u8"
  | "u16"
  | "u32"
  | "u53"
  | "i53"
  | "i64"
  | "f64"
  | "flag"
  | "bit"
  | "text"
  | "key"
  | "record";

/** How a value stands in a body: which function of the body writer writes it, and what it needs beside it. */
export type BodyForm =
  | "amount"
  | "asset"
  | "basis"
  | "bits"
  | "code"
  | "fee"
  | "flag"
  | "json"
  | "margin"
  | "order"
  | "price"
  | "qty"
  | "quoteAmount"
  | "quoted"
  | "rate"
  | "symbol"
  | "trade"
  | "wallet"
  | "whole";

export interface Field {
  readonly wire: Wire;
  /** What it is in TypeScript; the name of a code set for a code. */
  readonly type: string;
  /** As the reference says it. */
  readonly unit: string;
  /** A sentence on what it means here; empty where name and unit say it. */
  readonly description: string;
  readonly form: BodyForm;
  /** Its name in the body where that is not its own; fields with one name share a text of `bits`. */
  readonly key?: string;
  /** Of bits: the byte or half word they are in, of `bytes` bytes (1), and which of it they are. */
  readonly bit?: { readonly byte: string; readonly mask: number; readonly bytes?: 2 };
  /** What is stored: for what is no field of the record's own. */
  readonly stored?: string;
  /** The part it lies in, which is there when something in it is not zero. */
  readonly part?: string;
  /** Of a record inside the record, a part that is there when it is not null: its fields. */
  readonly fields?: Fields;
  /** Of a trade: the side whose owner alone is shown it. */
  readonly only?: "maker" | "taker";
  /** It may be null. */
  readonly isNullable?: true;
  /** It may be left out. */
  readonly isOptional?: true;
  /** The number that stands for one that is null or left out. */
  readonly absent?: number;
}

function field(wire: Wire, type: string, unit: string, form: BodyForm) {
  return (description = ""): Field => ({ wire, type, unit, description, form });
}

export const market = field("u16", "number", "number of a market", "symbol");
export const asset = field("u8", "number", "number of an asset", "asset");
export const account = field("u32", "number", "number of an account", "whole");
export const orderId = field("u53", "number", "order", "order");
export const tradeId = field("u53", "number", "trade", "trade");
/** Of `market`. */
export const ticks = field("u32", "number", "ticks", "price");
/** Of `market`. */
export const lots = field("u53", "number", "lots", "qty");
export const signedLots = field("i53", "number", "lots, signed", "qty");
/** Thousandths of a tick of `market`. */
export const tickParts = field("u53", "number", "thousandths of a tick", "basis");
export const signedTickParts = field("i53", "number", "thousandths of a tick, signed", "basis");
/** Of `asset`. */
export const amount = field("i64", "bigint", "minor units of the asset", "amount");
/** Of the quote or margin asset of `market`. */
export const quoteAmount = field("i64", "bigint", "minor units of the quote asset", "quoteAmount");
export const marginAmount = field("i64", "bigint", "minor units of the margin asset", "margin");
/** Of the asset that its side of a trade received. */
export const fee = field("i64", "bigint", "minor units of what the side received", "fee");
export const rate = field("i64", "bigint", "10^-8", "rate");
export const timeUs = field("u53", "number", "microseconds UTC", "quoted");
/** A number that may pass what readers of JSON keep exact: a text in bodies. */
export const long = field("u53", "number", "number", "quoted");
export const id = field("u53", "number", "number", "whole");
export const number16 = field("u16", "number", "number", "whole");
export const number32 = field("u32", "number", "number", "whole");
export const count8 = field("u8", "number", "number", "whole");
export const basisPoints = field("u16", "number", "basis points", "whole");
export const bits16 = field("u16", "number", "bits", "whole");
export const bits32 = field("u32", "number", "bits", "whole");
export const flag = field("flag", "boolean", "yes or no", "flag");
/** At most `clientIdBytesMax` characters of one byte; they follow the record. */
export const text = field("text", "string", "latin-1", "json");

/** One of a closed set of codes of src/core. */
export function code(set: keyof typeof codeSets, description = ""): Field {
  const form = set === "Wallet" ? "wallet" : "code";
  return { wire: "u8", type: set, unit: `code of ${set}`, description, form };
}

/** 64 bits of a hash; fields of one `key` are one hexadecimal text in bodies, in the order of the row. */
export function hashPart(key: string, description = ""): Field {
  return { wire: "i64", type: "bigint", unit: "64 bits, signed", description, form: "bits", key };
}

function bitsAt(byte: string, mask: number, bytes: 1 | 2) {
  return bytes === 1 ? { byte, mask } : { byte, mask, bytes };
}

/** A flag that shares the `bytes` of `byte` with others, as the bit `mask`. */
export function bit(byte: string, mask: number, description = "", bytes: 1 | 2 = 1): Field {
  const of = {
    wire: "bit",
    type: "boolean",
    unit: "yes or no",
    description,
    form: "flag",
  } as const;
  return { ...of, bit: bitsAt(byte, mask, bytes) };
}

/** A code that shares the `bytes` of `byte` with others, as the bits `mask`, the lowest ones. */
export function packed(byte: string, mask: number, of: Field, bytes: 1 | 2 = 1): Field {
  return { ...of, wire: "bit", bit: bitsAt(byte, mask, bytes) };
}

/** The same field under another name in bodies. */
export function named(key: string, of: Field): Field {
  return { ...of, key };
}

/** The same field, which only the owner of that side of a trade is shown. */
export function shownTo(only: "maker" | "taker", key: string, of: Field): Field {
  return { ...of, key, only };
}

// Fields of commands. What a client can influence travels as a number of either sign: clearing answers a negative
// or absurd one with a refusal, the codec must not stop on it.

export const anyNumber = field("f64", "number", "number", "whole");
export const anyTicks = field("f64", "number", "ticks", "whole");
export const anyLots = field("f64", "number", "lots", "whole");
export const anyTimeUs = field("f64", "number", "microseconds UTC", "whole");

/** What makes it the same request when it is asked for again. */
export const requestKey = field("key", "RequestKey", "idempotency key", "whole");

/** The same, null for a request that cannot be asked for again. */
export function requestKeyOrNull(description: string): Field {
  return { ...requestKey(description), isNullable: true };
}

/** A code that may be left out, which `absent` stands for; null too where nothing is named by it. */
export function optionalCode(
  set: keyof typeof codeSets,
  absent: number,
  description: string,
  isNullable = false,
): Field {
  const of = { ...code(set, description), absent, isOptional: true } as const;
  return isNullable ? { ...of, isNullable } : of;
}

/** A flag that is false where it is left out. */
export function optionalFlag(description: string): Field {
  return { ...flag(description), isOptional: true };
}

/** The same field, in the part `part` of its record. */
export function inPart(part: string, of: Field): Field {
  return { ...of, part };
}

/** A record inside the record, or null; it is there where the bits `mask` of the byte `byte` say so. */
export function recordOrNull(
  type: string,
  bit: { readonly byte: string; readonly mask: number },
  fields: Fields,
  description: string,
): Field {
  return {
    wire: "record",
    type,
    unit: "record",
    description,
    form: "whole",
    isNullable: true,
    bit,
    fields,
  };
}

/** The byte with which every record of its kind begins. */
export function kindOf(code: number): Field {
  return { ...count8(), stored: String(code) };
}

export type Fields = Readonly<Record<string, Field>>;
