// Proves that with COMPAT_STRICT the compat view refuses what Binance has retired, as Binance refuses it. Everything else
// stays.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let strict: FrontFixture;
let plain: FrontFixture;
const stop = { symbol: "BTCUSDT", side: "SELL", type: "STOP_MARKET", quantity: "0.01" };
const limit = { ...stop, type: "LIMIT", timeInForce: "GTC", price: "60000" };
const moved = {
  code: -4120,
  msg: "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.",
};

before(async () => {
  strict = await FrontFixture.open({ isStrict: true, isLive: true });
  plain = await FrontFixture.open({ isLive: true });
});
after(() => {
  strict.close();
  plain.close();
});

function socketBase({ base }: FrontFixture): string {
  return base.replace("http", "ws");
}

type Terms = Record<string, string>;

async function post(front: FrontFixture, key: TestKey, path: string, terms: Terms) {
  // The widest window, because both fronts follow the real clock and the machine may be slow.
  const sent = { ...terms, recvWindow: 60_000 };
  const { status, json } = await front.send("POST", path, sent, { key });
  return { status, json };
}

test("CMP-21 with COMPAT_STRICT, conditional orders of perpetuals have one route under /compat", async () => {
  const key = await strict.newTrader();
  const terms = { ...stop, stopPrice: "50000" };
  for (const path of ["/compat/fapi/v1/order", "/compat/fapi/v1/order/test"]) {
    assert.deepEqual(await post(strict, key, path, terms), { status: 400, json: moved }, path);
  }
  const batch = JSON.stringify([terms, limit]);
  const { json } = await post(strict, key, "/compat/fapi/v1/batchOrders", { batchOrders: batch });
  assert.deepEqual([json[0], json[1].status], [moved, "NEW"]);
  const open = await strict.send("GET", "/compat/fapi/v1/openOrders", {}, { key });
  assert.equal(open.json.length, 1, "A refused order must not exist");
  assert.equal((await post(strict, key, "/compat/fapi/v1/order", limit)).status, 200);
  const algo = { ...stop, algoType: "CONDITIONAL", triggerPrice: "50000" };
  assert.equal((await post(strict, key, "/compat/fapi/v1/algoOrder", algo)).status, 200);
  assert.equal(
    (await post(strict, key, "/fapi/v1/order", terms)).status,
    200,
    "The root must still accept the order",
  );
});

test("CMP-21 with COMPAT_STRICT, a session of perpetuals is as strict", async () => {
  const key = await strict.newTrader();
  const client = await StreamClient.open(`${socketBase(strict)}/compat/ws-fapi/v1`);
  const signed = { apiKey: key.value, recvWindow: 60_000, timestamp: Date.now() };
  const params = { ...stop, stopPrice: "50000", ...signed };
  const text = Object.entries(params)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  client.send({ id: 1, method: "order.place", params: { ...params, signature: key.sign(text) } });
  const answer = await client.next(({ id }) => id === 1);
  assert.deepEqual([answer.status, answer.error], [400, moved]);
  client.close();
});

const goneRoutes = [
  ["POST", "/api/v3/userDataStream"],
  ["PUT", "/api/v3/userDataStream"],
  ["DELETE", "/api/v3/userDataStream"],
  ["GET", "/api/v1/trades"],
] as const;

test("CMP-39 with COMPAT_STRICT, routes and methods that Binance has retired answer 410", async () => {
  const key = await strict.newTrader();
  for (const [method, path] of goneRoutes) {
    const { status, json } = await strict.send(method, `/compat${path}`, {}, { key });
    assert.deepEqual([status, json.code], [410, -1020], path);
  }
  const client = await StreamClient.open(`${socketBase(strict)}/compat/ws-api/v3`);
  for (const method of ["userDataStream.start", "userDataStream.ping", "userDataStream.stop"]) {
    client.send({ id: method, method, params: { apiKey: key.value } });
    const answer = await client.next(({ id }) => id === method);
    assert.deepEqual([answer.status, answer.error.code], [410, -1020], method);
  }
  client.close();
  const headers = { "X-MBX-APIKEY": key.value };
  const futures = await strict.fetch("/compat/fapi/v1/listenKey", { method: "POST", headers });
  assert.equal(futures.status, 200, "Listen keys of perpetuals must stay");
});

test("CMP-39 without COMPAT_STRICT, they are served", async () => {
  const key = await plain.newTrader();
  const headers = { "X-MBX-APIKEY": key.value };
  const path = "/compat/api/v3/userDataStream";
  const made = await plain.fetch(path, { method: "POST", headers });
  assert.equal(made.status, 200);
  const { listenKey } = made.json;
  const kept = await plain.fetch(`${path}?listenKey=${listenKey}`, { method: "PUT", headers });
  assert.equal(kept.status, 200);
  assert.equal((await plain.fetch("/compat/api/v1/trades?symbol=CC-USDC")).status, 200);
});

/** Sends a signed query of which the signature covers the values before or after they are percent-encoded. */
async function signedOver(front: FrontFixture, root: string, form: "raw" | "encoded") {
  const key = await front.newTrader();
  const timestamp = Math.floor(front.nowUs() / 1000);
  const [raw, encoded] = ["a:b", "a%3Ab"].map(
    (id) => `symbol=CC-USDC&origClientOrderId=${id}&recvWindow=60000&timestamp=${timestamp}`,
  );
  const signature = key.sign((form === "raw" ? raw : encoded) ?? "");
  const headers = { "X-MBX-APIKEY": key.value };
  const target = `${root}/api/v3/order?${encoded}&signature=${signature}`;
  const { status, json } = await front.fetch(target, { headers });
  return [status, json.code];
}

test("CMP-40 with COMPAT_STRICT, the payload is percent-encoded before it is signed, or answers -1022", async () => {
  assert.deepEqual(await signedOver(strict, "/compat", "encoded"), [422, -2013]);
  assert.deepEqual(await signedOver(strict, "/compat", "raw"), [401, -1022]);
  assert.deepEqual(await signedOver(strict, "", "raw"), [422, -2011]);
  assert.deepEqual(await signedOver(plain, "/compat", "raw"), [422, -2013]);
});

/** Asks a connection at `path` for a stream; returns whether it is granted. */
async function grants(front: FrontFixture, path: string, stream: string): Promise<boolean> {
  const client = await StreamClient.open(`${socketBase(front)}/compat${path}`);
  client.send({ id: 1, method: "SUBSCRIBE", params: [stream] });
  const { error } = await client.next(({ id }) => id === 1);
  client.close();
  return error === undefined;
}

test("CMP-41 with COMPAT_STRICT, perpetuals stream only under the futures roots, and spot has no list of all tickers", async () => {
  for (const stream of ["btcusdt@trade", "!markPrice@arr"]) {
    assert.equal(await grants(strict, "/ws", stream), false, stream);
    assert.equal(await grants(plain, "/ws", stream), true, stream);
    for (const root of ["/public/ws", "/market/ws", "/private/ws"])
      assert.equal(await grants(strict, root, stream), true, `${root} ${stream}`);
  }
  assert.equal(await grants(strict, "/ws", "!ticker@arr"), false);
  assert.equal(await grants(strict, "/market/ws", "!ticker@arr"), true);
  assert.equal(await grants(strict, "/ws", "!miniTicker@arr"), true);
});

test("CMP-21 without COMPAT_STRICT, every route accepts conditional orders", async () => {
  const key = await plain.newTrader();
  const terms = { ...stop, stopPrice: "50000" };
  for (const path of ["/compat/fapi/v1/order", "/compat/fapi/v1/order/test", "/fapi/v1/order"]) {
    assert.equal((await post(plain, key, path, terms)).status, 200, path);
  }
});
