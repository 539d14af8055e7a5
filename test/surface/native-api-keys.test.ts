// Proves for users of the native surface how they manage API keys: every rule for a new key, the list, and immediate
// revocation.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { KeyType } from "../../src/core/accounts.ts";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { ed25519Sign, FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

async function newUser(): Promise<NativeClient> {
  front.advance(60_000);
  const user = new NativeClient(front.base);
  await user.login();
  return user;
}

function keyOf({ key, secret }: { key: string; secret: string }): TestKey {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  return { value: key, secret, sign } as TestKey;
}

const account = (key: TestKey) => front.send("GET", "/api/v3/account", {}, { key });

test("KEY-1 an HMAC key shows its secret once, signs immediately, and is stored encrypted", async () => {
  const user = await newUser();
  const made = await user.post("/v1/api-keys");
  assert.equal(made.status, 200);
  assert.deepEqual(Object.keys(made.json), [
    "id",
    "key",
    "label",
    "key_type",
    "rate_tier",
    "created_at",
    "secret",
  ]);
  const { id, key, secret, ...rest } = made.json;
  const { created_at: createdAt, ...args } = rest;
  assert.deepEqual(args, { label: null, key_type: "HMAC", rate_tier: "standard" });
  assert.match(createdAt, /^2026-01-01T00:\d\d:\d\d\.\d{3}Z$/);
  assert.equal((await account(keyOf(made.json))).status, 200);
  const row = [...front.keys.rows.values()].find((one) => one.key === key);
  assert(row?.sealedSecret && !Buffer.from(row.sealedSecret).includes(secret));
  const listed = await user.get("/v1/api-keys");
  const { last_used_at: lastUsedAt, ...shown } = listed.json.keys[0];
  assert.deepEqual([listed.json.keys.length, shown], [1, { id, key, ...rest }]);
  assert.match(lastUsedAt, /^2026-01-01T00:\d\d:00\.000Z$/);
});

test("KEY-19 the list shows the minute in which each key was last used, null before its first request", async () => {
  const user = await newUser();
  const [used, idle] = [await user.post("/v1/api-keys"), await user.post("/v1/api-keys")];
  const lastUses = async () => {
    const { json } = await user.get("/v1/api-keys");
    return json.keys.map(({ last_used_at: at }: { last_used_at: string | null }) => at);
  };
  assert.deepEqual(await lastUses(), [null, null]);
  const { uses_known_since: since } = (await user.get("/v1/api-keys")).json;
  // The fixture has kept uses since the beginning of time.
  assert.equal(since, "1970-01-01T00:00:00.000Z");
  for (let time = 0; time < 2; time++) {
    const minuteMs = Math.floor(front.nowUs() / 60_000_000) * 60_000;
    assert.equal((await account(keyOf(used.json))).status, 200);
    assert.deepEqual(await lastUses(), [new Date(minuteMs).toISOString(), null]);
    front.advance(180_000);
  }
  // A request with a wrong signature is not a use.
  const wrong = { ...keyOf(idle.json), sign: () => "0".repeat(64) } as TestKey;
  assert.equal((await account(wrong)).json.code, -1022);
  assert.equal((await lastUses())[1], null);
});

test("KEY-3 an Ed25519 key is shown in standard base64, and signs", async () => {
  const user = await newUser();
  const wallet = newWallet();
  const urlSafe = wallet.publicKey.replaceAll("+", "-").replaceAll("/", "_").replace("=", "");
  const made = await user.post("/v1/api-keys", {
    label: "bot",
    key_type: "ed25519",
    public_key: urlSafe,
  });
  assert.equal(made.status, 200);
  assert.equal(made.json.public_key, wallet.publicKey);
  assert.equal(made.json.key_type, "ED25519");
  assert(!("secret" in made.json));
  const pkcs8 = wallet.key.export({ format: "der", type: "pkcs8" }).toString("base64");
  const key = { value: made.json.key, sign: (text: string) => ed25519Sign(pkcs8, text) } as TestKey;
  assert.equal((await account(key)).status, 200);
  const [{ last_used_at: _, ...shown }] = (await user.get("/v1/api-keys")).json.keys;
  assert.deepEqual(shown, made.json);
});

test("KEY-2 KEY-12 KEY-3 labels, types and public keys that break a rule are refused with 400 and create no key", async () => {
  const user = await newUser();
  const refused = async (body: object, args: string) => {
    const answer = await user.post("/v1/api-keys", body);
    assert.deepEqual([answer.status, answer.text], [400, args], JSON.stringify(body));
    assert.equal(answer.type, "text/plain; charset=utf-8");
  };
  const rows = front.keys.rows.size;
  await refused({ label: "x".repeat(65) }, "label must have at most 64 characters");
  for (const label of ["a\nb", "\u0000", "tab\t", "\u007f", "\u0085", "half \ud800"]) {
    await refused({ label }, "label must not contain control characters");
  }
  const bidi = [
    "\u202a",
    "\u202b",
    "\u202d",
    "\u202e",
    "\u202c",
    "\u2066",
    "\u2067",
    "\u2068",
    "\u2069",
  ];
  const marks = ["\u200e", "\u200f", "\u061c", "\u200b", "\u00ad", "\ufeff", "\u2028", "\u2029"];
  for (const steering of [...bidi, ...marks, "\u{e0001}", "\ufff9"]) {
    await refused({ label: `a${steering}b` }, "label must not contain control characters");
  }
  const disguised = [
    "MM-1",
    "Taker-",
    "SPOT-SESSION:me",
    "ｍｍ－1",
    "mm\u20101",
    "mm\u20111",
    "mm\u22121",
    // Cyrillic and Greek letters and marks that a reader would mistake for those of the reserved prefixes.
    "\u0442\u0430\u043a\u0435\u0433-1",
    "t\u0410ker-",
    "\u041c\u039c-1",
    "\u0455\u0440\u043e\u0442-s\u0395ssi\u03bf\u039d:me",
    "spot-session\ua789me",
    "mm\u20431",
  ];
  const hidden = [
    "m\u200dm-1",
    " mm-1",
    "\u3000mm-1",
    "m\ufe0fm-1",
    "\u034ftaker-",
    "ſpot-session:",
  ];
  for (const label of [...disguised, ...hidden]) {
    await refused({ label }, "label must not start with spot-session:, mm- or taker-");
  }
  for (const label of ["spot-session:", "spot-session:me", "mm-1", "taker-"]) {
    await refused({ label }, "label must not start with spot-session:, mm- or taker-");
  }
  await refused({ key_type: "RSA" }, "key_type must be HMAC or ED25519");
  await refused({ key_type: "" }, "key_type must be HMAC or ED25519");
  await refused({ key_type: "Ed25519" }, "public_key is required when key_type is ED25519");
  const unsound = "public_key must be the base64 of a valid 32-byte Ed25519 public key";
  const smallOrder = Buffer.from(`01${"00".repeat(31)}`, "hex").toString("base64");
  for (const public_key of ["", "abc", smallOrder, `${newWallet().publicKey}AAAA`]) {
    await refused({ key_type: "ED25519", public_key }, unsound);
  }
  await refused(
    { public_key: newWallet().publicKey },
    "public_key is only allowed with key_type ED25519",
  );
  assert.equal(front.keys.rows.size, rows);
});

test("KEY-2 the limit of 64 counts characters, not bytes, and reserved prefixes matter only at the start", async () => {
  const user = await newUser();
  for (const label of [
    "🔑".repeat(64),
    "my mm-key",
    "👩\u200d💻",
    "مفتاح",
    "маркет-1",
    "мой ключ",
    "mmm-",
    "",
    "' or 1=1--",
  ]) {
    const made = await user.post("/v1/api-keys", { label });
    assert.deepEqual([made.status, made.json?.label], [200, label]);
  }
});

test("KEY-4 the eleventh active key is refused with 409, also for simultaneous requests", async () => {
  const user = await newUser();
  const answers = await Promise.all(Array.from({ length: 12 }, () => user.post("/v1/api-keys")));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(10).fill(200), 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  assert.equal(refused?.text, "an account can have at most 10 active API keys");
  const [first] = answers.filter(({ status }) => status === 200);
  assert.equal((await user.delete(`/v1/api-keys/${first?.json.id}`)).status, 200);
  assert.equal((await user.post("/v1/api-keys")).status, 200);
});

test("KEY-5 the next request with a revoked key gets -2015, and the list shows the key on request", async () => {
  const user = await newUser();
  const made = (await user.post("/v1/api-keys", { label: "gone" })).json;
  const key = keyOf(made);
  assert.equal((await account(key)).status, 200);
  const revoked = await user.delete(`/v1/api-keys/${made.id}`);
  assert.equal(revoked.status, 200);
  assert.deepEqual(Object.keys(revoked.json), ["id", "revoked_at"]);
  assert.equal(revoked.json.id, made.id);
  const after = await account(key);
  assert.deepEqual([after.status, after.json.code], [401, -2015]);
  assert.deepEqual((await user.get("/v1/api-keys")).json.keys, []);
  const { secret: _, ...record } = made;
  const all = await user.get("/v1/api-keys?include_revoked=TRUE");
  const [{ last_used_at: lastUsedAt, ...shown }] = all.json.keys;
  assert.deepEqual(shown, { ...record, revoked_at: revoked.json.revoked_at });
  assert.notEqual(lastUsedAt, null);
  assert.equal((await user.delete(`/v1/api-keys/${made.id}`)).status, 404);
  const bad = await user.get("/v1/api-keys?include_revoked=maybe");
  assert.deepEqual([bad.status, bad.text], [400, "invalid query parameter: include_revoked"]);
});

test("KEY-6 keys of others, ids of other objects and strings that are not ids revoke nothing", async () => {
  const user = await newUser();
  const made = (await user.post("/v1/api-keys")).json;
  const other = await newUser();
  const unknown = async (id: string) => {
    const answer = await other.delete(`/v1/api-keys/${id}`);
    assert.deepEqual([answer.status, answer.text], [404, "API key not found"], id);
  };
  await unknown(made.id);
  await unknown(user.userId);
  await unknown("f47ac10b-58cc-4372-a567-0e02b2c3d479");
  const shifted = `${(Number.parseInt(made.id.slice(0, 8), 16) + 1).toString(16).padStart(8, "0")}`;
  assert.equal((await user.delete(`/v1/api-keys/${shifted}${made.id.slice(8)}`)).status, 404);
  for (const id of ["1", "x", "%27%20or%201=1", "..%2f", "%00"]) {
    const answer = await other.delete(`/v1/api-keys/${id}`);
    assert.deepEqual([answer.status, answer.text], [400, "malformed UUID in the path"], id);
  }
  assert.equal((await account(keyOf(made))).status, 200);
  assert.equal((await user.delete(`/v1/api-keys/${made.id.toUpperCase()}`)).status, 200);
});

test("KEY-7 a body that cannot be read gets 422 with the field's name", async () => {
  const user = await newUser();
  const cases: readonly (readonly [body: string, words: string])[] = [
    ["{", "body is not JSON"],
    ["[]", "body must be a JSON object"],
    ["null", "body must be a JSON object"],
    ['"x"', "body must be a JSON object"],
    ['{"label":5}', "wrong type of field: label"],
    ['{"label":{"a":1}}', "wrong type of field: label"],
    ['{"labels":"x"}', "unknown field: labels"],
    ['{"__proto__":{"label":"x"}}', "unknown field: __proto__"],
    ['{"constructor":{"prototype":{}}}', "unknown field: constructor"],
    [`{"${"k".repeat(500)}\\n":1}`, `unknown field: ${"k".repeat(64)}`],
  ];
  for (const [body, args] of cases) {
    const answer = await user.send("POST", "/v1/api-keys", body);
    assert.deepEqual([answer.status, answer.text], [422, args], body);
  }
  assert.equal(([] as unknown as { label?: string }).label, undefined);
  assert.deepEqual((await user.get("/v1/api-keys")).json.keys, []);
});

test("KEY-8 a key that a user creates has the standard tier, READ and TRADE", async () => {
  const user = await newUser();
  await user.post("/v1/api-keys");
  const key = front.state.keys.all().at(-1);
  assert.deepEqual(
    [key?.keyType, key?.tier, key?.permissions, key?.sessionId],
    [KeyType.hmac, 0, 3, 0],
  );
});
