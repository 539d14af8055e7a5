// Proves that hostile or unlucky clients of streams do no harm. Whatever a client sends, the front keeps running and
// does no more work for it than the client did to send it. Every gap in a client's data is announced.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import { StreamClient } from "./stream-client.ts";

let front: FrontFixture;
let ws: string;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({
    isLive: true,
    connectionsPerAddressMax: 200,
    trustedProxies: ["127.0.0.1"],
  });
  ws = front.base.replace("http", "ws");
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function open(path: string, address = "198.18.0.1"): Promise<StreamClient> {
  const headers = { "X-Forwarded-For": address };
  const client = await StreamClient.open(ws + path, { headers });
  clients.push(client);
  return client;
}

test("STR-29 a JSON value that no query parameter can have is refused with the parameter's name", async () => {
  const client = await open("/compat/ws-api/v3");
  for (const params of ['{"symbol":"\\ud800"}', '{"a\\udfff":1}']) {
    client.frames.length = 0;
    client.socket.send(`{"id":"\\ud800","method":"depth","params":${params}}`);
    const { id, status, error } = await client.next(() => true);
    assert.deepEqual([id, status, error.code], ["\ud800", 400, -1100]);
  }
  client.send({ id: 2, method: "ping" });
  assert.equal((await client.next(({ id }) => id === 2)).status, 200);
});

test("STR-15 STR-46 STR-29 every kind of malformed request is answered and changes nothing", async () => {
  const bad = [
    ...'null|[]|1|"x"|{|{}|[[[[|{"method":"SUBSCRIBE","params":{}}'.split("|"),
    '{"method":"SUBSCRIBE","params":["cc-usdc@trade",7],"id":1}',
    '{"method":"SUBSCRIBE","params":["cc-usdc@trade\\u0000"],"id":{"a":1}}',
    '{"method":"SUBSCRIBE","params":["__proto__@trade"],"id":1e400}',
    '{"__proto__":{"method":"SUBSCRIBE"},"id":[1]}',
    '{"method":"toString","params":[]}',
    '{"method":"SUBSCRIBE","params":["constructor@depth"],"id":-1}',
  ];
  const sessions = await open("/compat/ws-api/v3");
  for (const text of bad) {
    const client = await open("/compat/ws", "198.18.0.2");
    client.socket.send(text);
    const { error } = await client.next(() => true);
    assert.equal(error.code, 2, text);
    client.send({ method: "LIST_SUBSCRIPTIONS", id: 9 });
    assert.deepEqual((await client.next(({ id }) => id === 9)).result, []);
    client.close();
    sessions.frames.length = 0;
    sessions.socket.send(text);
    assert.equal((await sessions.next(() => true)).status >= 400, true, text);
  }
});

test("STR-8 STR-29 a frame of a megabyte closes its connection", async () => {
  for (const path of ["/ws/cc-usdc@trade", "/compat/ws", "/compat/ws-api/v3"]) {
    const client = await open(path);
    client.socket.send(`{"method":"SUBSCRIBE","params":["${"x".repeat(2 ** 20)}"],"id":1}`);
    await client.end();
    assert.deepEqual(client.frames, []);
  }
});

test("STR-31 the book at the start of a depth stream has the same weight as by REST", async () => {
  const address = "198.18.0.3";
  // The venue's time then stands still until the real one has caught up, so the minute of the limit does not end.
  front.advance(600_000);
  const client = await open("/compat/ws", address);
  client.send({ method: "SUBSCRIBE", params: ["cc-usdc@depth"], id: 1 });
  await client.next((frame) => frame.snapshot === true);
  const names = ["cc-usdc", "ccusdc", "cbtc-usdc", "ceth-usdc", "cusd-usdc", "btcusdt", "ethusdt"];
  const list = names.map((name) => `${name}@depth`).join("/");
  let refused = 0;
  for (let at = 0; at < 100 && refused === 0; at++) {
    const other = await open(`/compat/stream?streams=${list}`, address);
    await other.until(() => other.frames.length > 0 || other.closed !== null);
    if (other.closed !== null) {
      assert.deepEqual(other.closed, { code: 1013, reason: "too many requests" });
      refused++;
    }
    other.close();
  }
  assert.equal(refused, 1);
  client.send({ method: "SUBSCRIBE", params: names.map((name) => `${name}@depth`), id: 2 });
  assert.match((await client.next(({ id }) => id === 2)).error.msg, /too many requests/);
  client.send({ method: "SUBSCRIBE", params: ["cc-usdc@depth", "cc-usdc@trade"], id: 3 });
  assert.deepEqual(await client.next(({ id }) => id === 3), { result: null, id: 3 });
});

test("STR-5 STR-23 a stream list with two listen keys, or a resume that is not a number, is refused", async () => {
  const key = "a".repeat(64);
  const two = await open(`/compat/stream?streams=${key}/${"b".repeat(64)}`);
  assert.deepEqual(await two.end(), {
    code: 1008,
    reason: "a connection can have only one listenKey",
  });
  for (const resume of ["", "-1", "1e3", "9".repeat(16)]) {
    const client = await open(`/compat/ws/${key}?resume=${resume}`);
    assert.deepEqual(await client.end(), {
      code: 1008,
      reason: "resume must be the seq of a frame",
    });
  }
});

test("STR-23 balances lost between an update and a new connection are sent again", async () => {
  const key = await front.newTrader();
  const headers = { "X-MBX-APIKEY": key.value };
  const made = await front.fetch("/compat/api/v3/userDataStream", { method: "POST", headers });
  const path = `/compat/ws/${made.json.listenKey}`;
  const first = await open(path);
  front.venue.credit(key.account, Wallet.spot, 0, 5_000_000n);
  const { seq } = await first.next(({ e }) => e === "balanceUpdate");
  first.close();
  // Resume as if the connection had been lost just after the update.
  const second = await open(`${path}?resume=${seq}`);
  const told = await second.next(() => true);
  assert.deepEqual([told.e, told.seq], ["outboundAccountPosition", seq]);
});

test("STR-29 a session that missed answers is closed once it reads again", async () => {
  const seller = front.venue.fund(10n ** 14n);
  front.venue.credit(seller, Wallet.spot, 2, 10n ** 15n);
  for (let at = 0; at < 100; at++) front.venue.sell(seller, 1, 6_000_000 + at, 10);
  const client = await open("/compat/ws-api/v3", "198.18.0.4");
  client.socket.pause();
  const requested = 5000;
  const params = { symbol: "CBTC-USDC" };
  for (let id = 0; id < requested; id++) client.send({ id, method: "depth", params });
  const behind = /front_stream_connections_behind(\{[^}]*\})? [1-9]/;
  while (!behind.test((await front.fetch("/metrics")).text));
  client.socket.resume();
  const { code, reason } = await client.end();
  assert.deepEqual([code, reason], [1013, "read too slowly: answers were missed"]);
  assert.ok(client.frames.length < requested);
  assert.ok(client.frames.every(({ e }) => e !== "conflated"));
});
