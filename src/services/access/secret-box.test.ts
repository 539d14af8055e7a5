// Secrets at rest: only the right owner, version, master key and bytes open them.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { SecretBox } from "./secret-box.ts";

const entropy = { bytes: (count: number) => randomBytes(count), text: () => "" };
const owner = { keyId: 7, account: 1001 };

test("AUT-18 a sealed secret opens for its owner and for nobody else", () => {
  const masterKey = randomBytes(32);
  const box = new SecretBox(masterKey, entropy);
  const sealed = box.seal("a secret of a key", owner);
  assert.equal(box.open(sealed, owner, 1), "a secret of a key");
  assert.throws(() => box.open(sealed, { keyId: 7, account: 1002 }, 1));
  assert.throws(() => box.open(sealed, { keyId: 8, account: 1001 }, 1));
  assert.throws(() => box.open(sealed, owner, 2));
  assert.throws(() => new SecretBox(randomBytes(32), entropy).open(sealed, owner, 1));
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => box.open(changed, owner, 1));
  }
  assert.throws(() => box.open(sealed.subarray(0, 20), owner, 1));
});

test("two seals of one secret share no bytes to compare", () => {
  const box = new SecretBox(randomBytes(32), entropy);
  assert.notDeepEqual(box.seal("same", owner), box.seal("same", owner));
  assert.ok(!Buffer.from(box.seal("in plain sight", owner)).includes("plain"));
});

test("a master key of another length is refused", () => {
  assert.throws(() => new SecretBox(randomBytes(31), entropy));
});
