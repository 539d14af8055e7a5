// Proves that without a profile the second address of a venue is like the first: answers, headers, pipelined requests,
// large bodies, refused connections, order sessions, pings and binary frames.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { call } from "../streams/session-client.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { sendRaw } from "../support/client/raw-request.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { FaultScene, restingOrder } from "./fault-scene.ts";

let scene: FaultScene;
const clients: StreamClient[] = [];

before(async () => {
  scene = await FaultScene.open({ STREAM_PING_MS: "100" });
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

test("REW-32 answers have the venue's status, body and headers", async () => {
  for (const path of [
    "/api/v3/ping",
    "/compat/api/v3/exchangeInfo",
    "/compat/api/v3/depth?symbol=CC-USDC",
    "/compat/fapi/v1/premiumIndex",
    "/api/v3/nothing",
    "/v1/version",
  ]) {
    const answers = [scene.venue.address, scene.address].map(async (address) => {
      const answer = await fetch(address + path);
      const { status, headers } = answer;
      const shown = ["content-type", "keep-alive", "x-mbx-used-weight", "date"];
      // Times differ from answer to answer.
      const body = (await answer.text()).replace(/\d{13}/g, "time");
      return [status, body, shown.map((name) => headers.get(name) !== null)];
    });
    const [direct, passed] = await Promise.all(answers);
    assert.deepEqual(passed, direct, path);
  }
});

test("REW-32 requests that a client pipelines are answered in their order", async () => {
  const paths = ["/api/v3/time", "/api/v3/ping", "/v1/version", "/api/v3/nothing"];
  const lines = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: venue\r\n\r\n`);
  const { text } = await sendRaw(scene.port, lines.join(""), (seen) => seen.includes("-5000"));
  const order = [text.indexOf("serverTime"), text.indexOf("{}"), text.indexOf('"version"')];
  assert.ok(
    order.every((at) => at > 0),
    text,
  );
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    order,
  );
});

test("REW-32 a long body is passed on, and refused by the venue", async () => {
  const body = "x".repeat(1_200_000);
  const answer = await fetch(`${scene.address}/compat/api/v3/order`, { method: "POST", body });
  assert.equal(answer.status, 413);
  // Whatever its length, a body ends at most its own connection.
  for (const length of [70_000, 300_000, 20_000_000]) {
    const long = { method: "POST", body: "x".repeat(length) };
    const status = await fetch(`${scene.address}/api/v3/order`, long).then(
      (got) => got.status,
      () => "cut",
    );
    assert.ok(status === 400 || status === 401 || status === 413 || status === "cut", `${status}`);
    assert.equal((await fetch(`${scene.address}/api/v3/ping`)).status, 200);
  }
});

test("REW-32 an order is placed, read and cancelled by signed requests", async () => {
  const send = (method: "GET" | "POST" | "DELETE", parameters: Record<string, string>) =>
    signedFetch<{ status: string }>(scene.address, scene.trader, {
      ...{ method, path: "/compat/api/v3/order", parameters },
    });
  const named = { symbol: "CC-USDC", origClientOrderId: "passed" };
  assert.equal((await send("POST", restingOrder("passed"))).json.status, "NEW");
  assert.equal((await send("GET", named)).json.status, "NEW");
  assert.equal((await send("DELETE", named)).json.status, "CANCELED");
  const line = await scene.logged(({ method, client_order_id: id }) => {
    return method === "DELETE" && id === "passed";
  });
  assert.deepEqual([line.fault, line.kind, line.delivered, line.status], [null, null, true, 200]);
});

test("REW-32 an order session is passed on, with its logged-on key", async () => {
  const { key, secret } = scene.trader;
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  const client = await open("/compat/ws-api/v3");
  const order = restingOrder("by-session");
  const placed = await call(client, "order.place", order, { value: key, sign });
  assert.equal(placed.status, 200);
  const line = await scene.logged(({ client_order_id: id }) => id === "by-session");
  assert.deepEqual(
    [line.key, line.path, line.order_id],
    [key, "/compat/ws-api/v3", String(placed.result.orderId)],
  );
});

test("REW-32 the venue's pings reach the client, and its pongs the venue", async () => {
  const client = await open("/compat/ws/ccusdc@trade");
  await client.until(() => client.pings.length > 3);
  assert.equal(client.closed, null);
});

test("REW-32 binary frames and the key in a header are passed on", async () => {
  const socket = new WebSocket(`${scene.wsAddress}/compat/sbe/stream?streams=ccusdc@bestBidAsk`, {
    ...{ headers: { "X-MBX-APIKEY": scene.trader.key }, perMessageDeflate: false },
  });
  await once(socket, "open");
  const frame = once(socket, "message");
  await scene.venue.signed(scene.other, "POST", "/compat/api/v3/order", restingOrder("binary"));
  const [data, isBinary] = (await frame) as [Buffer, boolean];
  assert.deepEqual([isBinary, data.readUInt16LE(2)], [true, 10_001]);
  socket.terminate();
});

test("REW-32 limits count by the client's own address, not by the proxy's", async () => {
  const answer = await fetch(`${scene.address}/api/v3/ping`, {
    headers: { "x-forwarded-for": "203.0.113.7" },
  });
  const weight = Number(answer.headers.get("x-mbx-used-weight"));
  assert.equal(weight, 1);
});

test("REW-32 a connection that the venue refuses is refused with the venue's answer", async () => {
  await assert.rejects(open("/compat/nothing"), /refused: 404/);
});
