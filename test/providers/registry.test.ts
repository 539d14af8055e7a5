// Proves through the API of a whole venue how providers register, how their keys work, and what they may read.

import assert from "node:assert/strict";
import { randomBytes, sign } from "node:crypto";
import { after, before, test } from "node:test";
import { pendingProvidersMax } from "../../src/core/provider-limits.ts";
import { signMessage } from "../../src/services/access/message-signature.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { sendRelayed } from "./relayed-request.ts";
import { newProviderKey, type ProviderKey, sendSigned } from "./signed-request.ts";

let venue: VenueFixture;

before(async () => {
  venue = await VenueFixture.open({ DEV_TOOLS: "1" });
});

after(() => venue.close());

/** Nobody listens there; each provider has another one. */
let nextPort = 20_000;

function termsOf(key: ProviderKey, change: object = {}) {
  return {
    name: "Maker One",
    url: `http://127.0.0.1:${nextPort++}`,
    party_id: `maker::1220${randomBytes(32).toString("hex")}`,
    public_key: key.publicKey,
    pairs: ["CC-USDC", "CBTC-USDC"],
    ...change,
  };
}

function register(key: ProviderKey, body: object) {
  return sendSigned(venue.address, key, { method: "POST", path: "/v1/lp/register", body });
}

async function registered(key: ProviderKey): Promise<string> {
  const { status, json, text } = await register(key, termsOf(key));
  assert.equal(status, 200, text);
  return json.provider_id;
}

function status(key: ProviderKey) {
  return sendSigned(venue.address, key, { method: "GET", path: "/v1/lp/status" });
}

test("LPR-1 a key's owner registers a provider with it, and a repeated request gives the same provider", async () => {
  const key = newProviderKey();
  const terms = termsOf(key);
  const first = await register(key, terms);
  assert.equal(first.status, 200, first.text);
  assert.equal(first.json.status, "pending");
  assert.equal(first.json.key_id, key.keyId);
  const again = await register(key, terms);
  assert.equal(again.json.provider_id, first.json.provider_id);
  const other = await register(key, { ...terms, name: "Maker Two" });
  assert.deepEqual(
    [other.status, other.json],
    [409, { error: "the key is already registered with other terms, or retired" }],
  );
});

test("LPR-1 a key that has not signed the request cannot register a provider", async () => {
  const [key, stranger] = [newProviderKey(), newProviderKey()];
  const { status: code, json } = await register(stranger, termsOf(key));
  assert.deepEqual([code, json], [401, { error: "no provider is registered with this key" }]);
});

const badName = "name must be 1 to 64 printable characters";
const badUrl =
  "url must be https with a host name, at most 256 characters, without user, query, fragment or trailing slash";
const badParty = "party_id must be the id of a party on the ledger";
const badKey = "public_key must be the base64 of a valid 32-byte Ed25519 public key";
const badPairs = "pairs must be a list of different spot markets";

test("LPR-2 invalid terms are refused with a message that says what was expected", async () => {
  const key = newProviderKey();
  const wrong: readonly (readonly [object, number, string])[] = [
    [{ name: "" }, 400, badName],
    [{ name: "n".repeat(65) }, 400, badName],
    [{ name: "line\nbreak" }, 400, badName],
    [{ url: "ftp://lp.example" }, 400, badUrl],
    [{ url: "https://user:secret@lp.example" }, 400, badUrl],
    [{ url: "https://lp.example/?a=1" }, 400, badUrl],
    [{ url: "https://lp.example/" }, 400, badUrl],
    [{ url: "https://lp.example/#" }, 400, badUrl],
    [{ url: "https://lp.example/?" }, 400, badUrl],
    [{ url: "https://lp.example#" }, 400, badUrl],
    [{ url: "https://lp.example/quotes?" }, 400, badUrl],
    [{ url: "https://lp.example/../x" }, 400, badUrl],
    [{ url: `https://lp.example/${"a".repeat(256)}` }, 400, badUrl],
    [{ party_id: "maker" }, 400, badParty],
    [{ public_key: "AAAA" }, 400, badKey],
    // This public key is the neutral element of the curve, for which anybody can create signatures.
    [{ public_key: `AQ${"A".repeat(41)}=` }, 400, badKey],
    [{ pairs: [] }, 400, badPairs],
    [{ pairs: ["CC-USDC", "CC-USDC"] }, 400, badPairs],
    [{ pairs: ["BTC-PERP"] }, 400, badPairs],
    [{ pairs: ["CCUSDC"] }, 400, badPairs],
    [{ pairs: "CC-USDC" }, 422, "wrong type of field: pairs"],
    [{ fee: 1 }, 422, "unknown field: fee"],
  ];
  for (const [change, code, message] of wrong) {
    const answer = await register(key, termsOf(key, change));
    assert.equal(answer.status, code, JSON.stringify(change));
    assert.deepEqual(answer.json, { error: message });
  }
  assert.equal((await status(key)).status, 401, "no provider must be registered");
});

test("LPR-3 a provider can read what the venue stores about it, and no other can", async () => {
  const key = newProviderKey();
  const provider = await registered(key);
  const own = await status(key);
  assert.equal(own.status, 200, own.text);
  assert.equal(own.json.provider_id, provider);
  assert.equal(own.json.keys[0].key_id, key.keyId);
  const figures = await sendSigned(venue.address, key, {
    method: "GET",
    path: "/v1/lp/statistics",
  });
  assert.deepEqual(figures.json, {
    score: 1,
    requests: { asked: 0, quoted: 0, no_quote: 0, late: 0, invalid: 0, failed: 0 },
    swaps: { settled: 0, declined: 0, late: 0 },
    average_answer_ms: null,
  });
  const swaps = await sendSigned(venue.address, key, {
    method: "GET",
    path: "/v1/lp/swaps?limit=5",
  });
  assert.deepEqual(swaps.json, { items: [], next_cursor: null });
  assert.equal((await status(newProviderKey())).status, 401);
  const unsigned = await fetch(`${venue.address}/v1/lp/status`);
  assert.deepEqual(
    [unsigned.status, await unsigned.json()],
    [
      401,
      {
        error: "Content-Digest, Venue-Idempotency-Key, Signature-Input and Signature are required",
      },
    ],
  );
});

test("LPS-5 a request signed for another venue is refused", async () => {
  const key = newProviderKey();
  await registered(key);
  const path = "/v1/lp/status";
  const requestFor = (host: string) => {
    const parts = { method: "GET", authority: host, path, body: "" };
    const nonce = randomBytes(16);
    const terms = { ...key, idempotencyKey: host, nonce, nowMs: Date.now() };
    return sendRelayed(venue.address, { path, host, headers: signMessage(parts, terms) });
  };
  const message = "the request is signed for a host other than the venue's public host";
  const relayed = await requestFor("other-venue.example");
  assert.deepEqual(relayed, { status: 401, body: JSON.stringify({ error: message }) });
  const { status: own } = await requestFor(`localhost:${new URL(venue.address).port}`);
  assert.equal(own, 200, "another name of the machine for the same address must be accepted");
});

test("LPS-2 LPS-3 LPS-4 the venue refuses wrong signatures and repeated requests", async () => {
  const key = newProviderKey();
  await registered(key);
  const path = "/v1/lp/status";
  const late = { method: "GET", path, nowMs: Date.now() - 60_000 } as const;
  assert.deepEqual((await sendSigned(venue.address, key, late)).json, {
    error: "created and expires must be 30 seconds apart, and now must lie between them",
  });
  const forOther = await sendSigned(venue.address, key, {
    method: "GET",
    path,
    change: (made) => ({ "signature-input": made["signature-input"].replace("rfq-v1", "rfq-v2") }),
  });
  assert.equal(forOther.json.error, "wrong signature tag: it must be venue-rfq-v1");
  const malformed = await sendSigned(venue.address, key, {
    method: "GET",
    path,
    change: (made) => ({ signature: made.signature.replace("venue", "other") }),
  });
  assert.equal(malformed.json.error, "the signature headers do not follow the required profile");
  const forged = await sendSigned(venue.address, key, {
    method: "GET",
    path,
    change: () => ({ "venue-idempotency-key": "another" }),
  });
  assert.equal(forged.json.error, "the signature does not match the request");
  const moved = await sendSigned(venue.address, key, {
    method: "POST",
    path: "/v1/lp/keys",
    body: { public_key: key.publicKey, proof: "" },
    sentBody: JSON.stringify({ public_key: newProviderKey().publicKey, proof: "" }),
  });
  assert.equal(moved.json.error, "Content-Digest does not match the body");
  const kept: { headers?: Record<string, string> } = {};
  const first = await sendSigned(venue.address, key, {
    method: "GET",
    path,
    change(made) {
      kept.headers = { ...made };
      return {};
    },
  });
  assert.equal(first.status, 200);
  const again = await fetch(venue.address + path, { headers: kept.headers ?? {} });
  assert.deepEqual(
    [again.status, await again.json()],
    [401, { error: "the nonce was already used" }],
  );
});

function addKey(key: ProviderKey, provider: string, next: ProviderKey, signer = next) {
  const text = `rialto provider key\nprovider: ${provider}\npublic key: ${next.publicKey}`;
  const proof = sign(null, Buffer.from(text), signer.key).toString("base64");
  const body = { public_key: next.publicKey, proof };
  return sendSigned(venue.address, key, { method: "POST", path: "/v1/lp/keys", body });
}

function retire(key: ProviderKey, keyId: string) {
  return sendSigned(venue.address, key, { method: "DELETE", path: `/v1/lp/keys/${keyId}` });
}

test("LPR-4 a key is replaced by registering a second one, and the last key cannot be removed", async () => {
  const [old, next, third] = [newProviderKey(), newProviderKey(), newProviderKey()];
  const provider = await registered(old);
  assert.equal(
    (await retire(old, old.keyId)).json.error,
    "the last key cannot be removed: add another first",
  );
  const unproven = await addKey(old, provider, next, old);
  assert.equal(
    unproven.json.error,
    "proof must be the new key's signature over provider id and public key",
  );
  assert.equal((await addKey(old, provider, next)).json.key_id, next.keyId);
  assert.equal(
    (await addKey(old, provider, next)).status,
    200,
    "adding the same key again must change nothing",
  );
  assert.equal(
    (await addKey(old, provider, third)).json.error,
    "a provider can have at most two keys",
  );
  assert.equal((await status(next)).json.provider_id, provider);
  assert.equal((await status(old)).status, 200, "both keys must be able to sign");
  assert.equal((await retire(next, old.keyId)).status, 204);
  assert.equal((await status(old)).status, 401);
  assert.equal((await retire(next, old.keyId)).json.error, "the provider does not have this key");
  const back = await addKey(next, provider, old);
  assert.equal(back.status, 409, "a removed key must not be added again");
});

test("LPR-5 the operator decides which providers get requests, and gives reasons", async () => {
  const key = newProviderKey();
  const provider = await registered(key);
  const { providers } = venue.operator;
  await assert.rejects(providers.resume(provider), /no suspended provider with this id/);
  await providers.approve(provider);
  assert.equal((await status(key)).json.status, "approved");
  await providers.suspend(provider, "terms differed");
  const { json } = await status(key);
  assert.deepEqual([json.status, json.reason], ["suspended", "terms differed"]);
  await providers.resume(provider);
  assert.equal((await status(key)).json.status, "approved");
  await assert.rejects(providers.approve(provider), /no pending provider with this id/);
});

test("LPR-5 a stranger that registers another provider's party neither blocks that provider nor can be approved as well", async () => {
  const [key, stranger] = [newProviderKey(), newProviderKey()];
  const terms = termsOf(key);
  const squatter = await register(stranger, { ...termsOf(stranger), party_id: terms.party_id });
  assert.equal(squatter.status, 200);
  const { json } = await register(key, terms);
  const { providers } = venue.operator;
  await providers.approve(json.provider_id);
  await assert.rejects(
    providers.approve(squatter.json.provider_id),
    /another provider already uses this party/,
  );
  await providers.refuse(squatter.json.provider_id, "not its party");
});

test("LPR-6 the venue publishes its signing keys, and both keys during a change", async () => {
  const { providers } = venue.operator;
  await providers.rotateKey(false);
  const keys = async () => (await venue.get("/v1/lp/keys")).json.keys;
  const first = await keys();
  assert.equal(first.length, 1);
  assert.ok(
    Date.parse(first[0].signs_from) <= Date.now(),
    "the first key must be able to sign at once",
  );
  assert.match(first[0].key_id, /^1220[0-9a-f]{64}$/);
  await providers.rotateKey(false);
  const [next, old] = await keys();
  assert.equal(old.key_id, first[0].key_id);
  assert.ok(Date.parse(next.signs_from) > Date.now());
  assert.ok(Date.parse(old.retires_at) > Date.parse(next.signs_from));
  await assert.rejects(providers.rotateKey(false), /two keys are published/);
  const stored = await venue.venue.database.sql<{ sealed: Uint8Array }[]>`
    select sealed from venue_secrets where name like 'provider signing key %'`;
  assert.equal(stored.length, 2);
  assert.ok(
    stored.every(({ sealed }) => sealed.length > 60),
    "the stored key must be encrypted, with nonce and tag",
  );
});

test("LPR-2 LPR-7 the number of registrations by strangers is limited", async () => {
  const { sql } = venue.venue.database;
  await sql`
    insert into liquidity_providers (provider, number, name, url, party, pairs, created_ms)
    select 'x' || n, 1000000 + n, 'x', 'https://x.example/' || n, 'x' || n, '[]', ${Date.now()}
    from generate_series(1, ${pendingProvidersMax}::integer) as n`;
  const key = newProviderKey();
  const full = await register(key, termsOf(key));
  assert.deepEqual(
    [full.status, full.json],
    [503, { error: "too many registrations are waiting for approval" }],
  );
  await sql`update liquidity_providers set created_ms = 1 where name = 'x'`;
  assert.equal((await register(key, termsOf(key))).status, 200, "old registrations must not count");
});
