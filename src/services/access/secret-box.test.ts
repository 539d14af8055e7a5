// Encrypted secrets can be decrypted only with the right owner, version, master key and bytes.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { keyOwner, masterKeyCheck, SecretBox } from "./secret-box.ts";

const entropy = { bytes: (count: number) => randomBytes(count), text: () => "" };
const owner = keyOwner({ keyId: 7, account: 1001 });
const boxOf = (...keys: readonly Uint8Array[]) =>
  new SecretBox(
    keys.map((key, at) => ({ version: keys.length - at, key })),
    entropy,
  );

test("AUT-18 only the owner of a sealed secret can open it", () => {
  const masterKey = randomBytes(32);
  const box = boxOf(masterKey);
  const sealed = box.seal("a secret of a key", owner);
  assert.equal(box.open(sealed, owner, 1), "a secret of a key");
  assert.throws(() => box.open(sealed, keyOwner({ keyId: 7, account: 1002 }), 1));
  assert.throws(() => box.open(sealed, keyOwner({ keyId: 8, account: 1001 }), 1));
  assert.throws(() => box.open(sealed, owner, 2), /master key of version 2 is missing/);
  assert.throws(() => boxOf(randomBytes(32)).open(sealed, owner, 1));
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => box.open(changed, owner, 1));
  }
  assert.throws(() => box.open(sealed.subarray(0, 20), owner, 1));
});

test("AUT-23 the newest key seals, and each key opens only what it sealed", () => {
  const older = randomBytes(32);
  const newer = randomBytes(32);
  const before = boxOf(older).seal("of before", owner);
  const both = boxOf(newer, older);
  assert.equal(both.version, 2);
  assert.equal(both.open(before, owner, 1), "of before");
  const after = both.seal("of after", owner);
  assert.equal(both.open(after, owner, 2), "of after");
  assert.throws(() => both.open(after, owner, 1));
  assert.throws(() => both.open(before, owner, 2));
  assert.notEqual(masterKeyCheck(older), masterKeyCheck(newer));
  assert.match(masterKeyCheck(older), /^[0-9a-f]{16}$/);
});

test("sealing a secret twice gives different bytes", () => {
  const box = boxOf(randomBytes(32));
  assert.notDeepEqual(box.seal("same", owner), box.seal("same", owner));
  assert.ok(!Buffer.from(box.seal("in plain sight", owner)).includes("plain"));
});

test("a master key of the wrong length is refused", () => {
  assert.throws(() => boxOf(randomBytes(31)));
});
