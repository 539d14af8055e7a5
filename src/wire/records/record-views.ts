// Typed-array views of every width over one buffer, so that a codec writes a field with one store. Offsets of records
// are in bytes and multiples of 8; a field's index in a view is its offset shifted right. Typed arrays use the
// machine's byte order, and `createRecordViews` refuses to run unless that is little-endian, because the journal stores
// the same bytes.

import { assert } from "../../core/assert.ts";

export interface RecordViews {
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly f64: Float64Array;
  readonly i64: BigInt64Array;
}

/** Views over all of `buffer`, whose length must be a multiple of 8. */
export function createRecordViews(buffer: ArrayBufferLike): RecordViews {
  assert(
    buffer.byteLength % 8 === 0,
    "the length of a record buffer must be a multiple of 8 bytes",
  );
  assert(
    new Uint8Array(new Uint16Array([1]).buffer)[0] === 1,
    "the machine must be little-endian because records are",
  );
  return {
    u8: new Uint8Array(buffer),
    u16: new Uint16Array(buffer),
    i32: new Int32Array(buffer),
    u32: new Uint32Array(buffer),
    f64: new Float64Array(buffer),
    i64: new BigInt64Array(buffer),
  };
}
