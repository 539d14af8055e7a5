// The kinds of record fields: memory layout, TypeScript type, unit, and form in the JSON bodies that epochs commit to.
// A row of the tables lists the fields of its record in the order of the record's object; the build generates
// everything else from these rows (docs/decisions/0059).

import type { codeSets } from "./code-sets.ts";

/**
 * Size and encoding of a field. `u53` and `i53` take 64 bits and hold a safe integer. `f64` holds a safe integer of
 * either sign, in records that are never stored. `bit` is part of a byte or half word, `key` takes three words, and
 * `record` is an inner record with its own fields. `words` is a fixed number of unsigned 32-bit numbers.
 */
export type Wire =
  | "words"
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

/**
 * The form of a value in a body. It determines which function of the body writer writes the value, and which other
 * fields that function needs.
 */
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
  /** The field's type in TypeScript; for a code, the name of its code set. */
  readonly type: string;
  /** The unit, as the reference page shows it. */
  readonly unit: string;
  /** A sentence on the field's meaning; empty if name and unit are enough. */
  readonly description: string;
  readonly form: BodyForm;
  /** The field's key in the body if it differs from the name. Hash parts with the same key form one text. */
  readonly key?: string;
  /**
   * For bits: the byte or half word that the fields share, its size in bytes (1 by default), and the mask of this
   * field.
   */
  readonly bit?: { readonly byte: string; readonly mask: number; readonly bytes?: 2 };
  /** The expression to store, if the stored value is not a field of the record. */
  readonly stored?: string;
  /** The optional part that the field belongs to. A part is present if one of its fields is not zero. */
  readonly part?: string;
  /** For a text of a command: the largest number of its characters, if it is not `clientIdBytesMax`. */
  readonly charactersMax?: number;
  /** For an inner record that is an optional part (present if it is not null): its fields. */
  readonly fields?: Fields;
  /** For a trade: the side whose owner alone can see the field. */
  readonly only?: "maker" | "taker";
  /** Of `words`: how many. */
  readonly count?: number;
  /** Set if the field can be null. */
  readonly isNullable?: true;
  /** Set if the field can be left out. */
  readonly isOptional?: true;
  /** The number stored for null or for an absent value. */
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
/** A price in ticks of the record's `market`. */
export const ticks = field("u32", "number", "ticks", "price");
/** A quantity in lots of the record's `market`. */
export const lots = field("u53", "number", "lots", "qty");
export const signedLots = field("i53", "number", "lots, signed", "qty");
/** A price in thousandths of a tick of the record's `market`. */
export const tickParts = field("u53", "number", "thousandths of a tick", "basis");
export const signedTickParts = field("i53", "number", "thousandths of a tick, signed", "basis");
/** An amount of the record's `asset`. */
export const amount = field("i64", "bigint", "minor units of the asset", "amount");
/** Amounts in minor units of the quote asset and of the margin asset of the record's `market`. */
export const quoteAmount = field("i64", "bigint", "minor units of the quote asset", "quoteAmount");
export const marginAmount = field("i64", "bigint", "minor units of the margin asset", "margin");
/** A fee in minor units of the asset that this side of the trade received. */
export const fee = field("i64", "bigint", "minor units of what the side received", "fee");
export const rate = field("i64", "bigint", "10^-8", "rate");
export const timeUs = field("u53", "number", "microseconds UTC", "quoted");
/** A number that can be too large for JSON readers to keep exact, and is therefore a string in bodies. */
export const long = field("u53", "number", "number", "quoted");
export const id = field("u53", "number", "number", "whole");
export const number16 = field("u16", "number", "number", "whole");
export const number32 = field("u32", "number", "number", "whole");
export const count8 = field("u8", "number", "number", "whole");
export const basisPoints = field("u16", "number", "basis points", "whole");
export const bits16 = field("u16", "number", "bits", "whole");
export const bits32 = field("u32", "number", "bits", "whole");
export const flag = field("flag", "boolean", "yes or no", "flag");
/** At most `clientIdBytesMax` one-byte characters, which follow the record. */
export const text = field("text", "string", "latin-1", "json");

/** A text of a command that may be longer than a client id: at most `charactersMax`, which is at most 255. */
export function longText(charactersMax: number, description: string): Field {
  return { ...text(description), charactersMax };
}

/** A code of one of the sets in code-sets.ts. */
export function code(set: keyof typeof codeSets, description = ""): Field {
  const form = set === "Wallet" ? "wallet" : "code";
  return { wire: "u8", type: set, unit: `code of ${set}`, description, form };
}

/**
 * 64 bits of a hash; fields with the same `key` form one hexadecimal text in bodies, in the order of the row.
 */
export function hashPart(key: string, description = ""): Field {
  return { wire: "i64", type: "bigint", unit: "64 bits, signed", description, form: "bits", key };
}

function bitsAt(byte: string, mask: number, bytes: 1 | 2) {
  return bytes === 1 ? { byte, mask } : { byte, mask, bytes };
}

/** A flag that shares `byte`, which has `bytes` bytes, with other fields; `mask` is its bit. */
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

/**
 * A code that shares a byte or half word with other fields. `byte` is the name of this byte or half word, and `bytes`
 * its size. The code takes the lowest bits, which `mask` selects.
 */
export function packed(byte: string, mask: number, of: Field, bytes: 1 | 2 = 1): Field {
  return { ...of, wire: "bit", bit: bitsAt(byte, mask, bytes) };
}

/** The same field with another key in bodies. */
export function named(key: string, of: Field): Field {
  return { ...of, key };
}

/** The same field, visible only to the owner of that side of a trade. */
export function shownTo(only: "maker" | "taker", key: string, of: Field): Field {
  return { ...of, key, only };
}

// Fields of commands. A value that a client can influence can be any safe integer, also a negative one. The codec must
// accept it without throwing, because it is clearing that refuses negative or absurd values.

export const anyNumber = field("f64", "number", "number", "whole");
export const anyTicks = field("f64", "number", "ticks", "whole");
export const anyLots = field("f64", "number", "lots", "whole");
export const anyTimeUs = field("f64", "number", "microseconds UTC", "whole");

/** A fixed number of unsigned 32-bit numbers, only in commands. */
export function words(count: number, description: string): Field {
  return { ...field("words", "Uint32Array", "numbers", "whole")(description), count };
}

/** An idempotency key, by which clearing recognises a repeated request. */
export const requestKey = field("key", "RequestKey", "idempotency key", "whole");

/** An idempotency key, or null for a request without one. */
export function requestKeyOrNull(description: string): Field {
  return { ...requestKey(description), isNullable: true };
}

/** An optional code, stored as `absent` if it is left out or null. */
export function optionalCode(
  set: keyof typeof codeSets,
  absent: number,
  description: string,
  isNullable = false,
): Field {
  const of = { ...code(set, description), absent, isOptional: true } as const;
  return isNullable ? { ...of, isNullable } : of;
}

/** A flag that is false if left out. */
export function optionalFlag(description: string): Field {
  return { ...flag(description), isOptional: true };
}

/** A number that is 0 if left out. */
export function optionalNumber(description: string): Field {
  return { ...anyNumber(description), absent: 0, isOptional: true };
}

/** The same field, as a member of the optional part `part` of its record. */
export function inPart(part: string, of: Field): Field {
  return { ...of, part };
}

/** An inner record, or null; it is present if the bits `mask` of the byte `byte` are set. */
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

/** The field for the first byte of a record, which contains the code of the record's kind. */
export function kindOf(code: number): Field {
  return { ...count8(), stored: String(code) };
}

export type Fields = Readonly<Record<string, Field>>;
