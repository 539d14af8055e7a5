// Reads and writes single fields of records: codes, 53-bit integers, amounts, latin-1 text. Every writer asserts the
// range of its field, because typed arrays wrap silently. Every reader asserts that a writer could have written the
// value, so that corrupt bytes stop the thread instead of being taken for an order. Indexes count elements of the given
// view, not bytes.

import { AssertionFailure } from "../../core/assert.ts";

const twoTo32 = 2 ** 32;

/**
 * Throws for a failed field assertion. A separate function keeps the checks small enough to be inlined; without
 * inlining a codec is three times slower.
 */
function fails(holds: string): never {
  throw new AssertionFailure(`a field must hold ${holds}`);
}

/** High word of the largest safe integer. */
const highWordMax = 2 ** 21 - 1;

/** Writes a safe integer ≥ 0 as two little-endian words (a FlatBuffers ulong). */
export function writeUint53(u32: Uint32Array, index: number, value: number): void {
  const high = Math.floor(value / twoTo32);
  if (!(high >= 0 && high <= highWordMax && Number.isInteger(value)))
    fails("an unsigned integer of at most 53 bits");
  u32[index] = value;
  u32[index + 1] = high;
}

/** Reads what `writeUint53` wrote; asserts at most 53 bits. */
export function readUint53(u32: Uint32Array, index: number): number {
  const high = u32[index + 1] as number;
  if (high > highWordMax) fails("an unsigned integer of at most 53 bits");
  return high * twoTo32 + (u32[index] as number);
}

/**
 * Writes a word of four bytes: a half word (two bytes), then two single bytes. Small fields are packed into a word
 * instead of stored one by one, because the compiler does not inline a function with too many calls.
 */
export function writeHalfAndBytes(
  u32: Uint32Array,
  index: number,
  half: number,
  third: number,
  fourth: number,
): void {
  if ((half & 0xffff) !== half || (third & 0xff) !== third || (fourth & 0xff) !== fourth) {
    fails("a value that fits its 8 or 16 bits");
  }
  u32[index] = half | (third << 16) | (fourth << 24);
}

/** Writes a word of four bytes: two single bytes, then a half word (two bytes). */
export function writeBytesAndHalf(
  u32: Uint32Array,
  index: number,
  first: number,
  second: number,
  half: number,
): void {
  if ((first & 0xff) !== first || (second & 0xff) !== second || (half & 0xffff) !== half) {
    fails("a value that fits its 8 or 16 bits");
  }
  u32[index] = first | (second << 8) | (half << 16);
}

/** Writes a word of four bytes. */
export function writeBytes(
  u32: Uint32Array,
  index: number,
  first: number,
  second: number,
  third: number,
  fourth: number,
): void {
  if ((first & 0xff) !== first || (second & 0xff) !== second) fails("a value that fits 8 bits");
  if ((third & 0xff) !== third || (fourth & 0xff) !== fourth) fails("a value that fits 8 bits");
  u32[index] = first | (second << 8) | (third << 16) | (fourth << 24);
}

/** Writes an integer 0 … 2^32 − 1. */
export function writeUint32(u32: Uint32Array, index: number, value: number): void {
  if (value >>> 0 !== value) fails("an unsigned 32-bit integer");
  u32[index] = value;
}

/** Writes an integer 0 … 65535. */
export function writeUint16(u16: Uint16Array, index: number, value: number): void {
  if ((value & 0xffff) !== value) fails("an unsigned 16-bit integer");
  u16[index] = value;
}

/** Writes an amount; asserts that it fits 64 bits. */
export function writeInt64(i64: BigInt64Array, index: number, value: bigint): void {
  if (BigInt.asIntN(64, value) !== value) fails("a signed 64-bit amount");
  i64[index] = value;
}

/** Reads an amount. */
export function readInt64(i64: BigInt64Array, index: number): bigint {
  return i64[index] as bigint;
}

/** Writes a safe integer of either sign, for records that never leave memory. */
export function writeSafeInteger(f64: Float64Array, index: number, value: number): void {
  if (!Number.isSafeInteger(value)) fails("a safe integer");
  f64[index] = value;
}

/** Reads what `writeSafeInteger` wrote. */
export function readSafeInteger(f64: Float64Array, index: number): number {
  const value = f64[index] as number;
  if (!Number.isSafeInteger(value)) fails("a safe integer");
  return value;
}

/** Reads 1 as true and 0 as false; asserts that the byte is one of these. */
export function readFlag(u8: Uint8Array, index: number): boolean {
  const value = u8[index] as number;
  if (value > 1) fails("a flag, 0 or 1");
  return value === 1;
}

/** Returns the largest code of a set whose codes start at 0 or 1 and have no gaps. */
export function highestCode(codes: Readonly<Record<string, number>>): number {
  return Math.max(...Object.values(codes));
}

/** Reads a code 0 … `highest`. */
export function readCode<Code extends number>(
  u8: Uint8Array,
  index: number,
  highest: number,
): Code {
  const value = u8[index] as number;
  if (value > highest) fails("one of the codes defined for it");
  return value as Code;
}

/** Reads a code 1 … `highest`. */
export function readCodeAboveZero<Code extends number>(
  u8: Uint8Array,
  index: number,
  highest: number,
): Code {
  const value = u8[index] as number;
  if (value === 0 || value > highest) fails("one of the codes defined for it");
  return value as Code;
}

/** Returns `value`, one of several fields packed into a word, as a code 0 … `highest`; asserts this range. */
export function checkedCode<Code extends number>(value: number, highest: number): Code {
  if (value > highest) fails("one of the codes defined for it");
  return value as Code;
}

/** Returns the codes of a set whose codes have gaps. */
export function listedCodes(codes: Readonly<Record<string, number>>): ReadonlySet<number> {
  return new Set(Object.values(codes));
}

/** Returns `value`, one of several fields packed into a word, as a code; asserts that `listed` contains it. */
export function listedCode<Code extends number>(value: number, listed: ReadonlySet<number>): Code {
  if (!listed.has(value)) fails("one of the codes defined for it");
  return value as Code;
}

/** Reads a code below `none`, or null for `none`. */
export function readCodeOrNull<Code extends number>(
  u8: Uint8Array,
  index: number,
  none: number,
): Code | null {
  const value = u8[index] as number;
  if (value > none) fails("one of the codes defined for it");
  return value === none ? null : (value as Code);
}

/** Writes `text` as one byte per character; asserts that each character fits. */
export function writeLatin1(u8: Uint8Array, start: number, text: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0xff) fails("a text whose characters each fit one byte");
    u8[start + i] = code;
  }
}

/** Reused by `readLatin1`: `String.fromCharCode` takes a list, and a new one each time would be garbage. */
const charCodes: number[] = [];

/** Reads `length` bytes as characters. */
export function readLatin1(u8: Uint8Array, start: number, length: number): string {
  if (length === 0) return "";
  charCodes.length = length;
  for (let i = 0; i < length; i++) charCodes[i] = u8[start + i] as number;
  return String.fromCharCode.apply(null, charCodes);
}

/** Writes `count` unsigned 32-bit numbers from `index` on; asserts that there are as many. */
export function writeWords(
  u32: Uint32Array,
  index: number,
  words: Uint32Array,
  count: number,
): void {
  if (words.length !== count) fails(`${count} numbers`);
  u32.set(words, index);
}

/** Reads what `writeWords` wrote, as a copy. */
export function readWords(u32: Uint32Array, index: number, count: number): Uint32Array {
  return u32.slice(index, index + count);
}
