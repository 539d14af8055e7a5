// Tests public keys: valid points are accepted; points of small order and invalid points are refused, although the
// runtime accepts all of them as keys.

import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { isSoundPoint } from "./curve-point.ts";

/** The eight points of small order, as published for Curve25519 in Edwards form. */
const smallOrder = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
];

function keyOf(hex: string) {
  const der = Buffer.concat([
    Buffer.from("302a300506032b6570032100", "hex"),
    Buffer.from(hex, "hex"),
  ]);
  return createPublicKey({ key: der, format: "der", type: "spki" });
}

test("AUT-22 the identity point, under which the runtime accepts any signature, is refused as a key", () => {
  const identity = smallOrder[0] ?? "";
  const forged = Buffer.concat([Buffer.from(identity, "hex"), Buffer.alloc(32)]);
  assert.ok(verify(null, Buffer.from("any text"), keyOf(identity), forged));
  for (const hex of smallOrder) assert.ok(!isSoundPoint(Buffer.from(hex, "hex")), hex);
});

test("AUT-22 bytes that are not a point in canonical form are refused as a key", () => {
  const canonicalTwice = "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
  const noPoint = `02${"00".repeat(31)}`;
  for (const hex of [canonicalTwice, noPoint, "ff".repeat(32), "00".repeat(31), ""]) {
    assert.ok(!isSoundPoint(Buffer.from(hex, "hex")), hex);
  }
});

test("AUT-22 generated keys are accepted", () => {
  for (let count = 0; count < 20; count++) {
    const { publicKey } = generateKeyPairSync("ed25519");
    assert.ok(isSoundPoint(publicKey.export({ type: "spki", format: "der" }).subarray(-32)));
  }
});
