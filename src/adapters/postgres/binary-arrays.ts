// Builds arrays in PostgreSQL's binary format directly from columns. Text parameters would take far more processor time
// than the insert into the journal itself: three times as much on the client and one and a half times as much on the
// server, because every number is printed and parsed and every byte is sent as two characters.
//
//   int32 dimensions │ int32 has nulls │ uint32 element type
//   then per dimension   int32 length │ int32 lower bound (1)
//   then per element     int32 byte length (−1 for null) │ bytes, big-endian

import { assert } from "../../core/assert.ts";

const int8Type = 20;
const byteaType = 17;

/** Values of one column of integers. Null is allowed only if the table's column allows it. */
export type IntegerColumn = readonly (number | bigint | null)[];

/**
 * Returns the columns as one bigint[columns][rows], or null if there are no rows. Asserts that all columns have equal
 * length and contain safe integers.
 */
export function integerMatrix(columns: readonly IntegerColumn[]): Buffer | null {
  const rows = columns[0]?.length ?? 0;
  if (rows === 0) return null;
  const buffer = Buffer.allocUnsafe(28 + columns.length * rows * 12);
  let at = 28;
  let hasNulls = false;
  for (const column of columns) {
    assert(column.length === rows, "all columns of a section must have equal length");
    for (const value of column) {
      if (value === null) {
        hasNulls = true;
        buffer.writeInt32BE(-1, at);
        at += 4;
      } else {
        at = writeInt8(buffer, at, value);
      }
    }
  }
  buffer.writeInt32BE(2, 0);
  writeHeader(buffer, hasNulls, int8Type);
  writeDimension(buffer, 12, columns.length);
  writeDimension(buffer, 20, rows);
  return buffer.subarray(0, at);
}

/**
 * Returns consecutive slices of `bytes` with the given lengths, as bytea[]. Asserts that the lengths add up to all of
 * `bytes`.
 */
export function byteaArray(bytes: Uint8Array, lengths: readonly number[]): Buffer {
  const buffer = Buffer.allocUnsafe(20 + lengths.length * 4 + bytes.length);
  let at = writeVectorHeader(buffer, false, byteaType, lengths.length);
  let from = 0;
  for (const length of lengths) {
    at = buffer.writeInt32BE(length, at);
    const to = from + length;
    // Copy in a loop: events are short, so this is faster than a copy call.
    for (let index = from; index < to; index += 1) {
      buffer[at] = bytes[index] as number;
      at += 1;
    }
    from = to;
  }
  assert(from === bytes.length, "the lengths of the events must add up to the length of the batch");
  return buffer;
}

function writeVectorHeader(
  buffer: Buffer,
  hasNulls: boolean,
  elementType: number,
  length: number,
): number {
  buffer.writeInt32BE(1, 0);
  writeHeader(buffer, hasNulls, elementType);
  writeDimension(buffer, 12, length);
  return 20;
}

function writeHeader(buffer: Buffer, hasNulls: boolean, elementType: number): void {
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4);
  buffer.writeUInt32BE(elementType, 8);
}

function writeDimension(buffer: Buffer, at: number, length: number): void {
  buffer.writeInt32BE(length, at);
  buffer.writeInt32BE(1, at + 4);
}

/** Writes the length of an int8 and its bytes, and returns the offset behind them. Asserts that a number is a safe integer. */
export function writeInt8(buffer: Buffer, at: number, value: number | bigint): number {
  if (typeof value === "bigint") {
    buffer.writeInt32BE(8, at);
    return buffer.writeBigInt64BE(value, at + 4);
  }
  assert(Number.isSafeInteger(value), "a column must hold only safe integers");
  // Floor division keeps the low half non-negative, which gives two's complement for negative values too.
  const high = Math.floor(value / 0x1_0000_0000);
  const low = value - high * 0x1_0000_0000;
  buffer[at] = 0;
  buffer[at + 1] = 0;
  buffer[at + 2] = 0;
  buffer[at + 3] = 8;
  buffer[at + 4] = high >> 24;
  buffer[at + 5] = high >> 16;
  buffer[at + 6] = high >> 8;
  buffer[at + 7] = high;
  buffer[at + 8] = low >>> 24;
  buffer[at + 9] = low >>> 16;
  buffer[at + 10] = low >>> 8;
  buffer[at + 11] = low;
  return at + 12;
}
