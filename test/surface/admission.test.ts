// Proves for every client of the HTTP surfaces how requests are admitted: the order of the checks, signatures in query
// and body, keys and their states, limits, deadlines, and malformed HTTP.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  AccountFlag,
  AccountType,
  KeyPermission,
  KeyType,
  RateTier,
} from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { until } from "../epochs/epoch-waits.ts";
import { ed25519Sign, FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open({ trustedProxies: ["127.0.0.0/8"] });
  key = await front.newTrader();
});
after(() => front.close());

const account = "/api/v3/account";
const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
const figures = { quantity: "100", price: "0.2" };

function assertFault(
  answer: { status: number; json: unknown },
  status: number,
  code: number,
): void {
  const body = answer.json as { code: number; msg: string };
  assert.deepEqual([answer.status, body.code], [status, code]);
  assert.deepEqual(Object.keys(body), ["code", "msg"]);
}

test("AUT-1 AUT-6 AUT-7 AUT-8 AUT-9 AUT-11 AUT-14 ERR-1 ERR-3 ERR-5 CNF-1 the checks come in this order: key form, presence, key, window, signature", async () => {
  const nowMs = Math.floor(front.nowUs() / 1000);
  const get = (query: string, value?: string) =>
    front.fetch(
      `${account}?${query}`,
      value === undefined ? {} : { headers: { "X-MBX-APIKEY": value } },
    );
  assertFault(await get(""), 400, -2014);
  assertFault(await get("", "short"), 400, -2014);
  assertFault(await get("", `${"x".repeat(63)}-`), 400, -2014);
  const unknown = "x".repeat(64);
  assertFault(await get("", unknown), 400, -1102);
  assertFault(await get("signature=aa", unknown), 400, -1102);
  assertFault(await get("timestamp=1", unknown), 400, -1102);
  assertFault(await get("timestamp=1&signature=aa", unknown), 401, -2015);
  assertFault(await get("timestamp=1&signature=aa", key.value), 401, -1021);
  assertFault(await get(`timestamp=${nowMs}&signature=aa`, key.value), 401, -1022);
  assertFault(await get(`timestamp=${nowMs}&${"0f".repeat(32)}`, key.value), 401, -1022);
  assertFault(await front.send("GET", account, { recvWindow: "soon" }, { key }), 400, -1100);
  assert.equal((await front.send("GET", account, {}, { key })).status, 200);
});

test("AUT-14 ERR-10 a frozen account is refused before its order's parameters are read", async () => {
  const frozen = await front.newTrader();
  front.venue.setFlags(frozen.account, AccountFlag.frozen);
  for (const path of ["/api/v3/order", "/fapi/v1/order"]) {
    const answer = await front.send("POST", path, { symbol: "NOTHING" }, { key: frozen });
    assertFault(answer, 422, -2010);
    assert.match(answer.json.msg, /^Account is frozen/);
    assertFault(await front.send("DELETE", path, {}, { key: frozen }), 400, -1102);
  }
});

test("AUT-14 ERR-46 an account that is not enrolled is refused first on spot, but can trade perpetuals", async () => {
  front.venue.done({ kind: CommandKind.openAccount, accountType: AccountType.wallet });
  const member = await front.newKey(front.state.accounts.next - 1);
  assertFault(await front.send("POST", "/api/v3/order", {}, { key: member }), 422, -2012);
  assertFault(await front.send("POST", "/fapi/v1/order", {}, { key: member }), 400, -1102);
});

test("AUT-12 AUT-13 CNF-4 a timestamp may be 999 ms ahead but not 1000, and recvWindow is 5 s by default and 60 s at most", async () => {
  const at = async (age: number, recvWindow?: number) => {
    const timestamp = Math.floor(front.nowUs() / 1000) - age;
    const more = recvWindow === undefined ? {} : { recvWindow };
    const terms = { symbol: "CC-USDC", timestamp, ...more };
    return (await front.send("GET", "/api/v3/openOrders", terms, { key })).status;
  };
  assert.equal(await at(-999), 200);
  assert.equal(await at(-1000), 401);
  assert.equal(await at(5000), 200);
  assert.equal(await at(5001), 401);
  assert.equal(await at(60_000, 60_000), 200);
  assert.equal(await at(0, 60_001), 401);
  assert.equal(await at(7, 7.125), 200);
  assert.equal(await at(8, 7.999), 401);
});

test("AUT-3 CNF-2 CNF-3 an order may be in query, body or both, whatever the content type says", async () => {
  const sent = async (query: string, body: string, type?: string) => {
    const headers: Record<string, string> = { "X-MBX-APIKEY": key.value };
    if (type !== undefined) headers["Content-Type"] = type;
    const target = `/api/v3/order${query === "" ? "" : `?${query}`}`;
    return front.fetch(target, {
      method: "POST",
      headers,
      ...(body !== "" && { body: Buffer.from(body) }),
    });
  };
  const types = ["application/x-www-form-urlencoded", "application/json", "text/plain", undefined];
  for (const type of types) {
    const pairs = { ...order, ...figures, timestamp: Math.floor(front.nowUs() / 1000) };
    const text = new URLSearchParams(
      Object.entries(pairs).map(([k, v]): [string, string] => [k, String(v)]),
    ).toString();
    const [head, tail] = [
      text.slice(0, text.indexOf("&quantity")),
      text.slice(text.indexOf("quantity")),
    ];
    assert.equal((await sent(`${text}&signature=${key.sign(text)}`, "", type)).status, 200);
    assert.equal((await sent("", `${text}&signature=${key.sign(text)}`, type)).status, 200);
    assert.equal(
      (await sent(head, `${tail}&signature=${key.sign(head + tail)}`, type)).status,
      200,
    );
    assertFault(
      await sent(head, `${tail}&signature=${key.sign(`${head}&${tail}`)}`, type),
      401,
      -1022,
    );
  }
  const cancelled = await front.send(
    "DELETE",
    "/api/v3/openOrders",
    { symbol: "CC-USDC" },
    { key, isForm: true },
  );
  assert.equal(cancelled.json.length, 12);
});

test("AUT-28 AUT-31 a signature stays valid only for the same border between query and body", async () => {
  const signer = await front.newTrader();
  const headers = { "X-MBX-APIKEY": signer.value };
  const fields = { ...order, quantity: "2000", price: "0.2", recvWindow: 9000 };
  const stamp = { timestamp: Math.floor(front.nowUs() / 1000) };
  const pairs = Object.entries({ ...fields, ...stamp });
  const text = pairs.map(([name, value]) => `${name}=${value}`).join("&");
  const signature = `signature=${signer.sign(text)}`;
  const { seq } = front.state;
  const moved = async (method: string, path: string, signed: string, cut: number) => {
    const body = signed.slice(cut);
    const query = `${signed.slice(0, cut)}&signature=${signer.sign(signed)}`;
    return front.fetch(`${path}?${query}`, { method, headers, body });
  };
  const cutAt = text.indexOf("2000") + 3;
  const cut = await moved("POST", "/api/v3/order", text, cutAt);
  assertFault(cut, 400, -1100);
  assert.equal(
    cut.json.msg,
    "Parameter 'quantity' is cut in two; query and body must each hold whole name=value pairs.",
  );
  for (let at = 1; at < text.length; at++) {
    const isWhole = text[at] === "&" || text[at - 1] === "&";
    if (!isWhole) assertFault(await moved("POST", "/api/v3/order", text, at), 400, -1100);
  }
  // Move the border between query and body. The signature covers both as one text and still matches, but the client
  // order id would be shorter and another order would be cancelled.
  const mixed = "symbol=CC-USDC&origClientOrderId=abcrecvWindow=9000&timestamp=";
  const cancel = mixed + stamp.timestamp;
  const shifted = await moved("DELETE", "/api/v3/order", cancel, mixed.indexOf("crecv"));
  assertFault(shifted, 400, -1100);
  assert.equal(front.state.seq, seq, "The request must change nothing");
  const signed = mixed.indexOf("recvWindow");
  assertFault(await moved("DELETE", "/api/v3/order", cancel, signed), 422, -2011);
  const whole = await front.fetch(`/api/v3/order?${text}&${signature}`, {
    method: "POST",
    headers,
  });
  assert.deepEqual([whole.status, whole.json.origQty], [200, "2000.0"]);
});

test("AUT-15 public routes ignore the API key header", async () => {
  for (const value of ["", "nonsense", key.value]) {
    const answer = await front.fetch("/api/v3/ping", { headers: { "X-MBX-APIKEY": value } });
    assert.equal(answer.text, "{}");
  }
});

test("AUT-2 Ed25519 keys sign requests; another key's signature is refused", async () => {
  const { ed25519 } = JSON.parse(readFileSync("test/vectors/signing.json", "utf8"));
  const [vector] = ed25519;
  const owner = await front.newKey(key.account, {
    keyType: KeyType.ed25519,
    publicKey: vector.publicKey,
  });
  const signed = { ...owner, sign: (text: string) => ed25519Sign(vector.privateKeyPkcs8, text) };
  assert.equal((await front.send("GET", account, {}, { key: signed })).status, 200);
  const wrong = { ...signed, sign: (text: string) => signed.sign(`${text}x`) };
  assertFault(await front.send("GET", account, {}, { key: wrong }), 401, -1022);
});

test("AUT-10 AUT-16 permissions, address lists and revocation answer -2015", async () => {
  const reader = await front.newKey(key.account, { permissions: KeyPermission.read });
  assert.equal((await front.send("GET", account, {}, { key: reader })).status, 200);
  assertFault(
    await front.send("POST", "/api/v3/order", { ...order, ...figures }, { key: reader }),
    401,
    -2015,
  );
  const homebound = await front.newKey(key.account, { allowedRanges: ["192.0.2.0/24"] });
  assertFault(await front.send("GET", account, {}, { key: homebound }), 401, -2015);
  const headers = { "X-Forwarded-For": "203.0.113.9, 192.0.2.77" };
  assert.equal((await front.send("GET", account, {}, { key: homebound, headers })).status, 200);
  const spoofed = { "X-Forwarded-For": "192.0.2.77, 203.0.113.9" };
  assertFault(
    await front.send("GET", account, {}, { key: homebound, headers: spoofed }),
    401,
    -2015,
  );
  front.venue.done({
    kind: CommandKind.changeKey,
    account: key.account,
    keyId: reader.keyId,
    tier: RateTier.standard,
    permissions: KeyPermission.read,
    expects: 0,
    isRevoked: true,
  });
  assertFault(await front.send("GET", account, {}, { key: reader }), 401, -2015);
});

test("a request with a newly registered key waits until the key is loaded", async () => {
  let open = () => {};
  front.keys.gate = new Promise((resolve) => {
    open = resolve;
  });
  const early = await front.newKey(key.account);
  const answer = front.send("GET", account, {}, { key: early });
  assert.equal(await Promise.race([answer.then(() => "answered"), wait(80, "waiting")]), "waiting");
  open();
  front.keys.gate = null;
  assert.equal((await answer).status, 200);
});

test("a key that could not be loaded works once the database is back", async () => {
  front.keys.failures = Number.POSITIVE_INFINITY;
  const late = await front.newKey(key.account);
  assertFault(await front.send("GET", account, {}, { key: late }), 401, -2015);
  front.keys.failures = 0;
  const answered = async () => (await front.send("GET", account, {}, { key: late })).status;
  await until("the key works", async () => ((await answered()) === 200 ? true : null));
});

test("ERR-13 unknown paths get 404 -5000 and wrong methods 405, and /v1 answers in plain text", async () => {
  assertFault(await front.send("GET", "/api/v3/nothing"), 404, -5000);
  assertFault(await front.send("GET", "/fapi/v1/order/"), 404, -5000);
  assertFault(await front.send("POST", "/api/v3/ping"), 405, -5000);
  assertFault(await front.send("PATCH", "/compat/api/v3/order"), 405, -5000);
  const answer = await front.send("PUT", "/api/v3/order");
  assert.equal(answer.json.msg, "Path /api/v3/order, Method PUT is invalid");
  assert.equal(answer.headers.get("allow"), "POST, GET, DELETE, HEAD, OPTIONS");
  for (const method of ["PATCH", "PUT"]) {
    const { json, status } = await front.send(method, "/api/v3/order");
    assert.equal(status, 405);
    assert.equal(json.msg, `Path /api/v3/order, Method ${method} is invalid`);
  }
  const native = await front.send("GET", "/v1/nothing");
  assert.deepEqual([native.status, native.text], [404, "not found"]);
  const put = await front.send("PUT", "/v1/orders");
  assert.deepEqual(
    [put.status, put.text, put.headers.get("allow")],
    [405, "method not allowed", "POST, DELETE, OPTIONS"],
  );
  const one = await front.send("PUT", "/v1/orders/x");
  assert.equal(one.headers.get("allow"), "DELETE, OPTIONS");
  assert.equal((await front.send("POST", "/compat/fapi/v1/nothing")).status, 404);
});

test("HTP-7 a WebSocket frame without a mask is not executed", async () => {
  const handshake = [
    "GET /compat/ws HTTP/1.1",
    "Host: x",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "\r\n",
  ].join("\r\n");
  const requested = Buffer.from('{"method":"SUBSCRIBE","params":["ccusdc@trade"],"id":77}');
  const mask = Buffer.from([1, 2, 3, 4]);
  const masked = requested.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  const answerTo = async (frame: readonly Uint8Array[], waitMs: number) => {
    const socket = connect(Number(new URL(front.base).port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      // Send a frame only after the server has answered the handshake.
      if (text.endsWith("\r\n\r\n")) socket.write(Buffer.concat(frame));
    });
    socket.on("error", () => {});
    socket.write(handshake);
    await until("the handshake", async () => (text.includes("\r\n\r\n") ? text : null));
    const endMs = performance.now() + waitMs;
    while (!text.includes('"id"') && !socket.closed && performance.now() < endMs) await wait(10);
    socket.destroy();
    return text;
  };
  const length = requested.length;
  const sound = await answerTo([Buffer.from([0x81, 0x80 | length]), mask, masked], 60_000);
  assert.match(sound, /"id":77/, "The same frame with a mask must be executed");
  const bare = [Buffer.from([0x81, length]), requested];
  for (const frames of [bare, [...bare, ...bare, ...bare]]) {
    const told = await answerTo(frames, 1_000);
    assert.match(told, /^HTTP\/1\.1 101 /);
    assert.doesNotMatch(told, /"id":77|"result"/);
  }
});

test("ERR-16 a body over 1 MiB gets 413, with or without its length in a header, and a body of exactly 1 MiB is read", async () => {
  const target = "/api/v3/order";
  const headers = { "X-MBX-APIKEY": key.value };
  const post = (bytes: number) =>
    front.fetch(target, { method: "POST", headers, body: Buffer.alloc(bytes, "a") });
  assertFault(await post(2 ** 20 + 1), 413, -1101);
  assertFault(await post(2 ** 20), 400, -1102);
  const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`;
  const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
  assert.match(await front.raw(`${head}${chunk.repeat(17)}0\r\n\r\n`), /^HTTP\/1\.1 413 /);
});

test("bytes that are not UTF-8 are refused in query and body", async () => {
  const get = "GET /api/v3/depth?symbol=CC\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n";
  assert.match(await front.raw(get), /^HTTP\/1\.1 400 [\s\S]*"code":-1100/);
  const post = `POST /api/v3/order HTTP/1.1\r\nHost: x\r\nX-MBX-APIKEY: ${key.value}\r\nContent-Length: 4\r\n\r\na=\xff\xfe`;
  assert.match(await front.raw(post), /^HTTP\/1\.1 400 [\s\S]*"code":-1100/);
});

test("LIM-1 LIM-2 LIM-4 LIM-5 LIM-7 ERR-8 CNF-15 used weight is reported with 200, 4xx and 429, and spot and FAPI share one counter", async () => {
  const fresh = await front.newKey(key.account);
  const used = async (method: string, path: string, parameters = {}) => {
    const answer = await front.send(method, path, parameters, { key: fresh });
    return [answer.status, Number(answer.headers.get("x-mbx-used-weight-1m"))];
  };
  assert.deepEqual(await used("GET", account), [200, 10]);
  assert.deepEqual(await used("GET", "/fapi/v2/balance"), [200, 15]);
  assert.deepEqual(
    await used("GET", "/api/v3/order", { symbol: "CC-USDC", orderId: 999_999 }),
    [422, 17],
  );
  for (let weight = 57; weight <= 1177; weight += 40) {
    assert.deepEqual(await used("GET", "/api/v3/openOrders"), [200, weight]);
  }
  assert.deepEqual(await used("GET", "/fapi/v1/openOrders"), [429, 1177]);
  const refused = await front.send("GET", "/api/v3/openOrders", {}, { key: fresh });
  assertFault(refused, 429, -1003);
  assert.equal(
    refused.json.msg,
    "Too many requests; current limit is 1200 request weight per 1 MINUTE.",
  );
  assert.equal(refused.headers.get("retry-after"), null);
  front.advance(60_000);
  assert.deepEqual(await used("GET", account), [200, 10]);
});

test("LIM-4 used weight is reported for requests that reach no route because they are too large, malformed or unknown", async () => {
  const body = Buffer.alloc(2 ** 20 + 1, "a");
  const answers = [
    await front.fetch("/api/v3/order", { method: "POST", body }),
    await front.fetch("/fapi/v1/klines?symbol=BTCUSDT&symbol=BTCUSDT&interval=1m"),
    await front.fetch("/api/v3/nothing"),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.has("x-mbx-used-weight-1m")]),
    [
      [413, true],
      [400, true],
      [404, true],
    ],
  );
});

test("LIM-4 LIM-6 ERR-8 CNF-16 the 51st order in 10 s gets 429 -1003, and cancels are not limited", async () => {
  const fresh = await front.newKey(key.account);
  const place = () => front.send("POST", "/api/v3/order", { ...order, ...figures }, { key: fresh });
  for (let count = 1; count <= 50; count++) {
    const answer = await place();
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("x-mbx-order-count-10s"), String(count));
    assert.equal(answer.headers.get("x-mbx-order-count-1m"), String(count));
  }
  const refused = await place();
  assertFault(refused, 429, -1003);
  assert.equal(refused.json.msg, "Too many requests; current limit is 50 orders per 10 SECOND.");
  assert.equal(refused.headers.get("x-mbx-order-count-10s"), "50");
  const cancelled = await front.send(
    "DELETE",
    "/api/v3/openOrders",
    { symbol: "CC-USDC" },
    { key: fresh },
  );
  assert.equal(cancelled.json.length, 50);
  front.advance(10_000);
  assert.equal((await place()).status, 200);
});

test("LIM-3 LIM-10 public weight is counted per client address, also through trusted proxies", async () => {
  const depth = (address: string) =>
    front.fetch("/api/v3/depth?symbol=CC-USDC&limit=5000", {
      headers: { "X-Forwarded-For": address },
    });
  for (let used = 50; used <= 6000; used += 50) {
    const answer = await depth("198.51.100.1");
    assert.equal(answer.headers.get("x-mbx-used-weight-1m"), String(used));
  }
  assertFault(await depth("198.51.100.1"), 429, -1003);
  assert.equal((await depth("198.51.100.2")).status, 200);
});

test("LIM-10 the header line that a trusted proxy adds counts, not the line that its client sent", async () => {
  const lines = "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.9\r\n";
  const answer = await front.raw(`GET /metrics HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
  assert.match(answer, /^HTTP\/1\.1 403 /);
});

test("OPS-6 OPS-7 everybody may read health, and only this machine and trusted networks may read metrics", async () => {
  const health = await front.fetch("/health");
  const shown = ["status", "seq", "committed_seq", "lag_ms", "solvency"];
  assert.deepEqual(Object.keys(health.json), shown);
  const metrics = await front.fetch("/metrics");
  assert.match(metrics.text, /rialto_front_open_orders\{front="front 7"\} \d+/);
  assert.match(metrics.text, /rialto_journal_groups 3/);
  const outside = await front.fetch("/metrics", { headers: { "X-Forwarded-For": "203.0.113.9" } });
  assert.equal(outside.status, 403);
  const stranger = { headers: { "X-Forwarded-For": "203.0.113.9" } };
  assert.equal((await front.fetch("/metrics?recent", stranger)).status, 403);
});

test("LIM-8 ERR-14 a full ring and a draining front answer 503 before anything was done", async () => {
  const { seq } = front.state;
  front.isFull = true;
  const place = () => front.send("POST", "/api/v3/order", { ...order, ...figures }, { key });
  const refused = await place();
  assertFault(refused, 503, -1008);
  assert.equal(refused.json.msg, "Request was not executed; resend with the same client order id.");
  assertFault(
    await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key }),
    503,
    -1008,
  );
  front.isFull = false;
  assert.equal(front.state.seq, seq);
  assert.equal((await place()).status, 200);
});

test("ERR-15 a request without a reply gets 408 at the deadline, and its order can be found later", async (t) => {
  const late = await FrontFixture.open({ deadlineMs: 200 });
  t.after(() => late.close());
  const trader = await late.newTrader();
  late.isHolding = true;
  const sent = late.send(
    "POST",
    "/api/v3/order",
    { ...order, ...figures, newClientOrderId: "late" },
    { key: trader },
  );
  await until("the held order", async () => late.held[0] ?? null);
  late.advance(199);
  assert.equal(await Promise.race([sent.then(() => "answered"), wait(120, "waiting")]), "waiting");
  const query = { symbol: "CC-USDC", origClientOrderId: "late" };
  late.advance(1);
  assertFault(await sent, 408, -1007);
  const found = late.send("GET", "/api/v3/order", query, { key: trader });
  await until("the held cancel", async () => late.held[1] ?? null);
  late.venue.nowUs -= 200_000;
  late.release();
  assert.equal((await found).json.status, "NEW");
  await late.gateway.drain();
  assertFault(
    await late.send("POST", "/api/v3/order", { ...order, ...figures }, { key: trader }),
    503,
    -1008,
  );
  assert.equal((await late.send("GET", "/api/v3/order", query, { key: trader })).status, 200);
});

test("a draining front waits for the requests it has sent", async (t) => {
  const leaving = await FrontFixture.open();
  t.after(() => leaving.close());
  const trader = await leaving.newTrader();
  leaving.isHolding = true;
  const sent = leaving.send("POST", "/api/v3/order", { ...order, ...figures }, { key: trader });
  await until("the held order", async () => leaving.held[0] ?? null);
  const drained = leaving.gateway.drain();
  assert.equal(await Promise.race([drained.then(() => "drained"), wait(50, "waiting")]), "waiting");
  leaving.release();
  await drained;
  assert.equal((await sent).status, 200);
});
