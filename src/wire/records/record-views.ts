// Typed-array views of every width over one buffer, so that a codec writes a field with one store. A record begins at a
// byte offset that is a multiple of 8. The index of a field in a view is the field's byte offset divided by the width
// of the view's elements. Typed arrays use the machine's byte order. Because the journal stores the same bytes,
// `createRecordViews` fails on a machine that is not little-endian.

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
