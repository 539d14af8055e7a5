// Proves that malformed bytes on a connection do no harm, whether they are not quite HTTP, cut into pieces of any
// size, or stream frames that are not quite requests. Each gets an error answer or loses its connection, other
// clients are still answered, and no memory leaks.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { Wallet } from "../../src/core/accounts.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltBytes, spoiltText } from "./spoilt-bytes.ts";

let front: FrontFixture;
let port = 0;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open({
    trustedProxies: ["127.0.0.1"],
    connectionsPerAddressMax: 1000,
  });
  port = Number(new URL(front.base).port);
  key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
});
after(() => front.close());

/** A raw TCP connection that records everything it receives. */
class RawClient {
  text = "";
  isClosed = false;
  readonly #socket: Socket;
  #wake: () => void = () => {};

  constructor() {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("data", (chunk) => {
      this.text += chunk.toString("latin1");
      this.#wake();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#socket.write(bytes, () => resolve()));
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(): void {
    this.#socket.destroy();
  }
}

const timestamp = 1_700_000_000_000;
const apiKey = "k".repeat(64);
const order = `symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=200&price=0.1&timestamp=${timestamp}&signature=${"a".repeat(64)}`;
const list = `symbol=CC-USDC&side=SELL&quantity=200&aboveType=LIMIT_MAKER&abovePrice=0.4&belowType=STOP_LOSS&belowStopPrice=0.1&timestamp=${timestamp}&signature=${"a".repeat(64)}`;
const requests = [
  "GET /api/v3/ping HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /api/v3/depth?symbol=CC-USDC&limit=5 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n",
  "GET /compat/api/v3/depth/orders?symbol=CC-USDC&limit=5 HTTP/1.1\r\nHost: x\r\n\r\n",
  `POST /api/v3/order HTTP/1.1\r\nHost: x\r\nX-MBX-APIKEY: ${apiKey}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${order.length}\r\n\r\n${order}`,
  `POST /api/v3/orderList/oco?${list} HTTP/1.1\r\nHost: x\r\nX-MBX-APIKEY: ${apiKey}\r\n\r\n`,
  `DELETE /api/v3/order?${order} HTTP/1.1\r\nHost: x\r\nX-MBX-APIKEY: ${apiKey}\r\n\r\n`,
  'POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer s\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"symbol":"x y"}',
  'POST /v1/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n3\r\n1 }\r\n0\r\n\r\n',
  "PUT /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
  'GET /v1/chain/status HTTP/1.1\r\nHost: x\r\nIf-None-Match: W/"a", *\r\nConnection: close\r\n\r\n',
  "GET /ws/cc-usdc@trade HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
].map((text) => Buffer.from(text, "latin1"));

const sent = fc.record({
  bytes: fc.oneof(
    spoiltBytes(fc.constantFrom(...requests)),
    spoiltBytes(
      fc
        .tuple(fc.constantFrom(...requests), fc.constantFrom(...requests))
        .map((two) => Buffer.concat(two)),
    ),
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
  ),
  cuts: fc.array(fc.nat(400), { maxLength: 3 }),
});

/** Splits the bytes into pieces that end at the cuts. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return ends
    .map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

const statuses = new Set([
  100, 101, 200, 204, 304, 400, 401, 403, 404, 405, 408, 409, 413, 414, 422, 426, 429, 431, 501,
  503, 505,
]);
const ping = Buffer.from("GET /api/v3/ping HTTP/1.1\r\nHost: neighbour\r\n\r\n");
const pong = "\r\n\r\n{}";

/** Asserts that each answer in `text` is complete and that none reports a fault of the venue. */
function assertAnswers(text: string, bytes: Uint8Array): void {
  // After an upgrade the bytes are frames, so only the text before it is checked.
  const head = text.split("HTTP/1.1 101")[0] ?? "";
  for (const answer of head.split(/(?=HTTP\/1\.1 \d{3} )/)) {
    if (answer === "") continue;
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
    const message = `${answer.slice(0, 200)} to ${JSON.stringify(Buffer.from(bytes).toString("latin1"))}`;
    assert.ok(statuses.has(status), message);
    assert.match(answer, /\r\n\r\n/, message);
  }
}

fuzz(
  "ERR-17 LIM-14 malformed input gets an answer or loses its connection, and other clients are answered",
  fc.array(sent, { minLength: 1, maxLength: 12 }),
  async (batch) => {
    front.advance(60_000);
    const neighbour = new RawClient();
    const strangers = batch.map((one) => ({ one, client: new RawClient() }));
    await Promise.all(
      strangers.map(async ({ one: { bytes, cuts }, client }) => {
        for (const piece of pieces(bytes, cuts)) await client.write(piece);
      }),
    );
    // Ping twice: the second answer shows that the server has read everything written before the first one.
    for (const answers of [1, 2]) {
      await neighbour.write(ping);
      await neighbour.until(() => neighbour.text.split(pong).length > answers);
      assert.ok(!neighbour.isClosed, "the neighbour must keep its connection");
    }
    for (const { one, client } of strangers) {
      assertAnswers(client.text, one.bytes);
      client.end();
    }
    neighbour.end();
  },
);

const frames = spoiltText(
  fc.constantFrom(
    '{"method":"SUBSCRIBE","params":["cc-usdc@depth","btcusdt@markPrice"],"id":1}',
    '{"method":"SUBSCRIBE","params":["cc-usdc@order","ethusdt@order"],"id":2}',
    '{"method":"UNSUBSCRIBE","params":["cc-usdc@trade"],"id":"a"}',
    '{"method":"LIST_SUBSCRIPTIONS","id":312}',
    `{"id":"x","method":"order.place","params":{"symbol":"CC-USDC","side":"BUY","type":"LIMIT","apiKey":"${apiKey}","timestamp":${timestamp},"signature":"aa"}}`,
    `{"id":"y","method":"orderList.place.oto","params":{"symbol":"CC-USDC","workingType":"LIMIT","workingSide":"BUY","pendingType":"LIMIT_MAKER","apiKey":"${apiKey}","timestamp":${timestamp},"signature":"aa"}}`,
    '{"id":9,"method":"depth","params":{"symbol":"CC-USDC","limit":5}}',
    '{"id":9,"method":"depth.orders","params":{"symbol":"CC-USDC","limit":5}}',
    '{"id":9,"method":"session.logon","params":{"apiKey":"k","timestamp":1}}',
  ),
);
const endpoints = fc.constantFrom(
  "/ws/cc-usdc@trade",
  "/compat/ws",
  "/compat/stream?streams=",
  "/compat/ws-api/v3",
  "/compat/ws-fapi/v1",
);

fuzz(
  "STR-15 STR-29 any frame on a stream is answered, is ignored, or ends its connection",
  fc.tuple(endpoints, fc.array(frames, { minLength: 1, maxLength: 4 })),
  async ([path, texts]) => {
    front.advance(60_000);
    const client = await StreamClient.open(front.base.replace("http", "ws") + path);
    for (const text of texts) client.socket.send(text);
    let isPonged = false;
    client.socket.once("pong", () => {
      isPonged = true;
    });
    client.socket.on("pong", () => client.socket.emit("message", "{}"));
    client.socket.ping();
    await client.until(() => isPonged || client.closed !== null);
    for (const { status, error } of client.frames) {
      if (status !== undefined) assert.ok(status < 500, JSON.stringify(client.frames));
      if (error !== undefined) assert.equal(typeof error.code, "number");
    }
    client.close();
  },
);

const wish = fc.oneof(
  fc.constantFrom<string | number | boolean>(true, false, "true", "False", 500, 60_000, "1000"),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 12 }),
);

fuzz(
  "COD-1 COD-6 COD-9 whatever a logon asks for, it is answered, and the session shows what holds",
  fc.record({ cancelOnDisconnect: wish, heartbeatInterval: wish }, { requiredKeys: [] }),
  async (wishes) => {
    front.advance(60_000);
    const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-api/v3`);
    const params = { apiKey: key.value, ...wishes, timestamp: Math.floor(front.nowUs() / 1000) };
    const text = Object.entries(params)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join("&");
    client.send({
      id: 1,
      method: "session.logon",
      params: { ...params, signature: key.sign(text) },
    });
    const logon = await client.next(({ id }) => id === 1);
    assert.ok([200, 400, 401].includes(logon.status), JSON.stringify(logon));
    client.send({ id: 2, method: "session.status" });
    const { result } = await client.next(({ id }) => id === 2);
    const isOn = logon.status === 200;
    assert.equal(result.apiKey, isOn ? key.value : null);
    const wanted = String(wishes.cancelOnDisconnect).toLowerCase() === "true";
    assert.equal(result.cancelOnDisconnect, isOn && wanted);
    // An empty parameter counts as left out.
    const { heartbeatInterval = "" } = wishes;
    const hasInterval = isOn && heartbeatInterval !== "";
    assert.equal(result.heartbeatInterval, hasInterval ? Number(heartbeatInterval) : null);
    client.close();
    // Its end is an event, and the tests after this one compare states.
    while (front.venue.state.connections.count > 0) await sleep(1);
  },
);

/** Returns the bytes on the heap after garbage collection. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

test("LIM-14 LIM-15 input from strangers does not make the venue's memory grow", async (t) => {
  const strangers = async (round: number) => {
    const client = new RawClient();
    for (let at = 0; at < 4000; at++) {
      const name = `${round}-${at}-${"z".repeat(100)}`;
      const head = `GET /v1/${name}?${name}=1 HTTP/1.1\r\nHost: ${name}\r\nX-Forwarded-For: 2001:db8:0:${at.toString(16)}::1\r\nX-MBX-APIKEY: ${name.padEnd(64, "q").slice(0, 64)}\r\nAuthorization: Bearer ${name}\r\n\r\n`;
      await client.write(Buffer.from(head));
      await client.until(() => client.text.endsWith("\r\n\r\nnot found"));
      assert.ok(!client.isClosed, client.text);
      client.text = "";
    }
    client.end();
    front.advance(60_000);
  };
  const hash = stateHash(front.venue.state);
  // The first two rounds fill structures of bounded size: remembered addresses (at most 65,536) and compiled code.
  for (let round = 1; round <= 2; round++) await strangers(round);
  const settled = heldBytes();
  for (let round = 3; round <= 5; round++) await strangers(round);
  const grown = heldBytes() - settled;
  t.diagnostic(`${grown} bytes after 12,000 strangers`);
  assert.ok(grown < 2 ** 20, `the heap grew by ${grown} bytes`);
  assert.equal(stateHash(front.venue.state), hash);
});
