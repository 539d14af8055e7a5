// Proves that an order session opened with responseFormat=sbe answers in SBE: each answer is an envelope with the
// request's id and status, and the result is the message that REST answers with. User data is SBE too.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { Wallet } from "../../src/core/accounts.ts";
import type { Json } from "../support/client/json.ts";
import { sendRaw } from "../support/client/raw-request.ts";
import type { Decoded } from "../support/sbe/published-schema.ts";
import { differences } from "../support/sbe/same-as-json.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { spotSchema } from "./sbe-client.ts";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;
const symbol = "CC-USDC";
const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };
const sessions: SbeSession[] = [];

type Parameters = Record<string, string | number | boolean>;

class SbeSession {
  readonly socket: WebSocket;
  readonly frames: Decoded[] = [];
  readonly texts: Json[] = [];
  #next = 1;

  private constructor(query: string) {
    const base = front.base.replace("http", "ws");
    this.socket = new WebSocket(`${base}/compat/ws-api/v3?${query}`);
    this.socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.frames.push(spotSchema.decode(data));
      else this.texts.push(JSON.parse(data.toString()));
    });
    sessions.push(this);
  }

  static async open(
    query = "responseFormat=sbe&sbeSchemaId=3&sbeSchemaVersion=5",
  ): Promise<SbeSession> {
    const session = new SbeSession(query);
    await new Promise((resolve, reject) => {
      session.socket.on("open", resolve);
      session.socket.on("error", reject);
    });
    return session;
  }

  /** Sends a request, signed if a key is given; returns the envelope. */
  async call(method: string, params: Parameters = {}, key?: TestKey): Promise<Decoded["values"]> {
    const id = this.#next++;
    let all = params;
    if (key !== undefined) {
      all = { ...params, apiKey: key.value, timestamp: Date.now(), recvWindow: 60_000 };
      const text = Object.keys(all)
        .sort()
        .map((name) => `${name}=${all[name]}`)
        .join("&");
      all = { ...all, signature: key.sign(text) };
    }
    this.socket.send(JSON.stringify({ id, method, params: all }));
    return this.envelope(String(id));
  }

  async envelope(id: string): Promise<Decoded["values"]> {
    const is = ({ template, values }: Decoded) =>
      template === "WebSocketResponse" && values["id"] === id;
    return (await this.frame(is)).values;
  }

  async frame(is: (frame: Decoded) => boolean): Promise<Decoded> {
    return until(() => this.frames.find(is));
  }
}

async function until<T>(read: () => T | undefined): Promise<T> {
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; ) {
    const value = read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return assert.fail("waited too long");
}

function resultOf({ result }: Decoded["values"]): Decoded {
  return result as Decoded;
}

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  maker = await front.newTrader();
  taker = await front.newTrader();
  for (const { account } of [maker, taker]) front.venue.credit(account, Wallet.spot, 1, 10n ** 14n);
});
after(() => {
  for (const { socket } of sessions) socket.terminate();
  front.close();
});

const sell = { ...limit, side: "SELL", price: "0.2", quantity: "500" };

test("SBE-21 an answer is an envelope with id, status, limits and the message of REST", async () => {
  const session = await SbeSession.open();
  const time = await session.call("time");
  assert.deepEqual([time["status"], time["sbeSchemaIdVersionDeprecated"]], [200n, false]);
  assert.equal(resultOf(time).template, "ServerTimeResponse");
  const limits = time["rateLimits"] as readonly Decoded["values"][];
  assert.deepEqual(
    limits.map(({ rateLimitType, interval, intervalNum }) => [
      rateLimitType,
      interval,
      intervalNum,
    ]),
    [["REQUEST_WEIGHT", "MINUTE", 1n]],
  );
  const placed = await session.call("order.place", sell, maker);
  assert.equal(resultOf(placed).template, "NewOrderFullResponse");
  assert.equal((placed["rateLimits"] as readonly unknown[]).length, 3);
  const { orderId } = resultOf(placed).values;
  const status = await session.call("order.status", { symbol, orderId: String(orderId) }, maker);
  const query = { symbol, orderId: String(orderId), recvWindow: 60_000 };
  const { json } = await front.send("GET", "/compat/api/v3/order", query, { key: maker });
  assert.deepEqual(differences(spotSchema, resultOf(status), json), []);
  for (const method of ["depth", "trades.recent", "ticker.book", "ticker.24hr"])
    assert.equal((await session.call(method, { symbol }))["status"], 200n, method);
});

test("SBE-21 ids that are numbers, texts or null are texts in the envelope", async () => {
  const session = await SbeSession.open();
  for (const [id, text] of [
    [7, "7"],
    ["seven", "seven"],
    [null, ""],
  ] as const) {
    session.socket.send(JSON.stringify({ id, method: "ping" }));
    assert.equal(resultOf(await session.envelope(text)).template, "PingResponse");
  }
});

test("SBE-22 refusals are envelopes with an error; so are answers without a template", async () => {
  const session = await SbeSession.open();
  for (const [method, params, status, code] of [
    ["nope", {}, 404n, -5000n],
    ["depth", {}, 400n, -1102n],
    ["order.place", { ...sell, quantity: "1" }, 400n, -1013n],
    ["order.massQuote", { symbol, quotes: "[]" }, 406n, -1155n],
    ["mmp.status", {}, 406n, -1155n],
  ] as const) {
    const isSigned = !["nope", "depth"].includes(method);
    const envelope = await session.call(method, params, isSigned ? maker : undefined);
    const { template, values } = resultOf(envelope);
    assert.deepEqual(
      [envelope["status"], template, values["code"]],
      [status, "ErrorResponse", code],
      method,
    );
  }
});

test("SBE-23 logon, user data and logout are in SBE; an account's events carry the subscription", async () => {
  const session = await SbeSession.open("responseFormat=sbe&sbeSchemaId=3&sbeSchemaVersion=4");
  const signed = await session.call("userDataStream.subscribe.signature", {}, taker);
  assert.equal(signed["sbeSchemaIdVersionDeprecated"], true);
  const { subscriptionId } = resultOf(signed).values;
  const subscriptions = await session.call("session.subscriptions");
  assert.deepEqual(
    (resultOf(subscriptions).values["subscriptions"] as readonly Decoded["values"][]).map(
      (row) => row["subscriptionId"],
    ),
    [subscriptionId],
  );
  const buy = { ...limit, side: "BUY", price: "0.2", quantity: "200", newClientOrderId: "mine" };
  await session.call("order.place", buy, taker);
  const report = await session.frame(
    ({ template, values }) =>
      template === "ExecutionReportEvent" && values["executionType"] === "TRADE",
  );
  const { values } = report;
  assert.equal(report.version, 4);
  assert.deepEqual(
    [values["clientOrderId"], values["side"], values["orderStatus"], values["subscriptionId"]],
    ["mine", "BUY", "FILLED", subscriptionId],
  );
  assert.deepEqual([values["lastQty"], values["qtyExponent"]], [200n * 10n ** 8n, -8n]);
  assert.equal(values["commissionAsset"], "CC");
  const position = await session.frame(
    ({ template }) => template === "OutboundAccountPositionEvent",
  );
  assert.ok((position.values["balances"] as readonly unknown[]).length > 0);
  await session.call("userDataStream.unsubscribe", { subscriptionId: Number(subscriptionId) });
  const ended = await session.frame(({ template }) => template === "EventStreamTerminatedEvent");
  assert.equal(ended.values["subscriptionId"], subscriptionId);
  const status = resultOf(await session.call("session.status"));
  assert.deepEqual(
    [status.template, status.values["authorizedSince"], status.values["loggedOnApiKey"]],
    ["WebSocketSessionStatusResponse", null, ""],
  );
  assert.equal(
    resultOf(await session.call("session.logout")).template,
    "WebSocketSessionLogoutResponse",
  );
});

test("SBE-24 a URL with another schema, or with two formats, is refused with 400 as JSON", async () => {
  for (const query of [
    "responseFormat=sbe",
    "responseFormat=sbe&sbeSchemaId=3",
    "responseFormat=sbe&sbeSchemaId=3&sbeSchemaVersion=x",
    "responseFormat=sbe&sbeSchemaId=3&sbeSchemaVersion=3",
    "responseFormat=sbe&sbeSchemaId=2&sbeSchemaVersion=1",
    "responseFormat=sbe&sbeSchemaId=3&sbeSchemaId=2&sbeSchemaVersion=5",
    "responseFormat=sbe&responseFormat=json&sbeSchemaId=3&sbeSchemaVersion=5",
  ]) {
    const { text } = await sendRaw(
      Number(new URL(front.base).port),
      `GET /compat/ws-api/v3?${query} HTTP/1.1\r\nHost: venue\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
      (so) => so.endsWith("}") || so.includes("101 "),
    );
    assert.match(text, /^HTTP\/1.1 400 /, query);
    assert.match(text, /"code":-1153/, query);
  }
});

test("SBE-25 binary and broken frames get an error in SBE, and the session goes on", async () => {
  const session = await SbeSession.open();
  const broken = [Buffer.alloc(0), Buffer.alloc(64, 255), Buffer.from([50, 0, 3, 0, 5, 0])];
  for (const frame of broken) session.socket.send(frame);
  session.socket.send("{");
  session.socket.send('{"id":{"a":1},"method":"ping"}');
  await until(() => (session.frames.length >= broken.length + 2 ? true : undefined));
  for (const { template, values } of session.frames)
    assert.deepEqual([template, resultOf(values).template], ["WebSocketResponse", "ErrorResponse"]);
  assert.equal((await session.call("ping"))["status"], 200n);
});
