// Kinds of fields in SBE templates. A template is a block of fields of fixed size, then groups of rows, then texts and
// embedded messages of variable size, in the order of the published schema. Fields that are constant in the schema take
// no bytes and are left out. Times are microseconds. A decimal is a whole number (mantissa) and the power of ten of
// another field (exponent).

import type { choiceSets, codeSets } from "./codes.ts";

export type Primitive =
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float";

/** Where the JSON answer has the value of a field. */
export interface Source {
  /**
   * Path in the JSON object, if it is not the field's name. `..` is the whole value, and `[]` the next element of a
   * list.
   */
  readonly path?: string;
  /** True if the field may be null. */
  readonly isOptional?: true;
  /** The JSON value that means null. */
  readonly absent?: number | string;
}

export type Field = Source &
  (
    | { readonly kind: "whole" | "time" | "exponent" | "flag" | "float"; readonly as: Primitive }
    | { readonly kind: "decimal" | "wide"; readonly exponent: string }
    | { readonly kind: "code"; readonly set: keyof typeof codeSets }
    | { readonly kind: "choices"; readonly set: keyof typeof choiceSets }
    | { readonly kind: "text" | "embedded"; readonly lengthBits: LengthBits }
    | { readonly kind: "group"; readonly countBits: 16 | 32; readonly fields: Fields }
  );

export type Fields = Readonly<Record<string, Field>>;

/** Bits of the length before a text or an embedded message. */
type LengthBits = 8 | 16 | 32;

export interface Template {
  readonly id: number;
  readonly fields: Fields;
}

export function message(id: number, fields: Fields): Template {
  return { id, fields };
}

export function whole(as: Primitive, source: Source = {}): Field {
  return { kind: "whole", as, ...source };
}

/** Unix microseconds; JSON has milliseconds. */
export function time(source: Source = {}): Field {
  return { kind: "time", as: "int64", ...source };
}

/** The power of ten of the decimals that name this field. */
export function exponent(source: Source = {}): Field {
  return { kind: "exponent", as: "int8", ...source };
}

/** Yes or no. */
export function flag(source: Source = {}): Field {
  return { kind: "flag", as: "uint8", ...source };
}

/** A ratio for display; no amount is a float. */
export function float(source: Source = {}): Field {
  return { kind: "float", as: "float", ...source };
}

/** A decimal with a mantissa of 64 bits. */
export function decimal(exponentField: string, source: Source = {}): Field {
  return { kind: "decimal", exponent: exponentField, ...source };
}

/** A decimal with a mantissa of 128 bits. */
export function wide(exponentField: string, source: Source = {}): Field {
  return { kind: "wide", exponent: exponentField, ...source };
}

export function code(set: keyof typeof codeSets, source: Source = {}): Field {
  return { kind: "code", set, ...source };
}

export function choices(set: keyof typeof choiceSets, source: Source = {}): Field {
  return { kind: "choices", set, ...source };
}

/** A UTF-8 text; an empty one is null if the field is optional. */
export function text(lengthBits: LengthBits, source: Source = {}): Field {
  return { kind: "text", lengthBits, ...source };
}

/** A whole message with its header. */
export function embedded(lengthBits: LengthBits, source: Source = {}): Field {
  return { kind: "embedded", lengthBits, ...source };
}

export function group(countBits: 16 | 32, fields: Fields, source: Source = {}): Field {
  return { kind: "group", countBits, fields, ...source };
}
