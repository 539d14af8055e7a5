// Proves that a connection gets times in microseconds if its address asks for them, and that other connections keep
// milliseconds.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { sendRaw } from "../support/client/raw-request.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { type Frame, StreamClient } from "./stream-client.ts";

let front: FrontFixture;
let key: TestKey;
const clients: StreamClient[] = [];
const micros = "timeUnit=MICROSECOND";

before(async () => {
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 100 });
  key = await front.newTrader();
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function open(path: string): Promise<StreamClient> {
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat${path}`);
  clients.push(client);
  return client;
}

async function trade(): Promise<void> {
  const order = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC", quantity: "100.0" };
  const price = "0.1500";
  for (const side of ["SELL", "BUY"]) {
    const trader = await front.newTrader();
    for (const asset of [0, 1]) {
      front.venue.credit(trader.account, Wallet.spot, asset, 10n ** 14n);
    }
    const sent = { ...order, side, price };
    const answer = await front.send("POST", "/compat/api/v3/order", sent, { key: trader });
    assert.equal(answer.status, 200, answer.text);
  }
}

const isMicros = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 1e15;
const isMillis = (value: unknown) => Number.isSafeInteger(value) && Number(value) < 1e14;

test("CMP-31 timeUnit in a stream's address makes the times of this stream microseconds, and of no other", async () => {
  const feeds = ["trade", "aggTrade", "depth", "ticker", "miniTicker", "kline_1m", "avgPrice"];
  const list = feeds.map((feed) => `cc-usdc@${feed}`).join("/");
  const millis = await open(`/stream?streams=${list}`);
  const plain = await open(`/ws/${list}?timeUnit=microsecond`);
  const combined = await open(`/stream?streams=${list}&${micros}`);
  await trade();
  const events = new Map<string, { ms: Frame; us: Frame; bare: Frame }>();
  for (const feed of feeds) {
    const name = `cc-usdc@${feed}`;
    const ms = (await millis.next(({ stream }) => stream === name)).data;
    const us = (await combined.next(({ stream }) => stream === name)).data;
    const bare = await plain.next(({ e }) => e === us.e);
    assert(isMillis(ms.E), `${feed} ${ms.E}`);
    assert(isMicros(us.E) && isMicros(bare.E), `${feed} ${us.E} ${bare.E}`);
    assert.deepEqual(Object.keys(us), Object.keys(ms));
    events.set(feed, { ms, us, bare });
  }
  const of = (feed: string) => events.get(feed) ?? assert.fail(feed);
  for (const feed of ["trade", "aggTrade"]) {
    const { ms, us, bare } = of(feed);
    assert.deepEqual([us.T, bare.T, us.t, us.a], [ms.T * 1000, ms.T * 1000, ms.t, ms.a]);
  }
  const { ms, us } = of("kline_1m");
  assert.deepEqual([us.k.t, us.k.T, us.k.f], [ms.k.t * 1000, ms.k.T * 1000, ms.k.f]);
  assert(isMicros(of("ticker").us.O) && isMicros(of("ticker").us.C));
  assert(of("depth").us.u < 1e6);
});

test("CMP-31 a user data stream with timeUnit=MICROSECOND has its times in microseconds", async () => {
  const own = { "X-MBX-APIKEY": key.value };
  const made = await fetch(`${front.base}/compat/api/v3/userDataStream`, {
    method: "POST",
    headers: own,
  });
  const { listenKey } = (await made.json()) as { listenKey: string };
  const client = await open(`/ws/${listenKey}?${micros}`);
  const millis = await open(`/ws/${listenKey}`);
  const sent = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  await front.send(
    "POST",
    "/compat/api/v3/order",
    { ...sent, quantity: "100.0", price: "0.1100" },
    { key },
  );
  const told = await client.next(({ e }) => e === "executionReport");
  const usual = await millis.next(({ e }) => e === "executionReport");
  assert.deepEqual([told.T, told.O, told.W], [usual.T * 1000, usual.O * 1000, usual.W * 1000]);
  assert.deepEqual([told.i, told.t, told.I, told.c], [usual.i, usual.t, usual.I, usual.c]);
  assert(isMicros((await client.next(({ e }) => e === "outboundAccountPosition")).u));
});

test("CMP-31 CMP-38 an order session with timeUnit=MICROSECOND has its times in microseconds", async () => {
  const client = await open(`/ws-api/v3?${micros}`);
  client.send({ id: 1, method: "time" });
  const answer = await client.next(({ id }) => id === 1);
  assert(isMicros(answer.result.serverTime), JSON.stringify(answer));
  client.send({ id: 2, method: "session.status" });
  assert(isMicros((await client.next(({ id }) => id === 2)).result.connectedSince));
  // As at Binance, sessions of perpetuals ignore the parameter.
  const futures = await open(`/ws-fapi/v1?${micros}`);
  futures.send({ id: 1, method: "time" });
  assert(isMillis((await futures.next(({ id }) => id === 1)).result.serverTime));
});

test("CMP-31 CMP-37 other time units, and SBE on a stream, are refused before the connection opens", async () => {
  for (const [path, status, code] of [
    ["/ws/cc-usdc@trade?timeUnit=SECOND", 400, -1194],
    ["/stream?streams=cc-usdc@trade&timeUnit=us", 400, -1194],
    ["/ws-api/v3?timeUnit=nope", 400, -1194],
    ["/ws/cc-usdc@trade?responseFormat=sbe", 406, -1155],
    ["/ws-api/v3?responseFormat=sbe&sbeSchemaId=1&sbeSchemaVersion=0", 400, -1153],
  ] as const) {
    const requested =
      `GET /compat${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    const port = Number(new URL(front.base).port);
    const { text } = await sendRaw(
      port,
      requested,
      (so) => so.endsWith("}") || so.includes("101 "),
    );
    assert(text.startsWith(`HTTP/1.1 ${status} `), `${path}: ${text}`);
    assert.match(text, new RegExp(`"code":${code},`), path);
  }
  const kept = await open("/ws-api/v3?responseFormat=json&timeUnit=");
  kept.send({ id: 1, method: "time" });
  assert(isMillis((await kept.next(({ id }) => id === 1)).result.serverTime));
});

test("CMP-31 at the root all times of a connection are milliseconds", async () => {
  const client = await StreamClient.open(
    `${front.base.replace("http", "ws")}/ws/cc-usdc@ticker?${micros}`,
  );
  clients.push(client);
  assert(isMillis((await client.next(({ e }) => e === "24hrTicker")).E));
});
