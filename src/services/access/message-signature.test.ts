// The signature profile between venue and providers: test vectors that another program has made must verify, and each
// deviation must be refused.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "../../../test/support/tidy/tree.ts";
import {
  contentDigest,
  type SignatureFault,
  type SignatureHeaders,
  type SignedParts,
  signMessage,
  verifyMessage,
} from "./message-signature.ts";
import { signingKeyId, signingKeyOf } from "./venue-signer.ts";

interface Vector extends SignedParts {
  readonly id: string;
  readonly created: number;
  readonly nonce: string;
  readonly idempotency_key: string;
  readonly headers: SignatureHeaders;
}

const file = JSON.parse(
  readFileSync(join(projectRoot, "test/vectors/message-signatures.json"), "utf8"),
) as { seed: string; public_key: string; key_id: string; vectors: Vector[] };
const own = signingKeyOf(Buffer.from(file.seed, "hex"));

class Verifier {
  nowMs: number;
  readonly taken = new Set<string>();
  isFull = false;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  verify(parts: SignedParts, headers: SignatureHeaders) {
    return verifyMessage(parts, headers, {
      isAuthority: (host) => host !== "foreign.example",
      publicKey: (keyId) => (keyId === file.key_id ? file.public_key : null),
      takeNonce: (keyId, nonce) => {
        if (this.isFull) return null;
        const isNew = !this.taken.has(keyId + nonce);
        this.taken.add(keyId + nonce);
        return isNew;
      },
      nowMs: () => this.nowMs,
    });
  }
}

function first(): Vector {
  const [vector] = file.vectors;
  assert.ok(vector !== undefined);
  return vector;
}

test("LPS-1 LPS-6 signatures match the published vectors byte for byte", () => {
  assert.equal(own.publicKey, file.public_key);
  assert.equal(signingKeyId(own.publicKey), file.key_id);
  for (const vector of file.vectors) {
    const headers = signMessage(vector, {
      keyId: file.key_id,
      key: own.key,
      idempotencyKey: vector.idempotency_key,
      nonce: Buffer.from(vector.nonce, "hex"),
      nowMs: vector.created * 1000 + 999,
    });
    assert.deepEqual(headers, vector.headers, vector.id);
  }
});

test("LPS-1 a request is accepted exactly as signed, and only once", async () => {
  for (const vector of file.vectors) {
    const verifier = new Verifier(vector.created * 1000);
    const signed = { keyId: file.key_id, idempotencyKey: vector.idempotency_key };
    assert.deepEqual(await verifier.verify(vector, vector.headers), signed, vector.id);
    assert.equal(await verifier.verify(vector, vector.headers), "replayed");
  }
});

test("LPS-2 the signature covers method, authority, path and body", async () => {
  const vector = first();
  const changes: readonly (readonly [Partial<SignedParts>, SignatureFault])[] = [
    [{ method: "PUT" }, "signature"],
    [{ authority: "other.example" }, "signature"],
    [{ authority: `${vector.authority}:8443` }, "signature"],
    [{ path: "/rfq/quotes/" }, "signature"],
    [{ body: vector.body.replace("100.0", "900.0") }, "digest"],
    [{ body: "" }, "digest"],
  ];
  const verifier = new Verifier(vector.created * 1000);
  for (const [change, fault] of changes)
    assert.equal(await verifier.verify({ ...vector, ...change }, vector.headers), fault);
  assert.equal(verifier.taken.size, 0, "a request without a valid signature uses up no nonce");
});

test("LPS-2 a signature is invalid for another body, even with its own digest, and for another idempotency key", async () => {
  const vector = first();
  const body = vector.body.replace("100.0", "900.0");
  const headers = { ...vector.headers, "content-digest": contentDigest(body) };
  const verifier = new Verifier(vector.created * 1000);
  assert.equal(await verifier.verify({ ...vector, body }, headers), "signature");
  const moved = { ...vector.headers, "venue-idempotency-key": "quote-2" };
  assert.equal(await verifier.verify(vector, moved), "signature");
});

test("LPS-5 a request for another host is refused, even with a valid signature", async () => {
  const vector = first();
  const relayed = { ...vector, authority: "foreign.example" };
  const headers = signMessage(relayed, {
    ...{ keyId: file.key_id, key: own.key, idempotencyKey: vector.idempotency_key },
    nonce: Buffer.from(vector.nonce, "hex"),
    nowMs: vector.created * 1000,
  });
  const verifier = new Verifier(vector.created * 1000);
  assert.equal(await verifier.verify(relayed, headers), "authority");
  assert.equal(verifier.taken.size, 0);
});

test("LPS-3 a signature is valid for 30 seconds, with clocks up to 5 seconds apart", async () => {
  const vector = first();
  const created = vector.created * 1000;
  for (const [nowMs, isTaken] of [
    [created - 5_001, false],
    [created - 5_000, true],
    [created + 35_000, true],
    [created + 35_001, false],
  ] as const) {
    const answer = await new Verifier(nowMs).verify(vector, vector.headers);
    assert.equal(answer === "window", !isTaken, `${nowMs - created} ms after`);
  }
});

test("LPS-3 a full nonce cache refuses further requests", async () => {
  const vector = first();
  const verifier = new Verifier(vector.created * 1000);
  verifier.isFull = true;
  assert.equal(await verifier.verify(vector, vector.headers), "busy");
});

/** Deviations of a request's headers from the profile, one at a time. */
const deviations: readonly (readonly [
  keyof SignatureHeaders,
  (text: string) => string,
  SignatureFault,
])[] = [
  ["signature-input", () => "", "missing"],
  ["signature", () => "", "missing"],
  ["content-digest", () => "", "missing"],
  ["venue-idempotency-key", () => "", "missing"],
  ["signature-input", (text) => text.replace("venue=", "sig1="), "malformed"],
  ["signature", (text) => text.replace("venue=", "sig1="), "malformed"],
  ["signature-input", (text) => text.replace('"@path" ', ""), "malformed"],
  [
    "signature-input",
    (text) => text.replace('"@method" "@authority"', '"@authority" "@method"'),
    "malformed",
  ],
  ["signature-input", (text) => text.replace('"@path"', '"@path" "@query"'), "malformed"],
  ["signature-input", (text) => text.replace(/;created=\d+/, ""), "malformed"],
  ["signature-input", (text) => text.replace(/;expires=\d+/, ""), "malformed"],
  ["signature-input", (text) => text.replace(/;nonce="[^"]+"/, ""), "malformed"],
  ["signature-input", (text) => text.replace(/;nonce="[^"]+"/, ';nonce="c2hvcnQ="'), "malformed"],
  ["signature-input", (text) => text.replace(/;keyid="[^"]+"/, ""), "malformed"],
  ["signature-input", (text) => text.replace('alg="ed25519"', 'alg="hmac-sha256"'), "malformed"],
  ["signature-input", (text) => text.replace(';alg="ed25519"', ""), "malformed"],
  ["signature-input", (text) => text.replace(/;tag="[^"]+"/, ""), "malformed"],
  ["signature-input", (text) => `${text};extra=1`, "malformed"],
  ["signature-input", (text) => `${text}, ${text.replace("venue", "other")}`, "malformed"],
  ["signature-input", (text) => text.replace("venue-rfq-v1", "venue-rfq-v2"), "tag"],
  ["signature-input", (text) => text.replace("expires=1790000030", "expires=1790000090"), "window"],
  ["signature-input", (text) => text.replace(/keyid="1220/, 'keyid="1221'), "key"],
  ["signature-input", (text) => text.replace(/nonce="AAEC/, 'nonce="BAEC'), "signature"],
  ["content-digest", (text) => text.replace("sha-256", "sha-512"), "malformed"],
  ["content-digest", (text) => `${text}, md5=:AAAA:`, "malformed"],
  ["content-digest", (text) => text.replace(/=:./, "=:A"), "digest"],
  ["venue-idempotency-key", () => "a key", "malformed"],
  ["venue-idempotency-key", () => "k".repeat(65), "malformed"],
  ["signature", (text) => text.replace(/:$/, ""), "malformed"],
  ["signature", (text) => text.replace(/:../, ":AA"), "signature"],
];

test("LPS-4 every deviation from the signature profile is refused", async () => {
  const vector = first();
  const verifier = new Verifier(vector.created * 1000);
  for (const [name, change, fault] of deviations) {
    const text = change(vector.headers[name]);
    assert.notEqual(text, vector.headers[name], "the sample must deviate");
    const headers = { ...vector.headers, [name]: text };
    assert.equal(await verifier.verify(vector, headers), fault, `${name}: ${text}`);
  }
  assert.equal(typeof (await verifier.verify(vector, vector.headers)), "object");
});
