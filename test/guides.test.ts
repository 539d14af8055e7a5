// Proves that the signing vectors in the guide on API keys are correct, by computing them from the values on the
// page. A reader can test a signer against these vectors.

import assert from "node:assert/strict";
import { createHmac, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "./support/tidy/tree.ts";

const page = readFileSync(join(projectRoot, "docs/guides/trade-with-a-key.md"), "utf8");
const payload = /^symbol=LTCBTC\S+$/m.exec(page)?.[0] ?? "";

function cell(label: string): string {
  const cells = [...page.matchAll(/^\| ([^|]+) \| `([^`]+)` \|$/gm)];
  return cells.find(([, name]) => name === label)?.[2] ?? "";
}

test("guide: vector H1 is the HMAC of the printed payload", () => {
  const signature = createHmac("sha256", cell("secret")).update(payload).digest("hex");
  assert.equal(signature, cell("signature"));
});

test("guide: vector E1 is the Ed25519 signature of the printed payload", () => {
  const pkcs8 = Buffer.from(`302e020100300506032b657004220420${cell("seed, hexadecimal")}`, "hex");
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  assert.equal(spki.subarray(-32).toString("base64"), cell("public key, base64"));
  assert.equal(sign(null, Buffer.from(payload), key).toString("base64"), cell("signature, base64"));
});
