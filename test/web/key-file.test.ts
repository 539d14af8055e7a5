// Proves the key file: it opens with its passphrase only, any damage is detected, and the opened key cannot be exported.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  base64ToBytes,
  checkPassphrase,
  KeyFileFault,
  type KeyPair,
  openedKey,
  sealedKey,
} from "../../web/src/member/key-file.ts";

const passphrase = "correct horse battery";
const ed25519 = { name: "Ed25519" };

async function newPair(): Promise<KeyPair> {
  return (await crypto.subtle.generateKey(ed25519, true, ["sign", "verify"])) as KeyPair;
}

function refuses(text: string, message: RegExp, typed = passphrase): Promise<void> {
  return assert.rejects(openedKey(text, typed), (fault: Error) => {
    assert(fault instanceof KeyFileFault);
    assert.match(fault.message, message);
    return true;
  });
}

test("WEB-52 a key file opens with its passphrase, and the key from it signs but cannot be exported", async () => {
  const pair = await newPair();
  const text = await sealedKey(pair, passphrase);
  const opened = await openedKey(text, passphrase);
  const message = new TextEncoder().encode("to sign");
  const signature = await crypto.subtle.sign(ed25519, opened.privateKey, message);
  assert(await crypto.subtle.verify(ed25519, pair.publicKey, signature, message));
  assert.equal(opened.privateKey.extractable, false);
  await assert.rejects(crypto.subtle.exportKey("pkcs8", opened.privateKey));
  const file = JSON.parse(text);
  assert.deepEqual(
    [file.version, file.kdf.name, file.kdf.iterations],
    [1, "PBKDF2-SHA256", 600_000],
  );
  const secret = Buffer.from(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  assert(!text.includes(secret.toString("base64")));
  // The same key is never encrypted to the same file.
  assert.notEqual(JSON.parse(await sealedKey(pair, passphrase)).ciphertext, file.ciphertext);
});

test("WEB-52 a passphrase counts in any Unicode form, and a wrong one is told from a damaged file", async () => {
  const text = await sealedKey(await newPair(), "caf\u00e9 caf\u00e9 caf\u00e9");
  await openedKey(text, "cafe\u0301 cafe\u0301 cafe\u0301");
  await refuses(text, /^Wrong passphrase/, "cafe cafe cafe");
});

test("WEB-52 a damaged, foreign or newer file is refused with a reason before the passphrase is tried", async () => {
  const text = await sealedKey(await newPair(), passphrase);
  const file = JSON.parse(text);
  const altered = (change: object) => JSON.stringify({ ...file, ...change });
  const flipped = base64ToBytes(file.ciphertext);
  flipped[3] = (flipped[3] ?? 0) ^ 1;
  const other = JSON.parse(await sealedKey(await newPair(), passphrase));
  for (const damaged of [
    text.slice(0, -40),
    altered({ ciphertext: Buffer.from(flipped).toString("base64") }),
    altered({ public_key: other.public_key }),
    altered({ kdf: { ...file.kdf, iterations: 600_001 } }),
    altered({ kdf: { ...file.kdf, iterations: 1 } }),
    altered({ cipher: null }),
    altered({ checksum: other.checksum }),
  ]) {
    await refuses(damaged, /damaged/);
  }
  for (const foreign of ["", "null", "{}", "[]", '{"format":"other"}', "x".repeat(5_000)]) {
    await refuses(foreign, /not a Rialto key file/);
  }
  await refuses(altered({ version: 2 }), /newer version/);
});

test("WEB-52 a file whose parts were exchanged together with the checksum still opens nothing", async () => {
  const [one, two] = [await newPair(), await newPair()];
  const [first, second] = [await sealedKey(one, passphrase), await sealedKey(two, passphrase)];
  const file = { ...JSON.parse(first), public_key: JSON.parse(second).public_key };
  const { kdf, cipher } = file;
  const header = ["rialto-wallet-key", 1, file.public_key, kdf.name, kdf.iterations, kdf.salt];
  const bound = [...header, cipher.name, cipher.iv, file.ciphertext].join(" ");
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(bound));
  const forged = { ...file, checksum: Buffer.from(sum).toString("base64") };
  await refuses(JSON.stringify(forged), /^Wrong passphrase/);
});

test("WEB-52 a passphrase has at least twelve characters and is typed twice", () => {
  assert.throws(() => checkPassphrase("short", "short"), /at least 12 characters/);
  assert.throws(() => checkPassphrase(passphrase, `${passphrase} `), /differ/);
  checkPassphrase(passphrase, passphrase);
});
