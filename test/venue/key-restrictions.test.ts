// Proves on a whole venue with two fronts how a member changes the permissions and the expiry of an API key over HTTP: a
// session restricts it, only the wallet widens it. A change applies at once to requests, order sessions and streams, and
// is durable.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { until } from "../epochs/epoch-waits.ts";
import { type Frame, StreamClient } from "../streams/stream-client.ts";
import {
  type NativeAnswer,
  NativeClient,
  newWallet,
  signText,
  type Wallet,
} from "../support/client/native-client.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ FRONT_THREADS: "2" });
});
after(() => fixture.close());

interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

interface Restrictions {
  readonly permissions: readonly string[];
  readonly allowed_addresses: readonly string[];
  readonly expires_at?: string | null;
}

const anywhere: Restrictions = { permissions: ["READ", "TRADE"], allowed_addresses: [] };
const reading: Restrictions = { permissions: ["READ"], allowed_addresses: [] };
const elsewhere: Restrictions = { ...anywhere, allowed_addresses: ["192.0.2.0/24"] };
const loopback: Restrictions = { ...anywhere, allowed_addresses: ["127.0.0.0/8", "::1"] };
const list = { symbol: "CC-USDC", side: "BUY" };
const order = { ...list, type: "LIMIT", timeInForce: "GTC" };

/** A logged-in member with a wallet and a key. */
class Member {
  readonly wallet: Wallet = newWallet();
  readonly user = new NativeClient(fixture.address);
  key: MadeKey = { id: "", key: "", secret: "" };

  static async open(): Promise<Member> {
    const member = new Member();
    await member.user.login(member.wallet);
    member.key = (await member.user.post("/v1/api-keys", { label: "desk" })).json as MadeKey;
    return member;
  }

  get path(): string {
    return `/v1/api-keys/${this.key.id}/restrictions`;
  }

  put(body: object): Promise<NativeAnswer> {
    return this.user.send("PUT", this.path, JSON.stringify(body));
  }

  /** Returns the wallet's signature of the challenge for a change. */
  async proof(change: Restrictions): Promise<{ nonce: string; signature: string }> {
    const { status, json, text } = await this.user.post(`${this.path}/challenge`, change);
    assert.equal(status, 200, text);
    const lines: readonly string[] = json.message.split("\n");
    assert.ok(lines.includes(`Venue: ${new URL(fixture.address).host}`), json.message);
    return { nonce: json.nonce, signature: signText(this.wallet, json.message) };
  }

  async widen(change: Restrictions): Promise<NativeAnswer> {
    return this.put({ ...change, ...(await this.proof(change)) });
  }

  async shown(): Promise<Restrictions> {
    const { json } = await this.user.get(this.path);
    return { permissions: json.permissions, allowed_addresses: json.allowed_addresses };
  }

  /**
   * Returns two error codes: of a read of the account, and of an order that fails only because its value is too small.
   * Repeats both requests, so that both fronts answer, and asserts that the codes stay the same.
   */
  async codes(): Promise<readonly [number, number]> {
    const call = async (
      method: "GET" | "POST",
      path: string,
      parameters: Record<string, string>,
    ) => {
      const answer = await signedFetch(fixture.address, this.key, { method, path, parameters });
      return (answer.json as { code?: number }).code ?? answer.status;
    };
    const terms = { ...order, price: "0.1", quantity: "0.1" };
    const both = new Set<string>();
    for (let again = 0; again < 4; again++) {
      const read = await call("GET", "/api/v3/account", {});
      both.add(`${read} ${await call("POST", "/api/v3/order", terms)}`);
    }
    assert.equal(both.size, 1, `The two fronts gave different answers: ${[...both]}`);
    const [read = 0, trade = 0] = ([...both][0] ?? "").split(" ").map(Number);
    return [read, trade];
  }
}

const unsigned =
  "the change adds rights to the key: send the nonce and the wallet's signature of the message from restrictions/challenge";

/** Error code of an order with too little value: only a key that may trade gets this refusal. */
const mayTrade = -1013;
const mayNot = -2015;

test("KEY-9 KEY-10 KEY-11 a session restricts a key, effective at once on both fronts", async () => {
  const member = await Member.open();
  assert.deepEqual(await member.shown(), anywhere);
  assert.deepEqual(await member.codes(), [200, mayTrade]);
  const narrowed = await member.put(reading);
  assert.deepEqual(narrowed.json, { id: member.key.id, ...reading, expires_at: null });
  assert.deepEqual(await member.codes(), [200, mayNot]);
  const other = await Member.open();
  assert.equal((await other.put(loopback)).status, 200);
  assert.deepEqual(await other.codes(), [200, mayTrade]);
  const within = { ...anywhere, allowed_addresses: ["127.0.0.2/31", "::1"] };
  assert.equal((await other.put(within)).status, 200);
  assert.deepEqual(await other.codes(), [mayNot, mayNot]);
  assert.deepEqual(await other.shown(), within);
});

test("KEY-10 KEY-14 widening a key needs the wallet's signature of exactly this change, which can be used once", async () => {
  const member = await Member.open();
  await member.put({ permissions: ["READ"], allowed_addresses: ["127.0.0.1"] });
  const initial = await member.shown();
  const wider: readonly Restrictions[] = [
    { ...initial, permissions: ["READ", "TRADE"] },
    { ...initial, allowed_addresses: [] },
    { ...initial, allowed_addresses: ["127.0.0.1", "192.0.2.7"] },
    { ...initial, allowed_addresses: ["127.0.0.0/8"] },
    { ...initial, allowed_addresses: ["::1"] },
    { permissions: ["TRADE"], allowed_addresses: ["127.0.0.1"] },
    { permissions: ["READ", "TRANSFER"], allowed_addresses: ["127.0.0.1"] },
  ];
  for (const change of wider) {
    const { status, text } = await member.put(change);
    assert.deepEqual([status, text], [403, unsigned], JSON.stringify(change));
  }
  const [change = anywhere, more = anywhere] = wider;
  const login = async () => {
    const requested = { public_key: member.wallet.publicKey };
    const { nonce, message } = (await member.user.post("/v1/wallet/challenge", requested)).json;
    return { nonce, signature: signText(member.wallet, message) };
  };
  const good = await member.proof(change);
  const stranger = await Member.open();
  const refused = [
    await login(),
    await member.proof(more),
    { ...(await member.proof(change)), signature: signText(newWallet(), "x") },
    {
      nonce: good.nonce.replace(/^./, (first) => (first === "A" ? "B" : "A")),
      signature: good.signature,
    },
    await stranger.proof(change),
  ];
  for (const proof of refused) {
    const { status, text } = await member.put({ ...change, ...proof });
    assert.deepEqual([status, text], [401, "invalid nonce or signature"]);
  }
  assert.deepEqual(await member.shown(), initial);
  const widened = await member.put({ ...change, ...good });
  assert.deepEqual([widened.status, await member.shown()], [200, change], widened.text);
  assert.equal(
    (await member.put({ ...change, ...good })).status,
    401,
    "A nonce must be usable only once",
  );
  assert.deepEqual(await member.codes(), [200, mayTrade]);
});

test("KEY-10 KEY-14 a wallet's signature for a key opens no session", async () => {
  const member = await Member.open();
  const proof = await member.proof(anywhere);
  const login = { public_key: member.wallet.publicKey, ...proof };
  const { status } = await new NativeClient(fixture.address).post("/v1/wallet/verify", login);
  assert.equal(status, 401);
});

test("KEY-9 KEY-13 keys of others, revoked ones and session keys are not found", async () => {
  const [member, thief] = [await Member.open(), await Member.open()];
  const { publicKey } = newWallet();
  const session = await member.user.post("/v1/wallet/session-key", { public_key: publicKey });
  const theirs = `/v1/api-keys/${member.key.id}/restrictions`;
  const own = `/v1/api-keys/${session.json.id}/restrictions`;
  await thief.user.delete(`/v1/api-keys/${thief.key.id}`);
  const body = JSON.stringify(reading);
  for (const path of [theirs, `/v1/api-keys/${thief.user.userId}/restrictions`, thief.path]) {
    for (const answer of [
      await thief.user.get(path),
      await thief.user.send("PUT", path, body),
      await thief.user.post(`${path}/challenge`, reading),
    ])
      assert.deepEqual([answer.status, answer.text], [404, "API key not found"]);
  }
  assert.equal((await member.user.send("PUT", own, body)).status, 404);
  assert.equal((await member.user.get("/v1/api-keys/12/restrictions")).status, 400);
  assert.equal((await new NativeClient(fixture.address).get(theirs)).status, 401);
  assert.deepEqual(await member.shown(), anywhere);
});

test("KEY-9 KEY-13 a change that conflicts with another one changes nothing", async () => {
  const member = await Member.open();
  const own = openPostgres(fixture.database.options, "queries");
  const late = await own.begin(async (other) => {
    await other`update api_keys set allowed_ranges = '{192.0.2.1}' where api_key = ${member.key.key}`;
    // The venue reads the row as it was before this uncommitted change, and then waits for the lock of the row.
    const requested = member.put(loopback);
    await until("the request waits", async () => {
      const waiting = await fixture.venue.database.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length > 0 || null;
    });
    return { asked: requested };
  });
  const { status, text } = await late.asked;
  const detail = "the key was changed by another request: read its restrictions again";
  assert.deepEqual([status, text], [409, detail]);
  assert.deepEqual((await member.shown()).allowed_addresses, ["192.0.2.1"]);
  await own.end();
});

test("KEY-9 invalid restrictions are refused with the field's name and change nothing", async () => {
  const member = await Member.open();
  const permissions =
    "permissions must be one or more of READ, TRADE, TRADE_SPOT, TRADE_PERPETUAL, TRANSFER, WITHDRAW";
  const expiry = "expires_at must be null or a future time such as 2030-01-31T12:00:00Z";
  const addresses = "allowed_addresses must be at most 20 addresses or ranges";
  const named = (range: string) =>
    `allowed_addresses: "${range}" is no address or range, such as 192.0.2.7 or 10.0.0.0/8`;
  const many = Array.from({ length: 21 }, (_, index) => `192.0.2.${index}`);
  const rows: readonly (readonly [object, number, string])[] = [
    [{}, 422, "missing field: permissions"],
    [{ permissions: ["READ"] }, 422, "missing field: allowed_addresses"],
    [{ ...reading, permissions: "READ" }, 422, "wrong type of field: permissions"],
    [{ ...reading, permissions: [1] }, 422, "wrong type of field: permissions"],
    [{ ...reading, allowed_addresses: null }, 422, "wrong type of field: allowed_addresses"],
    [{ ...reading, nonce: 1 }, 422, "wrong type of field: nonce"],
    [{ ...reading, markets: [] }, 422, "unknown field: markets"],
    [{ ...reading, expires_at: 1 }, 422, "wrong type of field: expires_at"],
    ...[
      "",
      "soon",
      "2020-01-01T00:00:00Z",
      "2030-01-01",
      "2030-13-01T00:00:00Z",
      "2030-02-30T00:00:00Z",
      "2101-01-01T00:00:00Z",
    ].map((time) => [{ ...reading, expires_at: time }, 400, expiry] as const),
    ...[[], ["ALL"]].map((few) => [{ ...reading, permissions: few }, 400, permissions] as const),
    ...["", "x", "192.0.2.0/33", "192.0.2.0/", "10.0.0.0/8/8", "fe80::1%eth0", "{}", "::/-1"].map(
      (range) => [{ ...reading, allowed_addresses: ["::1", range] }, 400, named(range)] as const,
    ),
    [{ ...reading, allowed_addresses: many }, 400, addresses],
    [{ ...reading, nonce: "x" }, 400, "nonce and signature must be sent together"],
    [{ ...reading, signature: "x" }, 400, "nonce and signature must be sent together"],
    [{ ...reading, nonce: "", signature: "" }, 401, "invalid nonce or signature"],
  ];
  for (const [body, status, detail] of rows) {
    const answer = await member.put(body);
    assert.deepEqual([answer.status, answer.text], [status, detail], JSON.stringify(body));
  }
  assert.deepEqual(await member.shown(), anywhere);
});

/** Sends a request over an order session; if a key is given, signs the parameters sorted by name. */
async function call(client: StreamClient, method: string, own?: MadeKey, more: object = {}) {
  const id = client.frames.length + 1;
  const timed: Record<string, unknown> = { ...more, recvWindow: 60_000, timestamp: Date.now() };
  if (own !== undefined) {
    timed["apiKey"] = own.key;
    const text = Object.keys(timed)
      .sort()
      .map((name) => `${name}=${timed[name]}`)
      .join("&");
    timed["signature"] = createHmac("sha256", own.secret).update(text).digest("hex");
  }
  client.send({ id: `${method}-${id}`, method, params: timed });
  return client.next((frame: Frame) => frame.id === `${method}-${id}`);
}

test("KEY-11 KEY-15 a change applies to an open session, and streams that may no longer be read end", async () => {
  const member = await Member.open();
  const url = `${fixture.address.replace("http", "ws")}/compat/ws-api/v3`;
  const [trading, streaming] = [await StreamClient.open(url), await StreamClient.open(url)];
  for (const client of [trading, streaming])
    assert.equal((await call(client, "session.logon", member.key)).status, 200);
  const terms = { ...order, price: "0.1", quantity: "0.1" };
  assert.equal((await call(trading, "order.place", undefined, terms)).error.code, mayTrade);
  streaming.send({ id: "user", method: "userDataStream.subscribe", params: {} });
  assert.equal((await streaming.next((frame: Frame) => frame.id === "user")).status, 200);
  await member.put(reading);
  assert.equal((await call(trading, "order.place", undefined, terms)).error.code, mayNot);
  assert.equal((await call(trading, "account.status")).status, 200);
  assert.equal(
    (await call(streaming, "account.status")).status,
    200,
    "Streams that the key may still read must continue",
  );
  await member.put({ ...reading, allowed_addresses: ["192.0.2.7"] });
  await streaming.until(() => streaming.closed !== null);
  assert.equal(streaming.closed?.reason, "the listen key of this stream has ended");
  assert.equal((await call(trading, "account.status")).error.code, mayNot);
  trading.socket.terminate();
});

test("KEY-11 KEY-15 a listen key is refused at addresses where its API key may not be used", async () => {
  const member = await Member.open();
  const made = await fetch(`${fixture.address}/compat/fapi/v1/listenKey`, {
    method: "POST",
    headers: { "X-MBX-APIKEY": member.key.key },
  });
  const { listenKey } = (await made.json()) as { listenKey: string };
  const url = `${fixture.address.replace("http", "ws")}/compat/ws`;
  const subscribed = async () => {
    const client = await StreamClient.open(url);
    client.send({ id: 1, method: "SUBSCRIBE", params: [listenKey] });
    const answer = await client.next((frame: Frame) => frame.id === 1);
    client.socket.terminate();
    return answer.error?.msg ?? null;
  };
  assert.equal(await subscribed(), null);
  await member.put(elsewhere);
  assert.equal(await subscribed(), "Invalid request: unknown listenKey");
  assert.equal((await member.widen(anywhere)).status, 200);
  assert.equal(await subscribed(), null);
});

test("KEY-10 KEY-11 the operator restricts without a signature, and every restriction survives a crash", async () => {
  const member = await Member.open();
  await member.put({ permissions: ["READ"], allowed_addresses: ["127.0.0.1"] });
  await fixture.crashAndRestart();
  const { token } = member.user;
  const after = Object.assign(new NativeClient(fixture.address), { token });
  const { json } = await after.get(member.path);
  assert.deepEqual(json, {
    id: member.key.id,
    ...{ permissions: ["READ"], allowed_addresses: ["127.0.0.1"], expires_at: null },
  });
  assert.deepEqual(await member.codes(), [200, mayNot]);
  const listed = (await fixture.operator.listKeys({ account: null, after: 0, limit: 500 })) as {
    key_id: number;
    api_key: string;
  }[];
  const keyId = listed.find(({ api_key }) => api_key === member.key.key)?.key_id ?? 0;
  await fixture.operator.allowAddresses(keyId, ["192.0.2.7"]);
  assert.deepEqual(await member.codes(), [mayNot, mayNot]);
});

test("KEY-16 a key trades only spot, only perpetuals, or only transfers, over HTTP and over a session", async () => {
  const member = await Member.open();
  const perpetual = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const requests: readonly (readonly [string, string, Record<string, string>])[] = [
    ["GET", "/api/v3/account", {}],
    ["POST", "/api/v3/order", { ...order, price: "0.1", quantity: "0.1" }],
    ["POST", "/fapi/v1/order", { ...perpetual, price: "1", quantity: "0.001" }],
    [
      "POST",
      "/compat/sapi/v1/asset/transfer",
      { type: "MAIN_FUNDING", asset: "USDC", amount: "1" },
    ],
    ["POST", "/api/v3/order/oco", { ...list, quantity: "0.1", price: "0.1", stopPrice: "0.3" }],
  ];
  /** Whether the key may make each request; a request that may be made is refused for another reason or answered. */
  const may = () =>
    Promise.all(
      requests.map(async ([method, path, parameters]) => {
        const called = { method: method as "GET" | "POST", path, parameters };
        const { json } = await signedFetch(fixture.address, member.key, called);
        return (json as { code?: number }).code !== mayNot;
      }),
    );
  assert.deepEqual(await may(), [true, true, true, true, true]);
  const url = `${fixture.address.replace("http", "ws")}/compat/ws-api/v3`;
  const session = await StreamClient.open(url);
  await call(session, "session.logon", member.key);
  const small = { ...order, price: "0.1", quantity: "0.1" };
  const rows: readonly (readonly [readonly string[], readonly boolean[]])[] = [
    [
      ["READ", "TRADE_SPOT", "TRADE_PERPETUAL"],
      [true, true, true, false],
    ],
    [
      ["READ", "TRADE_SPOT"],
      [true, true, false, false],
    ],
    [
      ["READ", "TRADE_PERPETUAL"],
      [true, false, true, false],
    ],
    [["TRANSFER"], [false, false, false, true]],
  ];
  for (const [permissions, expected] of rows) {
    const changed = await member.widen({ permissions, allowed_addresses: [] });
    assert.deepEqual(changed.json.permissions, permissions, changed.text);
    // An order list may be placed by whoever may place an order.
    assert.deepEqual(await may(), [...expected, expected[1]], permissions.join());
    const { error } = await call(session, "order.place", undefined, small);
    assert.equal(error.code, expected[1] ? mayTrade : mayNot, permissions.join());
  }
  const whole = ["READ", "TRANSFER", "TRADE_PERPETUAL", "TRADE_SPOT"];
  await member.widen({ permissions: whole, allowed_addresses: [] });
  assert.deepEqual(await member.shown(), anywhere, "the three together are TRADE");
  session.socket.terminate();
});

test("KEY-17 WITHDRAW needs a list of addresses, and an account that may withdraw", async () => {
  const member = await Member.open();
  const withdrawing = { permissions: ["READ", "WITHDRAW"], allowed_addresses: ["127.0.0.1"] };
  const bare = { ...withdrawing, allowed_addresses: [] };
  const needed = "allowed_addresses must not be empty for a key with WITHDRAW";
  for (const path of [member.path, `${member.path}/challenge`]) {
    const method = path === member.path ? "PUT" : "POST";
    const { status, text } = await member.user.send(method, path, JSON.stringify(bare));
    assert.deepEqual([status, text], [400, needed]);
  }
  assert.equal((await member.put(withdrawing)).status, 403);
  assert.equal((await member.widen(withdrawing)).status, 200);
  const rights = await signedFetch(fixture.address, member.key, {
    method: "GET",
    path: "/compat/sapi/v1/account/apiRestrictions",
    parameters: {},
  });
  const { enableWithdrawals, ipRestrict } = rights.json as Record<string, boolean>;
  assert.deepEqual([enableWithdrawals, ipRestrict], [true, true]);
  const other = await Member.open();
  await fixture.operator.access.permit(await accountOf(other), "NONE");
  const { status, text } = await other.put(withdrawing);
  assert.deepEqual([status, text], [403, "withdrawal permission denied"]);
});

/** The number of a member's account, which the operator uses. */
async function accountOf({ key }: Member): Promise<number> {
  const { sql } = fixture.venue.database;
  const [row] = await sql<{ account: number }[]>`
    select account from api_keys where api_key = ${key.key}`;
  return row?.account ?? 0;
}

test("KEY-18 a key that expires is refused, ends its streams and its logon, and can be extended before that only by the wallet", async () => {
  const member = await Member.open();
  const expires_at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const later = { ...anywhere, expires_at: expires_at(3_600_000) };
  assert.equal((await member.put(later)).json.expires_at, later.expires_at);
  assert.equal((await member.put(anywhere)).json.expires_at, later.expires_at, "absent: kept");
  for (const longer of [null, expires_at(7_200_000)])
    assert.equal((await member.put({ ...anywhere, expires_at: longer })).status, 403);
  assert.equal((await member.widen({ ...anywhere, expires_at: null })).json.expires_at, null);
  const url = `${fixture.address.replace("http", "ws")}/compat/ws-api/v3`;
  const [trading, streaming] = [await StreamClient.open(url), await StreamClient.open(url)];
  for (const client of [trading, streaming])
    assert.equal((await call(client, "session.logon", member.key)).status, 200);
  streaming.send({ id: "user", method: "userDataStream.subscribe", params: {} });
  assert.equal((await streaming.next((frame: Frame) => frame.id === "user")).status, 200);
  // On a busy machine a request may come after such a time; then the next one names a later time.
  const put = (ms: number) => member.put({ ...anywhere, expires_at: expires_at(ms) });
  for (let ms = 1_500; (await put(ms)).status !== 200; ms *= 2) assert(ms < 60_000);
  await streaming.until(() => streaming.closed !== null);
  const small = { ...order, price: "0.1", quantity: "0.1" };
  assert.equal((await call(trading, "order.place", undefined, small)).error.code, mayNot);
  assert.equal((await call(trading, "session.status")).result.apiKey, null);
  assert.deepEqual(await member.codes(), [mayNot, mayNot]);
  assert.equal((await member.user.get(member.path)).status, 404);
  const { json } = await member.user.get("/v1/api-keys?include_revoked=true");
  assert.equal(typeof json.keys[0].revoked_at, "string");
  trading.socket.terminate();
});

test("KEY-18 an expiry survives a crash", async () => {
  const member = await Member.open();
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  await member.put({ ...anywhere, expires_at });
  await fixture.crashAndRestart();
  const after = Object.assign(new NativeClient(fixture.address), { token: member.user.token });
  assert.equal((await after.get(member.path)).json.expires_at, expires_at);
});

test("KEY-10 a concurrent request does not widen a restricted key without the wallet", async () => {
  for (let round = 0; round < 8; round++) {
    const member = await Member.open();
    const [narrowed, kept] = await Promise.all([member.put(reading), member.put(anywhere)]);
    for (const { status, text } of [narrowed, kept])
      assert.match(`${status}`, /^(200|403|409)$/, text);
    const { permissions } = await member.shown();
    if (narrowed.status === 200) assert.deepEqual(permissions, ["READ"], `round ${round}`);
    else assert.equal(narrowed.status, 409, narrowed.text);
  }
});
