// Proves for a client of a venue's second address that faults happen to its streams and order sessions.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { call } from "../streams/session-client.ts";
import { type Frame, StreamClient } from "../streams/stream-client.ts";
import { FaultScene, restingOrder } from "./fault-scene.ts";

let scene: FaultScene;
const clients: StreamClient[] = [];

before(async () => {
  scene = await FaultScene.open();
});
after(async () => {
  for (const client of clients) client.close();
  await scene.close();
});

async function open(path: string): Promise<StreamClient> {
  const client = await StreamClient.open(scene.wsAddress + path);
  clients.push(client);
  return client;
}

function sessionKey() {
  const { key, secret } = scene.trader;
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  return { value: key, sign };
}

let placed = 0;

/** Changes the book once, past the proxy. */
async function changeBook(): Promise<void> {
  const price = `0.1${String(placed++ % 90).padStart(2, "0")}`;
  const terms = { ...restingOrder(`book-${placed}`), price };
  const { status } = await scene.venue.signed(scene.other, "POST", "/compat/api/v3/order", terms);
  assert.equal(status, 200);
}

const depthPath = "/compat/ws/ccusdc@depth@100ms";

/** Changes the book until `holds`, and returns the frames of depth. */
async function depthWhen(client: StreamClient, holds: (depths: Frame[]) => boolean) {
  const depths = () => client.frames.filter(({ e }) => e === "depthUpdate");
  for (let changes = 0; changes < 400 && !holds(depths()); changes++) {
    await changeBook();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.ok(holds(depths()), `${depths().length} frames of depth`);
  return depths();
}

test("REW-40 gapped depth drops frames, so that U and u do not join", async () => {
  await scene.apply([{ kind: "gap-depth", rate: 0.5 }], { address: "127.0.0.1" });
  const client = await open(depthPath);
  const hasGap = (depths: Frame[]) =>
    depths.some(({ U }, at) => at > 0 && U > depths[at - 1]?.u + 1);
  await depthWhen(client, hasGap);
  await scene.logged(({ kind, delivered }) => kind === "gap-depth" && !delivered);
  await scene.clear();
});

test("REW-41 frames come twice, and in the wrong order", async () => {
  await scene.apply([{ kind: "duplicate" }]);
  const twice = await open(depthPath);
  await depthWhen(twice, (depths) => depths.some(({ u }, at) => at > 0 && u === depths[at - 1]?.u));
  await scene.apply([{ kind: "reorder", rate: 0.5 }]);
  const mixed = await open(depthPath);
  await depthWhen(mixed, (depths) => depths.some(({ u }, at) => at > 0 && u < depths[at - 1]?.u));
  await scene.clear();
});

test("REW-40 stale depth arrives late and in order", async () => {
  await scene.apply([{ kind: "stale-depth", delay_ms: 700 }]);
  const client = await open(depthPath);
  const depths = await depthWhen(client, ({ length }) => length > 2);
  for (const [at, { U }] of depths.entries())
    if (at > 0) assert.ok(U > depths[at - 1]?.u, JSON.stringify(depths));
  const [{ E }] = depths.slice(-1) as [Frame];
  // Timers are early by up to a millisecond, and the venue's clock differs by a few.
  assert.ok(Date.now() - E >= 690, `${Date.now() - E}`);
  await scene.clear();
});

test("REW-44 connections are ended after their time, cut or with a close code", async () => {
  await scene.apply([{ kind: "disconnect", every_ms: 200, close_code: 1001 }]);
  assert.equal((await (await open(depthPath)).end()).code, 1001);
  await scene.apply([{ kind: "disconnect", every_ms: 200 }]);
  assert.equal((await (await open(depthPath)).end()).code, 1006);
  await scene.apply([{ kind: "refuse", status: 429, on: { methods: ["CONNECT"] } }]);
  await assert.rejects(open(depthPath), /refused: 429/);
  await scene.clear();
});

test("REW-43 an outage ends open connections that match, and no others", async () => {
  const [hit, spared] = [await open(depthPath), await open("/compat/ws-api/v3")];
  await scene.apply([{ kind: "outage", on: { paths: ["*/ws/*"] } }]);
  assert.equal((await hit.end()).code, 1006);
  const answer = await call(spared, "ping");
  assert.equal(answer.status, 200);
  await assert.rejects(open(depthPath));
  await scene.clear();
});

test("REW-34 REW-39 a request of an order session is refused by the profile of its own key", async () => {
  const client = await open("/compat/ws-api/v3");
  await scene.apply([{ kind: "refuse", status: 418, retry_after_s: 5 }], {
    key: scene.trader.key,
  });
  const order = restingOrder("session-banned");
  const banned = await call(client, "order.place", order, sessionKey());
  assert.deepEqual([banned.status, banned.error.code], [418, -1003]);
  assert.ok(banned.error.data.retryAfter > banned.error.data.serverTime);
  assert.equal((await call(client, "time")).status, 200);
  await scene.clear();
});

test("REW-42 a skewed clock moves the time of an order session", async () => {
  const client = await open("/compat/ws-api/v3");
  await scene.apply([{ kind: "clock-skew", by_ms: -4_400 }]);
  const { result } = await call(client, "time");
  // The clocks of this process and of the venue differ by some milliseconds.
  assert.ok(Date.now() - result.serverTime >= 4_350);
  const refused = await call(client, "order.place", restingOrder("session-ahead"), sessionKey());
  assert.deepEqual([refused.status, refused.error.code], [401, -1021]);
  await scene.clear();
});

test("REW-38 an order session loses an answer after execution, and the order exists once", async () => {
  await scene.apply([{ kind: "lose-answer", on: { methods: ["order.place"] } }], {
    key: scene.trader.key,
  });
  const lost = await open("/compat/ws-api/v3");
  const order = restingOrder("session-lost");
  void call(lost, "order.place", order, sessionKey()).catch(() => undefined);
  assert.equal((await lost.end()).code, 1006);
  const again = await open("/compat/ws-api/v3");
  await scene.apply([{ kind: "lose-answer", as: "timeout", on: { methods: ["order.place"] } }], {
    key: scene.trader.key,
  });
  const timedOut = await call(again, "order.place", restingOrder("session-timeout"), sessionKey());
  assert.deepEqual([timedOut.status, timedOut.error.code], [408, -1007]);
  await scene.clear();
  const refused = await call(again, "order.place", order, sessionKey());
  assert.equal(refused.error.code, -2010);
  const names = (await scene.openOrders()).map(({ clientOrderId }) => clientOrderId);
  assert.deepEqual(names.filter((name) => name.startsWith("session-")).sort(), [
    "session-lost",
    "session-timeout",
  ]);
  const line = await scene.logged(({ client_order_id: id }) => id === "session-lost");
  assert.deepEqual(
    [line.method, line.delivered, line.key],
    [...(["order.place", false, scene.trader.key] as const)],
  );
});

test("REW-37 REW-38 a session that is cut keeps its client waiting as long as the profile says", async () => {
  const on = { methods: ["order.place"] };
  const waited = async (kind: "lose-answer" | "lose-request", delayMs: number): Promise<number> => {
    const latency = { kind: "latency-in", on, delay: { fixed_ms: delayMs } } as const;
    const faults = [...(delayMs > 0 ? [latency] : []), { kind, on, after_ms: 700 }];
    await scene.apply(faults, { key: scene.trader.key });
    const session = await open("/compat/ws-api/v3");
    const sentMs = performance.now();
    const order = restingOrder(`late-${kind}-${delayMs}`);
    void call(session, "order.place", order, sessionKey()).catch(() => undefined);
    await session.end();
    await scene.clear();
    return performance.now() - sentMs;
  };
  // Timers may fire up to a millisecond early.
  assert.ok((await waited("lose-answer", 0)) >= 699);
  assert.ok((await waited("lose-request", 0)) >= 699);
  assert.ok((await waited("lose-request", 300)) >= 998);
});

test("REW-36 the log has the order events of user data streams under their key", async () => {
  const headers = { "X-MBX-APIKEY": scene.trader.key };
  const made = await fetch(`${scene.address}/compat/api/v3/userDataStream`, {
    ...{ method: "POST", headers },
  });
  const { listenKey } = (await made.json()) as { listenKey: string };
  const client = await open(`/compat/ws/${listenKey}`);
  const isReport = ({ e }: Frame) => e === "executionReport";
  // The venue opens the stream some time after the connection.
  for (let sent = 0; sent < 400 && !client.frames.some(isReport); sent++) {
    const order = restingOrder(`streamed-${sent}`);
    await scene.venue.signed(scene.trader, "POST", "/compat/api/v3/order", order);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { c } = await client.next(isReport);
  const line = await scene.logged(
    ({ event, client_order_id: id }) => event === "executionReport" && id === c,
  );
  assert.deepEqual(
    [line.key, line.path, line.delivered, line.order_status, line.symbol],
    [scene.trader.key, "/compat/ws/*", true, "NEW", "CC-USDC"],
  );
});
