// Every type in a snapshot survives a round trip; damaged bytes are detected.

import assert from "node:assert/strict";
import { test } from "node:test";
import { packSnapshot, unpackSnapshot } from "./snapshot-codec.ts";

test("numbers, texts, bigints and typed arrays survive a round trip", () => {
  const snapshot = {
    seq: 2 ** 52 + 1,
    names: ["a", "", "ü"],
    nothing: null,
    deposited: [0n, -5n, 2n ** 62n],
    u8: Uint8Array.of(1, 255),
    i32: Int32Array.of(-1, 2 ** 31 - 1),
    f64: Float64Array.of(1.5, 2 ** 53 - 1, -0),
    i64: BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n),
    keys: [{ keyId: 1, isRevoked: false }],
    empty: new BigInt64Array(0),
  };
  assert.deepEqual(unpackSnapshot(packSnapshot(snapshot)), snapshot);
});

test("a truncated snapshot is refused", () => {
  const bytes = packSnapshot({ f64: new Float64Array(100) });
  assert.throws(() => unpackSnapshot(bytes.subarray(0, bytes.length - 9)));
});
