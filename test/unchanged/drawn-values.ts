// Values drawn from a seed, for records that must stay the same for years. The generator is written out here and fields
// have fixed ranges, so that no library version and no list of the venue can change the values. Code ranges date from
// the making of the vectors; newer tests cover newer codes.

/** Draws one value of a field. */
export type Field = (draw: Draw) => unknown;

/** Fields of each record, by record and field name. The fields are drawn in the listed order. */
export type FieldTable = Readonly<Record<string, Readonly<Record<string, Field>>>>;

/** Draws uniform 32-bit numbers from a text as seed: sfc32, seeded with FNV-1a. */
export class Draw {
  #a = 0x9e3779b9;
  #b = 0x243f6a88;
  #c: number;
  #count = 1;

  constructor(seed: string) {
    let hash = 0x811c9dc5;
    for (let at = 0; at < seed.length; at++)
      hash = Math.imul(hash ^ seed.charCodeAt(at), 0x01000193);
    this.#c = hash | 0;
    for (let round = 0; round < 16; round++) this.word();
  }

  /** Returns a number from 0 to 2^32 − 1. */
  word(): number {
    const sum = (this.#a + this.#b + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** Returns a number from 0 to `below` − 1; `below` is at most 2^32. */
  below(below: number): number {
    return Math.floor((this.word() / 2 ** 32) * below);
  }

  /** Draws one of `values`. */
  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** Returns an integer of at most `bits` bits (1 … 53); one in four is small or at an end of the range. */
  bits(bits: number): number {
    const most = 2 ** bits - 1;
    const way = this.below(16);
    if (way === 0) return 0;
    if (way === 1) return most;
    if (way === 2) return Math.min(most, this.below(300));
    if (way === 3) return most - this.below(Math.min(most, 300));
    return this.#wide() % 2 ** (1 + this.below(bits));
  }

  /** Returns a number from 0 to 2^53 − 1. */
  #wide(): number {
    return this.below(2 ** 21) * 2 ** 32 + this.word();
  }
}

export const u8: Field = (draw) => draw.bits(8);
export const u16: Field = (draw) => draw.bits(16);
export const u32: Field = (draw) => draw.bits(32);
export const u53: Field = (draw) => draw.bits(53);

/** Draws a safe integer of either sign, but never negative zero. */
export const i53: Field = (draw) => {
  const value = draw.bits(53);
  return value !== 0 && draw.below(2) === 1 ? -value : value;
};

/** Draws a signed 64-bit amount. */
export const i64: Field = (draw) => {
  const way = draw.below(16);
  if (way === 0) return -(2n ** 63n);
  if (way === 1) return 2n ** 63n - 1n;
  if (way === 2) return BigInt(draw.below(300)) - 150n;
  const whole = (BigInt(draw.word()) << 32n) | BigInt(draw.word());
  return BigInt.asIntN(64, whole) >> BigInt(draw.below(64));
};

export const flag: Field = (draw) => draw.below(2) === 1;

/** Draws a text of 0 … 36 characters of one byte each. */
export const text: Field = (draw) => {
  const codes = Array.from({ length: draw.below(37) }, () => draw.below(256));
  return String.fromCharCode(...codes);
};

/** Draws 0 … 64 bytes. */
export const bytes: Field = (draw) =>
  Uint8Array.from({ length: draw.below(65) }, () => draw.below(256));

/** A field that always has this value. */
export function is(value: unknown): Field {
  return () => value;
}

/** Draws one of these values. */
export function oneOf(...values: readonly unknown[]): Field {
  return (draw) => draw.of(values);
}

/** Draws a code from 0 to `highest`. */
export function code(highest: number): Field {
  return (draw) => draw.below(highest + 1);
}

/** Draws `otherwise` for half of all records. */
export function half(otherwise: unknown, field: Field): Field {
  return (draw) => (draw.below(2) === 1 ? otherwise : field(draw));
}

/** Draws a nested record. */
export function record(fields: Readonly<Record<string, Field>>): Field {
  return (draw) => drawn(draw, fields);
}

/** Draws a list of 0 … 3 values of a field. */
export function list(field: Field): Field {
  return (draw) => Array.from({ length: draw.below(4) }, () => field(draw));
}

/** Draws one record with these fields. */
export function drawn(
  draw: Draw,
  fields: Readonly<Record<string, Field>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const name in fields) values[name] = (fields[name] as Field)(draw);
  return values;
}
