// One field of a record at a time: codes, 53-bit integers, amounts, latin-1 text. Every writer asserts
// the range that its field holds, because typed arrays wrap silently; every reader asserts that what it
// found can have been written, so that corrupt bytes stop the thread instead of becoming an order.
// Indexes are elements of the view given, not bytes.

import { assert } from "../core/assert.ts";

const twoTo32 = 2 ** 32;
/** High word of the largest safe integer. */
const highWordMax = 2 ** 21 - 1;

/** Writes a safe integer ≥ 0 as two little-endian words: what FlatBuffers calls a ulong. */
export function writeUint53(u32: Uint32Array, index: number, value: number): void {
  assert(value >= 0 && Number.isSafeInteger(value), "an unsigned field holds 53 bits");
  u32[index] = value;
  u32[index + 1] = Math.floor(value / twoTo32);
}

/** Reads what `writeUint53` wrote; asserts at most 53 bits. */
export function readUint53(u32: Uint32Array, index: number): number {
  const high = u32[index + 1] as number;
  assert(high <= highWordMax, "an unsigned field holds 53 bits");
  return high * twoTo32 + (u32[index] as number);
}

/** Writes an integer 0 … 2^32 − 1. */
export function writeUint32(u32: Uint32Array, index: number, value: number): void {
  assert(value >>> 0 === value, "a word holds 32 bits");
  u32[index] = value;
}

/** Writes an integer 0 … 65535. */
export function writeUint16(u16: Uint16Array, index: number, value: number): void {
  assert((value & 0xffff) === value, "a half word holds 16 bits");
  u16[index] = value;
}

/** Writes a code or small number, an integer 0 … 255. */
export function writeUint8(u8: Uint8Array, index: number, value: number): void {
  assert((value & 0xff) === value, "a byte holds 8 bits");
  u8[index] = value;
}

/** Writes an amount; asserts that 64 bits hold it. */
export function writeInt64(i64: BigInt64Array, index: number, value: bigint): void {
  assert(BigInt.asIntN(64, value) === value, "an amount fits an int64");
  i64[index] = value;
}

/** Reads an amount. */
export function readInt64(i64: BigInt64Array, index: number): bigint {
  return i64[index] as bigint;
}

/** Writes a safe integer of any sign: for records that never leave memory. */
export function writeSafeInteger(f64: Float64Array, index: number, value: number): void {
  assert(Number.isSafeInteger(value), "a number field holds a safe integer");
  f64[index] = value;
}

/** Reads what `writeSafeInteger` wrote. */
export function readSafeInteger(f64: Float64Array, index: number): number {
  const value = f64[index] as number;
  assert(Number.isSafeInteger(value), "a number field holds a safe integer");
  return value;
}

/** Writes true as 1 and false as 0. */
export function writeFlag(u8: Uint8Array, index: number, value: boolean): void {
  u8[index] = value ? 1 : 0;
}

/** Reads what `writeFlag` wrote and nothing else. */
export function readFlag(u8: Uint8Array, index: number): boolean {
  const value = u8[index] as number;
  assert(value <= 1, "a flag is 0 or 1");
  return value === 1;
}

/** The largest of a closed set of codes that starts at 0 and has no holes. */
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
  assert(value <= highest, "a code of its closed set");
  return value as Code;
}

/** Writes `text` as one byte a character; asserts that each character is one. */
export function writeLatin1(u8: Uint8Array, start: number, text: string): void {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    assert(code <= 0xff, "text of one byte a character");
    u8[start + i] = code;
  }
}

/** Reused by `readLatin1`: `String.fromCharCode` wants a list, and a fresh one would be garbage. */
const charCodes: number[] = [];

/** Reads `length` bytes as characters. */
export function readLatin1(u8: Uint8Array, start: number, length: number): string {
  if (length === 0) return "";
  charCodes.length = length;
  for (let i = 0; i < length; i++) charCodes[i] = u8[start + i] as number;
  return String.fromCharCode.apply(null, charCodes);
}
