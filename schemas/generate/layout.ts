// Where the fields of a record lie: largest first in the order of the row, or as the row says, each aligned to
// its size and without a gap. What is found wrong here ends the build.

import type { Field, Fields } from "../records/fields.ts";

/** Some bytes of a record: a field, a byte of flags, or the length of a text that follows. */
export interface Slot {
  readonly name: string;
  readonly offset: number;
  readonly size: 1 | 2 | 4 | 8;
  /** The field that lies there; null for flags and lengths. */
  readonly field: Field | null;
  /** Of a byte of flags: the fields in it with their bits. */
  readonly bits: readonly { readonly name: string; readonly mask: number }[];
  /** Of a length: the text's field. */
  readonly textOf: string | null;
}

export interface Layout {
  readonly slots: readonly Slot[];
  /** Bytes of the fixed part, a multiple of 8. */
  readonly size: number;
  /** Where the last word begins, if no field reaches into it. */
  readonly filler: number | null;
  /** The field that follows the fixed part. */
  readonly text: string | null;
}

type Unplaced = Omit<Slot, "offset">;

const sizes = { u8: 1, flag: 1, u16: 2, u32: 4, u53: 8, i53: 8, i64: 8 } as const;

function unplacedOf(name: string, field: Field, all: Fields): Unplaced {
  const none = { bits: [], textOf: null };
  if (field.wire === "text") {
    return { ...none, name: `${name}Length`, size: 1, field: null, textOf: name };
  }
  if (field.bit === undefined) {
    return { ...none, name, size: sizes[field.wire as keyof typeof sizes], field };
  }
  const { byte } = field.bit;
  const bits = Object.entries(all).flatMap(([other, { bit }]) =>
    bit?.byte === byte ? [{ name: other, mask: bit.mask }] : [],
  );
  return { name: byte, size: 1, field: null, bits, textOf: null };
}

function fail(record: string, words: string): never {
  throw new Error(`schemas/records: ${record}: ${words}`);
}

/** The slots in the order in which they lie. */
function orderOf(record: string, fields: Fields, order?: readonly string[]): Unplaced[] {
  const byName = new Map<string, Unplaced>();
  for (const [name, field] of Object.entries(fields)) {
    const slot = unplacedOf(name, field, fields);
    byName.set(slot.name, slot);
  }
  if (order === undefined) return [...byName.values()].sort((a, b) => b.size - a.size);
  const missing = [...byName.keys()].filter((name) => !order.includes(name));
  if (missing.length > 0 || order.length !== byName.size)
    fail(record, `its layout names other fields than it has (${missing.join(", ")})`);
  return order.map((name) => byName.get(name) ?? fail(record, `no field lies at ${name}`));
}

/** The layout of `record`, whose header takes `headerSize` bytes. */
export function layoutOf(
  record: string,
  fields: Fields,
  headerSize: number,
  order?: readonly string[],
): Layout {
  let end = headerSize;
  const slots = orderOf(record, fields, order).map((slot): Slot => {
    const offset = end;
    if (offset % slot.size !== 0) fail(record, `${slot.name} is not aligned to its size`);
    end += slot.size;
    return { ...slot, offset };
  });
  const size = Math.ceil(end / 8) * 8;
  const texts = Object.keys(fields).filter((name) => fields[name]?.wire === "text");
  if (texts.length > 1) fail(record, "it has more than one text");
  return { slots, size, filler: end <= size - 4 ? size - 4 : null, text: texts[0] ?? null };
}
