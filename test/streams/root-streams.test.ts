// Proves the streams that the specification requires at the root, over real sockets: names, frames, how often frames
// are sent, and limits on connections and clients.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import { type ClientOptions, StreamClient } from "./stream-client.ts";

let front: FrontFixture;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true });
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function open(path: string, options?: ClientOptions, on = front): Promise<StreamClient> {
  const client = await StreamClient.open(`${on.base.replace("http", "ws")}${path}`, options);
  clients.push(client);
  return client;
}

/** Opens a connection as soon as its client address has fewer open connections than the limit. */
async function openWhenFree(
  path: string,
  options: ClientOptions,
  on: FrontFixture,
): Promise<StreamClient> {
  const endMs = Date.now() + 120_000;
  for (;;) {
    try {
      return await open(path, options, on);
    } catch (error) {
      if (Date.now() > endMs) throw error;
    }
    await wait(20);
  }
}

function traders(on = front): readonly [number, number] {
  const seller = on.venue.fund(10n ** 13n);
  on.venue.credit(seller, Wallet.spot, 1, 10n ** 15n);
  return [seller, on.venue.fund(10n ** 13n)];
}

test("STR-1 a stream begins with everything that is committed when it opens", async () => {
  const before = front.catchUps;
  await open("/ws/cc-usdc@depth5");
  assert.equal(front.catchUps, before + 1);
});

test("STR-1 STR-9 a depth stream sends only the best levels, every 250 ms", async () => {
  const [seller, buyer] = traders();
  front.venue.sell(seller, 0, 1510, 2000);
  front.venue.sell(seller, 0, 1520, 3000);
  front.venue.buy(buyer, 0, 1490, 4000);
  const client = await open("/ws/cc-usdc@depth5");
  await client.until(() => client.frames.length >= 3);
  const frame = client.frames.at(-1);
  assert.deepEqual(Object.keys(frame), ["lastUpdateId", "bids", "asks"]);
  assert.deepEqual(frame.bids, [["0.1490", "400.0"]]);
  assert.deepEqual(frame.asks, [
    ["0.1510", "200.0"],
    ["0.1520", "300.0"],
  ]);
  const rest = await front.send("GET", "/api/v3/depth", { symbol: "CC-USDC", limit: 5 });
  assert.deepEqual(frame, rest.json);
  const times: number[] = [];
  client.socket.on("message", () => times.push(performance.now()));
  // A busy machine delays some frames and sends the next ones sooner, so the median gap counts, in one of some windows.
  const middles: number[] = [];
  const isInStep = () => middles.some((middle) => middle > 200 && middle < 320);
  while (middles.length < 20 && !isInStep()) {
    times.length = 0;
    await client.until(() => times.length > 8);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    middles.push(gaps.sort((one, other) => one - other)[gaps.length >> 1] ?? 0);
  }
  assert.ok(isInStep(), `Frames come every ${middles.join(", ")} ms instead of 250`);
  client.close();
});

test("STR-2 STR-14 CNF-17 combined frames have the stream's name exactly as the client spelled it", async () => {
  const [seller, buyer] = traders();
  const names = ["CC-USDC@trade", "ccusdc@trade", "cc-usdc@depth10@100ms", "cc-usdc@trade"];
  const client = await open(`/stream/?timeUnit=MILLISECOND&streams=${names.join("%2F")}`);
  await client.next(({ stream }) => stream === "cc-usdc@depth10@100ms");
  const requested = front.venue.sell(seller, 0, 1500, 1500);
  front.venue.buy(buyer, 0, 1500, 1000);
  assert.ok(requested > 0);
  for (const name of names.filter((each) => each.endsWith("trade"))) {
    const { data } = await client.next(({ stream }) => stream === name);
    assert.deepEqual(Object.keys(data), ["e", "E", "s", "t", "p", "q", "T", "m", "M"]);
    assert.deepEqual(
      [data.e, data.s, data.p, data.q, data.m, data.M],
      ["trade", "CC-USDC", "0.1500", "100.0", false, true],
    );
  }
  client.close();
});

test("STR-10 STR-11 every trade is one frame, in order, and candles and the daily ticker include all trades", async () => {
  const [seller, buyer] = traders();
  const client = await open("/ws/cbtc-usdc@trade/cbtc-usdc@kline_1m/cbtc-usdc@ticker");
  front.venue.credit(seller, Wallet.spot, 2, 10n ** 12n);
  // All trades must fall into one candle of a minute, so start with at least ten seconds of the minute left. Each
  // command advances the venue's time by only a millisecond.
  await front.untilRoomIn(60_000, 10_000);
  for (let round = 0; round < 4; round++) {
    for (let at = 0; at < 150; at++) front.venue.sell(seller, 1, 6_000_000 + (at % 7), 10);
    front.venue.buy(buyer, 1, 6_100_000, 1500);
  }
  await client.until(() => client.frames.filter(({ e }) => e === "trade").length === 600);
  const ids = client.frames.filter(({ e }) => e === "trade").map(({ t }) => t);
  assert.deepEqual(
    ids,
    ids.map((_, at) => ids[0] + at),
  );
  const { k } = await client.next(({ e, k }) => e === "kline" && k.n === 600);
  assert.deepEqual(
    [k.i, k.f, k.L, k.v, k.o, k.B],
    ["1m", ids[0], ids.at(-1), "0.6000", "60000.00", "0"],
  );
  assert.equal(k.T, k.t + 59_999);
  const day = await client.next(({ e, n }) => e === "24hrTicker" && n === 600);
  assert.deepEqual(
    [day.s, day.v, day.L, day.h, day.l],
    ["CBTC-USDC", "0.6000", ids.at(-1), "60000.06", "60000.00"],
  );
  assert.equal(day.q, k.q);
  client.close();
});

test("STR-3 STR-5 CNF-17 a connection with a bad stream list is closed with code 1008 and the reason", async () => {
  const many = Array.from({ length: 33 }, () => "cc-usdc@trade").join("/");
  for (const [path, message] of [
    ["/ws/nope-usdc@trade", /unknown stream: nope-usdc@trade/],
    ["/ws/cc-usdc@depth", /unknown stream/],
    ["/ws/cc-usdc@kline_1h", /unknown stream/],
    ["/ws/btcusdt@trade", /unknown stream/],
    ["/ws/Cc-Usdc@trade", /unknown stream/],
    ["/ws/%ff%00@trade", /unknown stream/],
    [`/ws/${"x".repeat(2000)}`, /unknown stream/],
    ["/ws", /no streams/],
    ["/ws/", /no streams/],
    ["/stream", /no streams/],
    ["/stream?streams=", /no streams/],
    [`/stream?streams=${many}`, /33, at most 32/],
    ["/ws/0", /unknown stream: 0/],
  ] as const) {
    const { code, reason } = await (await open(path)).end();
    assert.equal(code, 1008, path);
    assert.match(reason, message);
  }
  const whole = await open(`/stream?streams=${many.slice(0, -"/cc-usdc@trade".length)}`);
  await wait(50);
  assert.equal(whole.closed, null);
  whole.close();
});

test("STR-8 CNF-17 CNF-22 at the root, frames from clients change nothing, and frames that are too large close the connection", async () => {
  const client = await open("/ws/cc-usdc@depth5");
  client.send({ method: "UNSUBSCRIBE", params: ["cc-usdc@depth5"], id: 1 });
  client.send({ method: "SUBSCRIBE", params: ["cc-usdc@trade"], id: 2 });
  client.socket.send(Buffer.from([0, 1, 2]));
  for (let at = 0; at < 100; at++) client.socket.send("noise");
  client.socket.pong("unasked");
  client.socket.ping("hello");
  const [echo] = await once(client.socket, "pong");
  assert.equal(String(echo), "hello");
  const from = client.frames.length;
  await client.until(() => client.frames.length >= from + 2);
  assert.ok(client.frames.every((frame) => "lastUpdateId" in frame));
  client.socket.send("x".repeat(5000));
  assert.notEqual((await client.end()).code, 1000);
});

test("STR-4 CNF-17 the seventeenth connection from an address is refused at the upgrade, also through a proxy", async (t) => {
  const own = await FrontFixture.open({ trustedProxies: ["127.0.0.1"] });
  t.after(() => own.close());
  const at = (address: string) => ({ headers: { "X-Forwarded-For": address } });
  const from = (address: string) => open("/ws/cc-usdc@trade", at(address), own);
  const first = await Promise.all(Array.from({ length: 16 }, () => from("198.51.100.7")));
  await assert.rejects(from("198.51.100.7"), /refused: 429/);
  const other = await from("198.51.100.8");
  other.close();
  first[0]?.close();
  const again = await openWhenFree("/ws/cc-usdc@trade", at("198.51.100.7"), own);
  await assert.rejects(from("198.51.100.7"), /refused: 429/);
  for (const client of [...first, again]) client.close();
});

test("STR-6 STR-7 CNF-17 CNF-22 clients are pinged, and a client that never answers is disconnected", async (t) => {
  const own = await FrontFixture.open({ pingMs: 20, pongTimeoutMs: 600 });
  t.after(() => own.close());
  const polite = await open("/ws/cc-usdc@trade", {}, own);
  const silent = await open("/ws/cc-usdc@trade", { pongs: false }, own);
  for (let pings = 1; pings <= 40; pings++) {
    own.advance(20);
    await polite.until(() => polite.pings.length >= pings);
    if (pings === 29) assert.equal(silent.closed, null, "the timeout is not over");
  }
  const { code, reason } = await silent.end();
  assert.deepEqual([code, reason], [1008, "no pong in time"]);
  assert.ok(silent.pings.length >= 3);
  assert.equal(polite.closed, null);
  polite.close();
});

test("STR-7 a half-open connection, whose client neither answers nor closes, is freed", async (t) => {
  const own = await FrontFixture.open({
    ...{ pingMs: 50, pongTimeoutMs: 1_000 },
    connectionsPerAddressMax: 1,
  });
  t.after(() => own.close());
  const socket = connect(Number(new URL(own.base).port), "127.0.0.1");
  socket.on("error", () => {});
  const key = Buffer.alloc(16).toString("base64");
  socket.write(
    `GET /ws/cc-usdc@depth5 HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  await once(socket, "data");
  socket.pause();
  await assert.rejects(open("/ws/cc-usdc@trade", {}, own), /refused: 429/);
  own.advance(1_000);
  const next = await openWhenFree("/ws/cc-usdc@trade", {}, own);
  next.close();
  socket.destroy();
});

test("a stream address requested without an upgrade is answered like any other path", async () => {
  const answer = await front.fetch("/ws/cc-usdc@trade");
  assert.deepEqual([answer.status, answer.json.code], [404, -5000]);
});
