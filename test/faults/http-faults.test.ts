// Proves for a client of a venue's second address that each kind of fault happens to its requests, that the same seed gives
// the same faults, and that the venue itself is untouched.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { FaultScene, restingOrder } from "./fault-scene.ts";

let scene: FaultScene;

before(async () => {
  scene = await FaultScene.open();
});
after(() => scene.close());

const orders = "/compat/api/v3/order";

function place(clientOrderId: string, trader = scene.trader) {
  const parameters = restingOrder(clientOrderId);
  return signedFetch<{ code?: number; msg?: string; orderId?: number }>(scene.address, trader, {
    ...{ method: "POST", path: orders, parameters },
  });
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(scene.address + path, { headers });
}

test("REW-38 an order whose answer is lost exists exactly once, and a retry by its client order id learns so", async () => {
  await scene.apply([{ kind: "lose-answer", on: { methods: ["POST"] } }]);
  await assert.rejects(place("lost-answer"), /fetch failed/);
  const line = await scene.logged(({ client_order_id: id }) => id === "lost-answer");
  assert.deepEqual(
    [line.delivered, line.status, line.fault, line.kind, line.method, line.path, line.symbol],
    [false, 200, "test", "lose-answer", "POST", orders, "CC-USDC"],
  );
  assert.equal(line.key, scene.trader.key);
  await scene.clear();
  const retried = await place("lost-answer");
  assert.equal(retried.json.code, -2010);
  assert.match(retried.json.msg ?? "", /Duplicate order sent/);
  const open = await scene.openOrders();
  assert.equal(open.filter(({ clientOrderId }) => clientOrderId === "lost-answer").length, 1);
  const found = await signedFetch<{ orderId: number }>(scene.address, scene.trader, {
    ...{ method: "GET", path: orders },
    parameters: { symbol: "CC-USDC", origClientOrderId: "lost-answer" },
  });
  assert.equal(String(found.json.orderId), line.order_id);
});

test("REW-38 a lost answer can look like a timeout, with the venue's own answer for an unknown outcome", async () => {
  await scene.apply([{ kind: "lose-answer", as: "timeout", on: { methods: ["POST"] } }]);
  const { status, json } = await place("timed-out");
  assert.deepEqual([status, json.code], [408, -1007]);
  await scene.apply([{ kind: "lose-answer", as: "unknown", on: { methods: ["POST"] } }]);
  const unknown = await place("unknown");
  assert.deepEqual([unknown.status, unknown.json.code], [503, -1000]);
  const names = (await scene.openOrders()).map(({ clientOrderId }) => clientOrderId);
  assert.ok(names.includes("timed-out") && names.includes("unknown"), `${names}`);
});

test("REW-37 a lost request never reaches the venue", async () => {
  await scene.apply([{ kind: "lose-request", on: { methods: ["POST"] } }]);
  await assert.rejects(place("never-sent"), /fetch failed/);
  await scene.clear();
  const open = await scene.openOrders();
  assert.ok(open.every(({ clientOrderId }) => clientOrderId !== "never-sent"));
  const line = await scene.logged(({ client_order_id: id }) => id === "never-sent");
  assert.deepEqual([line.delivered, line.status, line.kind], [false, null, "lose-request"]);
});

test("REW-39 REW-45 storms answer 429, 418 and 503 with the bodies and headers of the surface", async () => {
  const storm = (status: number) => scene.apply([{ kind: "refuse", status }]);
  await storm(429);
  const limited = await get("/compat/api/v3/depth?symbol=CC-USDC", { "x-rialto-fault-show": "1" });
  assert.equal(limited.status, 429);
  assert.equal(limited.headers.get("x-rialto-fault"), "test/refuse");
  assert.equal(limited.headers.get("x-mbx-used-weight-1m"), "6001");
  assert.equal(limited.headers.get("retry-after"), null);
  const body = (await limited.json()) as { code: number; msg: string };
  assert.deepEqual(Object.keys(body), ["code", "msg"]);
  assert.equal(body.code, -1003);
  await storm(418);
  const banned = await get("/compat/fapi/v1/depth?symbol=BTCUSDT");
  assert.deepEqual([banned.status, banned.headers.get("retry-after")], [418, "120"]);
  assert.match(((await banned.json()) as { msg: string }).msg, /IP banned until \d{13}/);
  await storm(503);
  const busy = await get("/api/v3/depth?symbol=CC-USDC");
  assert.equal(busy.headers.get("x-rialto-fault"), null);
  assert.deepEqual([busy.status, ((await busy.json()) as { code: number }).code], [503, -1008]);
  const native = await get("/v1/solvency");
  assert.deepEqual(Object.keys((await native.json()) as object), ["error"]);
  await scene.clear();
});

test("REW-34 a profile happens to the key that it is for, and to nobody else", async () => {
  await scene.apply([{ kind: "refuse", status: 503 }], { key: scene.trader.key });
  assert.equal((await place("refused")).status, 503);
  assert.equal((await place("of-another", scene.other)).status, 200);
  assert.equal((await get("/api/v3/ping")).status, 200);
  await scene.apply([{ kind: "refuse", status: 429 }], { address: "127.0.0.1" });
  assert.equal((await get("/api/v3/ping")).status, 429);
  assert.equal((await place("of-the-key")).status, 503);
  await scene.clear();
});

test("REW-35 the same seed and requests give the same faults, and another seed others", async () => {
  const drawn = async (seed: number): Promise<string> => {
    await scene.apply([{ kind: "refuse", status: 503, rate: 0.5 }], { all: true }, seed);
    let text = "";
    for (let sent = 0; sent < 40; sent++)
      text += (await get("/api/v3/ping")).status === 503 ? "x" : ".";
    return text;
  };
  const first = await drawn(7);
  assert.match(first, /x/);
  assert.match(first, /\./);
  assert.equal(await drawn(7), first);
  assert.notEqual(await drawn(8), first);
  await scene.clear();
});

test("REW-37 latency in and out and stale depth delay an answer by at least their time", async () => {
  await scene.apply([
    { kind: "latency-in", delay: { fixed_ms: 150 } },
    { kind: "latency-out", delay: { trace_ms: [100] } },
    { kind: "stale-depth", delay_ms: 300 },
  ]);
  const tookMs = async (path: string) => {
    const startedMs = performance.now();
    await (await get(path)).text();
    return performance.now() - startedMs;
  };
  // Two timers, of which each may be up to a millisecond early.
  assert.ok((await tookMs("/api/v3/ping")) >= 248);
  assert.ok((await tookMs("/api/v3/depth?symbol=CC-USDC")) >= 548);
  await scene.clear();
});

test("REW-42 a skewed clock moves serverTime and refuses a client that does not correct its own", async () => {
  await scene.apply([{ kind: "clock-skew", by_ms: -4_400 }]);
  const { serverTime } = (await (await get("/compat/api/v3/time")).json()) as {
    serverTime: number;
  };
  const aheadMs = Date.now() - serverTime;
  // The clocks of this process and of the venue differ by some milliseconds.
  assert.ok(aheadMs >= 4_350, `${aheadMs}`);
  const refused = await place("ahead");
  assert.deepEqual([refused.status, refused.json.code], [401, -1021]);
  assert.equal(
    (await scene.openOrders()).some(({ clientOrderId: id }) => id === "ahead"),
    false,
  );
  // A client that corrects its clock signs with an earlier timestamp, which both the proxy and the venue accept.
  const { default: ccxt } = await import("ccxt");
  const client = new ccxt.binance({
    ...{ apiKey: scene.trader.key, secret: scene.trader.secret },
    options: {
      ...{ adjustForTimeDifference: true, recvWindow: 60_000 },
      fetchMarkets: { types: ["spot"] },
    },
  });
  for (const [name, url] of Object.entries(client.urls["api"] as Record<string, string>))
    (client.urls["api"] as Record<string, string>)[name] = url.replace(
      /^https:\/\/[^/]+/,
      `${scene.address}/compat`,
    );
  await client.loadTimeDifference();
  const balance = await client.privateGetAccount();
  assert.ok("balances" in balance);
  await scene.clear();
});

test("REW-43 an outage ends what its pattern names, and only in its window", async () => {
  await scene.apply([
    { kind: "outage", as: "503", on: { paths: ["*/order"] }, during: { for_ms: 60_000 } },
    { kind: "outage", on: { paths: ["*/time"] }, during: { after_ms: 80_000_000 } },
  ]);
  assert.equal((await place("in-outage")).status, 503);
  assert.equal((await get("/api/v3/ping")).status, 200);
  assert.equal((await get("/api/v3/time")).status, 200);
  await scene.apply([{ kind: "outage", on: { paths: ["*/time"] } }]);
  await assert.rejects(get("/api/v3/time"), /fetch failed/);
  await scene.clear();
});

test("REW-36 the log has a line for each order of a batch, also if the answer is lost", async () => {
  await scene.apply([{ kind: "lose-answer" }]);
  const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const terms = { ...order, quantity: "0.01", price: "20000" };
  const orders = ["batch-1", "batch-2"].map((newClientOrderId) => ({ ...terms, newClientOrderId }));
  const path = "/compat/fapi/v1/batchOrders";
  const parameters = { batchOrders: JSON.stringify(orders) };
  await assert.rejects(
    signedFetch(scene.address, scene.trader, { method: "POST", path, parameters }),
  );
  await scene.clear();
  for (const name of ["batch-1", "batch-2"]) {
    const line = await scene.logged(({ client_order_id: id }) => id === name);
    assert.deepEqual([line.path, line.symbol, line.delivered], [path, "BTCUSDT", false]);
    assert.notEqual(line.order_id ?? line.code, null);
  }
});

test("REW-36 the log has each profile that was applied, with its seed", async () => {
  const faults = [{ kind: "duplicate", rate: 0.25 }];
  await scene.apply(faults, { all: true }, 77);
  await scene.changed(({ method, seed }) => method === "APPLY" && seed === 77);
  await scene.clear();
  await scene.changed(({ method, target }) => method === "CLEAR" && target === null);
});

test("REW-36 the log has keys but no secrets, signatures and listen keys", async () => {
  const headers = { "X-MBX-APIKEY": scene.trader.key };
  const made = await fetch(`${scene.address}/compat/api/v3/userDataStream`, {
    ...{ method: "POST", headers },
  });
  const { listenKey } = (await made.json()) as { listenKey: string };
  const path = "/compat/api/v3/userDataStream";
  await fetch(`${scene.address}${path}?listenKey=${listenKey}`, { method: "PUT", headers });
  await scene.logged(({ method }) => method === "PUT");
  const text = JSON.stringify(scene.lines());
  assert.ok(text.includes(scene.trader.key));
  for (const secret of [listenKey, scene.trader.secret, "signature"])
    assert.ok(!text.includes(secret));
});
