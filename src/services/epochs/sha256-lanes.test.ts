// Four lanes compared with the runtime's own SHA-256, at every length that fits.

import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { TreeHasher } from "../../engine/epochs/tree-hash.ts";
import { pairsInLanes, sha256Into } from "./leaf-hasher.ts";
import { NonceKey, NonceKind } from "./nonces.ts";
import { Sha256Lanes } from "./sha256-lanes.ts";
import { initialHash, laneBytes, lanes, roundConstants } from "./sha256-module.ts";

const indexes = Array.from({ length: lanes }, (_, lane) => lane * laneBytes);

test("the constants are those of FIPS 180-4", () => {
  const hex = (words: Uint32Array, index: number) => words[index]?.toString(16);
  assert.deepEqual([hex(initialHash, 0), hex(initialHash, 7)], ["6a09e667", "5be0cd19"]);
  assert.deepEqual([hex(roundConstants, 0), hex(roundConstants, 63)], ["428a2f98", "c67178f2"]);
});

test("each lane computes the SHA-256 of its own message, whatever its length", () => {
  const hasher = new Sha256Lanes();
  for (let length = 0; length <= 119; length++) {
    const messages = indexes.map(() => randomBytes(length));
    for (const [lane, message] of messages.entries()) hasher.slots.set(message, indexes[lane]);
    hasher.pad(length);
    hasher.hash(hasher.blocksOf(length));
    for (const [lane, message] of messages.entries()) {
      const at = indexes[lane] ?? 0;
      const digest = Buffer.from(hasher.slots.subarray(at, at + 32));
      assert.deepEqual(digest, createHash("sha256").update(message).digest(), `${length} bytes`);
    }
  }
});

test("EPO-5 nonces equal the runtime's HMAC, in whatever order they are computed", () => {
  const key = randomBytes(32);
  const nonces = new NonceKey(key);
  const kinds = fc.constantFrom(...Object.values(NonceKind));
  const number = fc.oneof(fc.maxSafeNat(), fc.nat(20), fc.constant(Number.MAX_SAFE_INTEGER));
  const property = fc.property(kinds, number, (kind, one) => {
    const message = Buffer.alloc(9);
    message[0] = kind;
    message.writeBigUInt64BE(BigInt(one), 1);
    const expected = createHmac("sha256", key).update(message).digest().subarray(0, 16);
    const out = Buffer.alloc(16);
    nonces.derive(kind, one, out);
    assert.deepEqual(out, expected);
  });
  fc.assert(property, { numRuns: 500 });
});

test("EPO-1 nodes computed in lanes equal nodes computed one by one", () => {
  const [plain, wide] = [new TreeHasher(sha256Into), new TreeHasher(sha256Into, pairsInLanes())];
  const hashes = randomBytes(32 * 260);
  for (let count = 1; count <= 256; count *= 2) {
    assert.deepEqual(wide.perfect(hashes, 32, count), plain.perfect(hashes, 32, count));
  }
});
