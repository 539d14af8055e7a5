// Proves wallet sessions on a front: login, logout, session keys, limits, and everything that must not open a session.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { loginsPerMinute } from "../../src/core/limits.ts";
import { NativeClient, newWallet, signText } from "../support/client/native-client.ts";
import { ed25519Sign, FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const client = () => new NativeClient(front.base);

test("SES-1 SES-2 SES-3 a challenge names venue, party, nonce and times, and lasts five minutes", async () => {
  front.advance(60_000);
  const wallet = newWallet();
  const { status, json } = await client().post("/v1/wallet/challenge", {
    public_key: wallet.publicKey.replaceAll("+", "-").replaceAll("/", "_").replace("=", ""),
    party_hint: "alice",
  });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ["nonce", "message", "party_id", "expires_at"]);
  const purposed = Buffer.concat([
    Buffer.from([0, 0, 0, 12]),
    Buffer.from(wallet.publicKey, "base64"),
  ]);
  const fingerprint = createHash("sha256").update(purposed).digest("hex");
  assert.equal(json.party_id, `alice::1220${fingerprint}`);
  const issued = new Date(front.nowUs() / 1000).toISOString();
  assert.equal(Date.parse(json.expires_at) - Date.parse(issued), 300_000);
  assert.deepEqual(json.message.split("\n"), [
    "Rialto wallet login, version 2",
    "Signing this opens a session and moves nothing.",
    `Venue: ${new URL(front.base).host}`,
    `Party: ${json.party_id}`,
    `Nonce: ${json.nonce}`,
    `Issued: ${issued}`,
    `Expires: ${json.expires_at}`,
  ]);
  assert.equal(Buffer.from(json.nonce, "base64url").length, 32);
});

test("SES-14 a challenge names the venue that received the request, never another that the request names", async () => {
  front.advance(60_000);
  const { port, host } = new URL(front.base);
  const named = async (requested: string) => {
    const body = JSON.stringify({ public_key: newWallet().publicKey });
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { host: requested, "content-length": `${body.length}` };
      const options = { port, headers, host: "127.0.0.1", method: "POST" };
      const sent = request({ ...options, path: "/v1/wallet/challenge" }, (response) => {
        text(response).then(resolve, reject);
      });
      sent.on("error", reject).end(body);
    });
    return JSON.parse(answer).message.split("\n")[2];
  };
  assert.equal(await named(host), `Venue: ${host}`);
  assert.equal(await named(`LOCALHOST:${port}`), `Venue: localhost:${port}`);
  for (const foreign of ["evil.example", `127.0.0.1:${Number(port) - 1}`])
    assert.equal(await named(foreign), `Venue: localhost:${port}`);
});

test("SES-1 SES-3 invalid public keys and invalid party hints are refused as JSON", async () => {
  front.advance(60_000);
  const bad = "public_key must be the base64 of a valid 32-byte Ed25519 public key";
  const smallOrder = Buffer.from(`01${"00".repeat(31)}`, "hex").toString("base64");
  const offCurve = Buffer.from(`02${"00".repeat(31)}`, "hex").toString("base64");
  for (const public_key of ["", "x", smallOrder, offCurve, newWallet().publicKey.slice(4)]) {
    const answer = await client().post("/v1/wallet/challenge", { public_key });
    assert.deepEqual([answer.status, answer.json], [400, { error: bad }], public_key);
  }
  for (const party_hint of ["", "a b", "a::b", "x".repeat(65), "a\nParty: b"]) {
    const requested = { public_key: newWallet().publicKey, party_hint };
    const answer = await client().post("/v1/wallet/challenge", requested);
    assert.deepEqual(
      [answer.status, answer.json],
      [400, { error: "party_hint must be 1 to 64 letters, digits, _ or -" }],
      party_hint,
    );
  }
});

test("SES-5 SES-6 the first login opens an account, later logins find it, and only the token's hash is stored", async () => {
  front.advance(60_000);
  const wallet = newWallet();
  const first = client();
  const { json } = await first.login(wallet, "bob");
  assert.deepEqual(Object.keys(json), [
    "token",
    "expires_at",
    "user_id",
    "party_id",
    "account_type",
  ]);
  assert.equal(json.account_type, "standard");
  assert.match(json.token, /^[A-Za-z0-9_-]{43}$/);
  const second = client();
  await second.login(wallet, "mallory");
  assert.equal(second.userId, first.userId);
  assert.equal(second.partyId, first.partyId, "The hint must count only at the first login");
  assert.notEqual(second.token, first.token);
  const stored = JSON.stringify([...front.sessions.rows.values()]);
  assert(!stored.includes(first.token) && !stored.includes(second.token));
  assert(stored.includes(createHash("sha256").update(first.token).digest("hex")));
});

test("SES-4 a nonce can be used once, and a proof that fails opens no session", async () => {
  front.advance(60_000);
  const seq = front.state.seq;
  const wallet = newWallet();
  const refused = { error: "invalid nonce or signature" };
  const challenge = async () =>
    (await client().post("/v1/wallet/challenge", { public_key: wallet.publicKey })).json;
  const verify = (nonce: string, signature: string, by = wallet) =>
    client().post("/v1/wallet/verify", { public_key: by.publicKey, nonce, signature });
  const { nonce, message } = await challenge();
  const wrong = await verify(nonce, signText(wallet, `${message} `));
  assert.deepEqual([wrong.status, wrong.json], [401, refused]);
  const burnt = await verify(nonce, signText(wallet, message));
  assert.deepEqual(
    [burnt.status, burnt.json],
    [401, refused],
    "A wrong signature must use up the nonce",
  );
  const other = newWallet();
  const stolen = await challenge();
  const byOther = await verify(stolen.nonce, signText(other, stolen.message), other);
  assert.deepEqual(
    [byOther.status, byOther.json],
    [401, refused],
    "A signature by another key must be refused",
  );
  const late = await challenge();
  front.advance(300_001);
  const expired = await verify(late.nonce, signText(wallet, late.message));
  assert.deepEqual([expired.status, expired.json], [401, refused]);
  const unknown = await verify("A".repeat(43), signText(wallet, message));
  assert.deepEqual([unknown.status, unknown.json], [401, refused]);
  assert.equal(front.state.seq, seq, "No account and no session may be opened");
  const good = await challenge();
  const proof = signText(wallet, good.message);
  assert.equal((await verify(good.nonce, proof)).status, 200);
  const replayed = await verify(good.nonce, proof);
  assert.deepEqual([replayed.status, replayed.json], [401, refused]);
});

test("SES-7 SES-12 a token is valid until logout, which ends it permanently", async () => {
  front.advance(60_000);
  const user = client();
  const none = await user.get("/v1/api-keys");
  assert.deepEqual([none.status, none.text], [401, "missing bearer token"]);
  assert.equal(none.type, "text/plain; charset=utf-8");
  await user.login();
  assert.equal((await user.get("/v1/api-keys")).status, 200);
  const out = await user.post("/v1/wallet/logout");
  assert.deepEqual([out.status, out.text], [204, ""]);
  const ended = await user.get("/v1/api-keys");
  assert.deepEqual([ended.status, ended.text], [401, "invalid session"]);
  const json = await user.post("/v1/wallet/logout");
  assert.deepEqual([json.status, json.json], [401, { error: "invalid session" }]);
  assert.equal(front.sessions.rows.size, [...front.state.sessions.all()].length);
});

test("SES-21 the list shows device and address of each log-in and when it was last used; the request cannot claim more", async () => {
  front.advance(60_000);
  const wallet = newWallet();
  const agent =
    "<i>Mozilla/5.0 (Windows NT 10.0; rv:131.0)</i> Gecko/20100101 Firefox/131.0 \u00e9\u0085";
  const own = client();
  const { json: challenge } = await own.post("/v1/wallet/challenge", {
    public_key: wallet.publicKey,
  });
  const signature = signText(wallet, challenge.message);
  const answer = await fetch(`${front.base}/v1/wallet/verify`, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": agent },
    body: JSON.stringify({ public_key: wallet.publicKey, nonce: challenge.nonce, signature }),
  });
  assert.equal(answer.status, 200);
  front.advance(120_000);
  await own.login(wallet);
  const listed = async () => (await own.get("/v1/wallet/sessions")).json.sessions;
  await listed();
  const [current, other] = await listed();
  assert.deepEqual([current.device, other.device], [null, "Firefox on Windows"]);
  assert.deepEqual([current.address, other.address], ["127.0.0.1", "127.0.0.1"]);
  assert.equal(other.last_used_at, null);
  assert(Date.parse(current.last_used_at) + 60_000 > Date.parse(current.opened_at));
});

test("SES-19 SES-20 a user lists its open sessions and ends any of them at once, and no other's", async () => {
  front.advance(60_000);
  const wallet = newWallet();
  const [first, second, stranger] = [client(), client(), client()];
  await first.login(wallet);
  front.advance(60_000);
  const { json: login } = await second.login(wallet);
  await stranger.login();
  const listed = await second.get("/v1/wallet/sessions");
  const { sessions } = listed.json;
  assert.deepEqual(
    sessions.map((one: { is_current: boolean }) => one.is_current),
    [true, false],
  );
  assert.equal(sessions[0].expires_at, login.expires_at);
  const { opened_at: opened, expires_at: expires, id } = sessions[1];
  assert.equal(Date.parse(expires) - Date.parse(opened), 86_400_000);
  assert(Date.parse(opened) < Date.parse(sessions[0].opened_at));
  const path = `/v1/wallet/sessions/${id}`;
  const foreign = await stranger.delete(path);
  assert.deepEqual([foreign.status, foreign.json], [404, { error: "session not found" }]);
  // The last two are ids of a swap, and of a session that never was.
  const ids = ["01a22725-802d-7008-8000-000000000006", "01a22725-802d-700a-8000-0000000f4240"];
  for (const unknown of ids)
    assert.equal((await first.delete(`/v1/wallet/sessions/${unknown}`)).status, 404, unknown);
  for (const malformed of ["1", "x".repeat(300)])
    assert.equal((await first.delete(`/v1/wallet/sessions/${malformed}`)).status, 400, malformed);
  assert.deepEqual(
    [await second.delete(path), await second.delete(path)].map(({ status }) => status),
    [204, 404],
  );
  assert.equal((await first.get("/v1/api-keys")).text, "invalid session");
  const left = await second.get("/v1/wallet/sessions");
  assert.deepEqual(left.json.sessions.length, 1);
  const own = await second.delete(`/v1/wallet/sessions/${sessions[0].id}`);
  assert.equal(own.status, 204);
  assert.equal((await second.get("/v1/api-keys")).text, "invalid session");
  assert.equal(front.sessions.rows.size, [...front.state.sessions.all()].length);
});

test("SES-12 a header without a Bearer token counts as missing, and a forged token as invalid", async () => {
  front.advance(60_000);
  const call = async (authorization: string) => {
    const answer = await front.fetch("/v1/api-keys", { headers: { authorization } });
    return [answer.status, answer.text];
  };
  for (const header of ["Basic abc", "Bearer", "Bearer ", "Token x", "bearer"]) {
    assert.deepEqual(await call(header), [401, "missing bearer token"], header);
  }
  const forged = ["Bearer x", `Bearer ${"A".repeat(43)}`, `Bearer ${"A".repeat(1000)}`];
  for (const header of [...forged, "Bearer ' or 1=1--", "Bearer __proto__"]) {
    const expected = header.includes("or 1=1") ? "missing bearer token" : "invalid session";
    assert.deepEqual(await call(header), [401, expected], header);
  }
});

test("SES-8 a token ends after a day, whatever its use", async () => {
  front.advance(60_000);
  const user = client();
  const fromMs = front.nowUs() / 1000;
  const { json } = await user.login();
  const lastsMs = Date.parse(json.expires_at) - fromMs;
  assert(lastsMs >= 86_400_000 && lastsMs < 86_400_010, `${lastsMs}`);
  front.advance(86_400_000 - 10_000);
  assert.equal((await user.get("/v1/api-keys")).status, 200);
  front.advance(10_000);
  const ended = await user.get("/v1/api-keys");
  assert.deepEqual([ended.status, ended.text], [401, "invalid session"]);
});

test("SES-9 SES-16 a session key signs for its account, is neither listed nor revocable, and ends with the session", async () => {
  front.advance(60_000);
  const user = client();
  await user.login(newWallet(), "carol");
  const wallet = newWallet();
  const made = await user.post("/v1/wallet/session-key", { public_key: wallet.publicKey });
  assert.equal(made.status, 200);
  assert.equal(made.json.key_type, "ED25519");
  assert.equal(made.json.label, `spot-session:${user.partyId}`);
  assert.equal(made.json.public_key, wallet.publicKey);
  assert(!("secret" in made.json));
  const pkcs8 = wallet.key.export({ format: "der", type: "pkcs8" }).toString("base64");
  const key = {
    value: made.json.key,
    sign: (text: string) => ed25519Sign(pkcs8, text),
  } as TestKey;
  assert.equal((await front.send("GET", "/api/v3/account", {}, { key })).status, 200);
  assert.deepEqual((await user.get("/v1/api-keys")).json.keys, []);
  assert.equal((await user.delete(`/v1/api-keys/${made.json.id}`)).status, 404);
  const next = newWallet();
  assert.equal(
    (await user.post("/v1/wallet/session-key", { public_key: next.publicKey })).status,
    200,
  );
  const replaced = await front.send("GET", "/api/v3/account", {}, { key });
  assert.deepEqual([replaced.status, replaced.json.code], [401, -2015]);
  const again = await user.post("/v1/wallet/session-key", { public_key: wallet.publicKey });
  const revived = { ...key, value: again.json.key };
  assert.equal((await front.send("GET", "/api/v3/account", {}, { key: revived })).status, 200);
  await user.post("/v1/wallet/logout");
  const dead = await front.send("GET", "/api/v3/account", {}, { key: revived });
  assert.deepEqual([dead.status, dead.json.code], [401, -2015]);
  const bad = client();
  await bad.login();
  const unsound = await bad.post("/v1/wallet/session-key", { public_key: "AQ==" });
  assert.equal(unsound.status, 400);
});

test("SES-10 the seventeenth login ends the first session", async () => {
  front.advance(60_000);
  const wallet = newWallet();
  const first = client();
  await first.login(wallet);
  for (let more = 0; more < 15; more++) await client().login(wallet);
  assert.equal((await first.get("/v1/api-keys")).status, 200);
  await client().login(wallet);
  assert.equal((await first.get("/v1/api-keys")).text, "invalid session");
});

test("SES-11 each address has a limit on logins, which limits nothing else", async () => {
  front.advance(60_000);
  const requested = { public_key: newWallet().publicKey };
  for (let more = 0; more < loginsPerMinute; more++) {
    assert.equal((await client().post("/v1/wallet/challenge", requested)).status, 200);
  }
  const limited = await client().post("/v1/wallet/challenge", requested);
  assert.deepEqual([limited.status, limited.json], [429, { error: "too many requests" }]);
  assert.equal((await client().post("/v1/wallet/verify", {})).status, 429);
  assert.equal((await client().get("/v1/api-keys")).status, 401);
  front.advance(60_000);
  assert.equal((await client().post("/v1/wallet/challenge", requested)).status, 200);
});

test("SES-13 a session has the limits of a standard key", async () => {
  front.advance(60_000);
  const user = client();
  await user.login();
  for (let more = 0; more < 59; more++) {
    assert.equal((await user.post("/v1/api-keys", { label: 5 })).status, 422);
  }
  assert.equal((await user.post("/v1/api-keys", { label: 5 })).status, 422);
  const limited = await user.post("/v1/api-keys", { label: 5 });
  assert.deepEqual([limited.status, limited.text], [429, "too many requests"]);
});

test("SES-20 a session whose time is over cannot be ended, even before the venue has closed it", async () => {
  const wallet = newWallet();
  const [first, second] = [client(), client()];
  const { json: login } = await first.login(wallet);
  front.advance(60_000);
  await second.login(wallet);
  const [, { id }] = (await second.get("/v1/wallet/sessions")).json.sessions;
  front.advance(Date.parse(login.expires_at) - front.nowUs() / 1000);
  assert.equal((await second.get("/v1/wallet/sessions")).json.sessions.length, 1);
  assert.equal((await second.delete(`/v1/wallet/sessions/${id}`)).status, 404);
});
