// The layout of a record's fields: the largest fields first, or in the order that the row declares. Fields of equal
// size stay in the order of the row. Each field is aligned to its size; only records that are never stored may have
// gaps. An error here fails the build.

import type { Field, Fields } from "../records/fields.ts";

/** Some bytes of a record: a field, a byte of flags, or the length of a text that follows. */
export interface Slot {
  readonly name: string;
  readonly offset: number;
  readonly size: 1 | 2 | 4 | 8;
  /** Bytes that the slot takes if it has several elements of that size. */
  readonly bytes?: number;
  /** The field stored in the slot; null for flags and lengths. */
  readonly field: Field | null;
  /** For a byte or half word of bits: the fields that share it. Otherwise empty. */
  readonly bits: readonly Bits[];
  /** For the length of a text: the name of the text's field. Otherwise null. */
  readonly textOf: string | null;
  /** The stored value: an expression in which `$.` precedes the record's fields. */
  readonly value: string;
}

interface Bits {
  readonly name: string;
  readonly mask: number;
  readonly value: string;
}

export interface Layout {
  readonly slots: readonly Slot[];
  /** Bytes of the fixed part, a multiple of 8. */
  readonly size: number;
  /** Offset of the last 32-bit word if no field reaches into it, so that zeros must be written there; else null. */
  readonly filler: number | null;
  /** The field of the text that follows the fixed part; null if there is none. */
  readonly text: string | null;
}

type UnpositionedSlot = Omit<Slot, "offset">;

const sizes = { u8: 1, flag: 1, u16: 2, u32: 4, u53: 8, i53: 8, i64: 8, f64: 8 } as const;

const word: Field = { wire: "i64", type: "bigint", unit: "", description: "", form: "bits" };
const flagByte: Field = { wire: "u8", type: "number", unit: "", description: "", form: "whole" };

/** The slots of an idempotency key: its three words, and a presence flag if no bit marks it. */
function keySlots(name: string, { isNullable, bit }: Field): UnpositionedSlot[] {
  const none = { bits: [], textOf: null };
  const parts = ["high", "low", "payload"].map((part): UnpositionedSlot => {
    const value = isNullable === true ? `$.${name}?.${part} ?? 0n` : `$.${name}.${part}`;
    return { ...none, name: part, size: 8, field: word, value };
  });
  if (isNullable !== true || bit !== undefined) return parts;
  const value = `$.${name} === null ? 0 : 1`;
  return [...parts, { ...none, name: "isKeyed", size: 1, field: flagByte, value }];
}

/** The expression of the value that is stored for a field. */
function storedOf(name: string, { wire, absent, stored }: Field): string {
  if (stored !== undefined) return stored;
  if (wire === "flag") return `$.${name} ? 1 : 0`;
  return absent === undefined ? `$.${name}` : `$.${name} ?? ${absent}`;
}

/** The fields that share the byte or half word `byte`. */
function bitsOf(byte: string, all: Fields): Bits[] {
  return Object.entries(all).flatMap(([name, { wire, type, bit, stored }]) => {
    if (wire !== "bit" || bit?.byte !== byte) return [];
    const value = type === "boolean" ? `(${stored ?? `$.${name}`} ? ${bit.mask} : 0)` : `$.${name}`;
    return [{ name, mask: bit.mask, value }];
  });
}

/** The slots of a field. A text has a slot for its length, unless the header has the length. */
function slotsOf(name: string, field: Field, all: Fields, hasLengths: boolean): UnpositionedSlot[] {
  const none = { bits: [], textOf: null };
  if (field.wire === "record") return [];
  if (field.wire === "key") return keySlots(name, field);
  if (field.wire === "words") {
    return [{ ...none, name, size: 4, bytes: 4 * (field.count ?? 0), field, value: `$.${name}` }];
  }
  if (field.wire === "text") {
    const length = { ...none, name: `${name}Length`, size: 1, field: null, textOf: name } as const;
    return hasLengths ? [{ ...length, value: `$.${name}.length` }] : [];
  }
  if (field.wire !== "bit" || field.bit === undefined) {
    const size = sizes[field.wire as keyof typeof sizes];
    return [{ ...none, name, size, field, value: storedOf(name, field) }];
  }
  const { byte, bytes = 1 } = field.bit;
  const bits = bitsOf(byte, all);
  const value = bits.map((one) => one.value).join(" | ");
  return [{ name: byte, size: bytes, field: null, bits, textOf: null, value }];
}

function fail(record: string, message: string): never {
  throw new Error(`schemas/records: ${record}: ${message}`);
}

type Order = readonly (string | number)[];

/** The slots in layout order, with explicit byte offsets for some. */
function orderOf(
  record: string,
  all: readonly UnpositionedSlot[],
  order?: Order,
): (UnpositionedSlot | number)[] {
  const byName = new Map(all.map((slot) => [slot.name, slot]));
  if (order === undefined) return [...byName.values()].sort((a, b) => b.size - a.size);
  const missing = [...byName.keys()].filter((name) => !order.includes(name));
  if (missing.length > 0)
    fail(record, `its layout must name every field; missing: ${missing.join(", ")}`);
  return order.map((name) => {
    if (typeof name === "number") return name;
    return byName.get(name) ?? fail(record, `its layout must name only its fields, not ${name}`);
  });
}

/** Layout options besides the fields. */
export interface LayoutTerms {
  readonly headerSize: number;
  /** Whether records store the length of their text among the fields instead of in the header. */
  readonly hasLengths: boolean;
  /** Whether gaps between fields are allowed, which is so only in records that are never stored. */
  readonly hasGaps: boolean;
  readonly order?: Order | undefined;
}

/** The layout of `record`. */
export function layoutOf(record: string, fields: Fields, terms: LayoutTerms): Layout {
  let end = terms.headerSize;
  const all = Object.entries(fields).flatMap(([name, field]) =>
    slotsOf(name, field, fields, terms.hasLengths),
  );
  const slots = orderOf(record, all, terms.order).flatMap((slot): Slot[] => {
    if (typeof slot === "number") {
      end = slot;
      return [];
    }
    const offset = Math.ceil(end / slot.size) * slot.size;
    if (offset !== end && !terms.hasGaps) fail(record, `${slot.name} must be aligned to its size`);
    end = offset + (slot.bytes ?? slot.size);
    return [{ ...slot, offset }];
  });
  const size = Math.ceil(end / 8) * 8;
  const texts = Object.keys(fields).filter((name) => fields[name]?.wire === "text");
  if (texts.length > 1) fail(record, "it must have at most one text");
  return { slots, size, filler: end <= size - 4 ? size - 4 : null, text: texts[0] ?? null };
}
