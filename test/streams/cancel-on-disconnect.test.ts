// Proves that the orders of an order session that declared it are cancelled when its connection is lost, in whatever way,
// and that nothing else is.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { KeyPermission } from "../../src/core/accounts.ts";
import {
  accountsPerConnectionMax,
  connectionsPerAccountMax,
  heartbeatMsMax,
  heartbeatMsMin,
} from "../../src/core/connection-limits.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { CloseReason } from "../../src/core/orders.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { call, type Parameters } from "./session-client.ts";
import { type ClientOptions, type Frame, StreamClient } from "./stream-client.ts";

let front: FrontFixture;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 100 });
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function open(path = "ws-api/v3", options: ClientOptions = {}): Promise<StreamClient> {
  const url = `${front.base.replace("http", "ws")}/compat/${path}`;
  const client = await StreamClient.open(url, options);
  clients.push(client);
  return client;
}

const declared = { cancelOnDisconnect: true };

/** Opens a session that logs on with these parameters. */
async function loggedOn(key: TestKey, params: Parameters = declared, path = "ws-api/v3") {
  const client = await open(path);
  const logon = await call(client, "session.logon", params, key);
  assert.equal(logon.status, 200, JSON.stringify(logon));
  return client;
}

const terms = {
  ...{ symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" },
  ...{ quantity: "100.0", price: "0.1500", recvWindow: 60_000 },
};

/** Places an order on a logged-on session; returns its id. */
async function placed(client: StreamClient, more: Parameters = {}): Promise<number> {
  const answer = await call(client, "order.place", { ...terms, timestamp: Date.now(), ...more });
  assert.equal(answer.status, 200, JSON.stringify(answer));
  return answer.result.orderId;
}

function isOpen(orderId: number): boolean {
  return front.state.orders.slotOf(orderId) >= 0;
}

/** Waits until none of the orders is open. */
async function untilClosed(...orderIds: number[]): Promise<void> {
  const endMs = Date.now() + 120_000;
  while (orderIds.some(isOpen)) {
    if (Date.now() > endMs) throw new Error("the orders are still open");
    await sleep(5);
  }
}

function reasonOf(orderId: number): CloseReason | undefined {
  const closes = front.venue.events.flatMap((event) =>
    event.kind === EventKind.orderClosed && event.orderId === orderId ? [event.reason] : [],
  );
  return closes[0];
}

const losses: readonly [string, (client: StreamClient) => void][] = [
  ["a close frame", ({ socket }) => socket.close()],
  ["the end of the stream", ({ socket }) => tcpOf(socket).end()],
  ["a reset", ({ socket }) => tcpOf(socket).resetAndDestroy()],
];

/** The TCP socket below a WebSocket of the client library. */
function tcpOf(socket: unknown): Socket {
  return (socket as { readonly _socket: Socket })._socket;
}

for (const [name, lose] of losses) {
  test(`COD-7 ${name} cancels the orders of the connection`, async () => {
    const key = await front.newTrader();
    const client = await loggedOn(key);
    const ids = [await placed(client), await placed(client, { price: "0.1400" })];
    lose(client);
    await untilClosed(...ids);
    assert.deepEqual(ids.map(reasonOf), [CloseReason.disconnected, CloseReason.disconnected]);
  });
}

test("COD-1 a futures session declares it in the same way", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key, declared, "ws-fapi/v1");
  const perp = { symbol: "BTCUSDT", quantity: "0.010", price: "50000" };
  const orderId = await placed(client, perp);
  client.close();
  await untilClosed(orderId);
});

test("COD-2 only the orders of the lost connection are cancelled, not those of another one of the same key", async () => {
  const key = await front.newTrader();
  const [lost, plain, other] = [await loggedOn(key), await loggedOn(key, {}), await loggedOn(key)];
  const ids = await Promise.all([placed(lost), placed(plain), placed(other)]);
  plain.close();
  lost.close();
  await untilClosed(ids[0] ?? 0);
  await sleep(50);
  assert.deepEqual(ids.map(isOpen), [false, true, true]);
  other.close();
  await untilClosed(ids[2] ?? 0);
});

test("COD-3 an order may ask to stay, and a replacement belongs to the connection", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const stays = await placed(client, { cancelOnDisconnect: false });
  const replaced = await placed(client);
  const answer = await call(client, "order.cancelReplace", {
    ...{ ...terms, cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId: replaced },
    timestamp: Date.now(),
  });
  const replacement = answer.result.newOrderResponse.orderId;
  client.close();
  await untilClosed(replacement);
  assert.ok(isOpen(stays));
});

test("QUO-9 a mass quote belongs to the connection, unless it asks to stay", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key, declared, "ws-fapi/v1");
  const quoted = async (id: number, more: Parameters = {}): Promise<number[]> => {
    const quotes = JSON.stringify([
      { id, bidPrice: 49_000, bidQty: "0.01", askPrice: 51_000, askQty: "0.01" },
    ]);
    const timed = { timestamp: Date.now(), recvWindow: 60_000 };
    const params = { symbol: "BTCUSDT", quotes, ...timed, ...more };
    const answer = await call(client, "order.massQuote", params);
    assert.equal(answer.status, 200, JSON.stringify(answer));
    const [{ bid, ask }] = answer.result;
    return [bid.orderId, ask.orderId];
  };
  const bound = await quoted(1);
  const stays = await quoted(2, { cancelOnDisconnect: false });
  client.close();
  await untilClosed(...bound);
  assert.deepEqual(bound.map(reasonOf), [CloseReason.disconnected, CloseReason.disconnected]);
  assert.ok(stays.every(isOpen));
});

test("COD-4 an order that asks for it without a declaration is refused and changes nothing", async () => {
  const key = await front.newTrader();
  const plain = await loggedOn(key, {});
  const { seq } = front.state;
  const wanted = { ...terms, cancelOnDisconnect: true };
  const answer = await call(plain, "order.place", { ...wanted, timestamp: Date.now() });
  assert.deepEqual([answer.status, answer.error.code], [400, -1130]);
  const rest = await front.send("POST", "/api/v3/order", wanted, { key });
  assert.deepEqual([rest.status, rest.json.code], [400, -1130]);
  assert.match(rest.json.msg, /cancelOnDisconnect=true/);
  const stays = await front.send(
    "POST",
    "/api/v3/order/test",
    { ...terms, cancelOnDisconnect: false },
    { key },
  );
  assert.equal(stays.status, 200);
  assert.equal(front.state.seq, seq);
  const session = await loggedOn(key);
  assert.ok(isOpen(await placed(session, { cancelOnDisconnect: true })));
});

test("COD-5 an order that is under way when the connection is lost does not stay", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  front.isHolding = true;
  client.send({ id: "late", method: "order.place", params: { ...terms, timestamp: Date.now() } });
  while (!front.held.some(({ kind }) => kind === CommandKind.placeOrder)) await sleep(5);
  client.close();
  while (!front.held.some(({ kind }) => kind === CommandKind.endConnection)) await sleep(5);
  front.release();
  assert.equal(front.venue.state.orders.firstOfAccount(key.account), -1);
});

test("COD-5 the end of a connection is sent until clearing has it", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const orderId = await placed(client);
  front.isFull = true;
  client.close();
  await sleep(300);
  assert.ok(isOpen(orderId));
  front.isFull = false;
  await untilClosed(orderId);
});

test("COD-6 a silent connection is lost after two heartbeats, and one that answers pings is not", async () => {
  const key = await front.newTrader();
  const silent = await open("ws-api/v3", { pongs: false });
  const params = { ...declared, heartbeatInterval: heartbeatMsMin };
  const alive = await loggedOn(key, params);
  const kept = await placed(alive);
  const logon = await call(silent, "session.logon", params, key);
  assert.equal(logon.result.heartbeatInterval, heartbeatMsMin);
  const lost = await placed(silent);
  await untilClosed(lost);
  assert.deepEqual(await silent.end(), { code: 1008, reason: "no heartbeat in time" });
  // The other one lives longer than the silent one did.
  const heard = alive.pings.length;
  await alive.until(() => alive.pings.length >= heard + 3 || alive.closed !== null);
  assert.equal(alive.closed, null);
  assert.ok(isOpen(kept));
});

test("COD-6 a pause of the venue's front is no silence of the client", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key, { ...declared, heartbeatInterval: 500 });
  const orderId = await placed(client);
  const untilMs = Date.now() + 1_400;
  while (Date.now() < untilMs);
  await sleep(300);
  assert.ok(isOpen(orderId));
  assert.equal((await call(client, "session.status")).result.heartbeatInterval, 500);
});

test("COD-6 COD-1 values that are not allowed are refused, name the parameter and change nothing", async () => {
  const key = await front.newTrader();
  const client = await open();
  const bad: readonly [Parameters, number, RegExp][] = [
    [{ heartbeatInterval: heartbeatMsMin - 1 }, -1130, /heartbeatInterval.*500 to 60000/],
    [{ heartbeatInterval: heartbeatMsMax + 1 }, -1130, /heartbeatInterval/],
    [{ heartbeatInterval: "1.5" }, -1130, /heartbeatInterval/],
    [{ heartbeatInterval: true }, -1130, /heartbeatInterval/],
    [{ cancelOnDisconnect: "maybe" }, -1100, /cancelOnDisconnect/],
    [{ cancelOnDisconnect: 1 }, -1100, /cancelOnDisconnect/],
  ];
  for (const [params, code, message] of bad) {
    const { status, error } = await call(client, "session.logon", { ...declared, ...params }, key);
    assert.deepEqual([status, error.code], [400, code], JSON.stringify(params));
    assert.match(error.msg, message);
  }
  const { result } = await call(client, "session.status");
  assert.deepEqual([result.apiKey, result.cancelOnDisconnect], [null, false]);
  assert.equal(front.state.connections.countOf(key.account), 0);
});

test("COD-7 a logout keeps the orders, and so does a logon that withdraws the declaration", async () => {
  const key = await front.newTrader();
  const left = await loggedOn(key);
  const withdrawn = await loggedOn(key);
  const ids = [await placed(left), await placed(withdrawn)];
  const answer = await call(left, "session.logout");
  assert.equal(answer.result.cancelOnDisconnect, false);
  const again = await call(withdrawn, "session.logon", { cancelOnDisconnect: false }, key);
  assert.equal(again.result.cancelOnDisconnect, false);
  left.close();
  withdrawn.close();
  await sleep(200);
  assert.deepEqual(ids.map(isOpen), [true, true]);
});

test("COD-1 another logon without the parameter changes nothing, and a second declaration is the first", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const orderId = await placed(client);
  const plain = await call(client, "session.logon", {}, key);
  assert.equal(plain.result.cancelOnDisconnect, true);
  await call(client, "session.logon", declared, key);
  assert.equal(front.state.connections.countOf(key.account), 1);
  client.close();
  await untilClosed(orderId);
});

test("COD-7 a revoked key loses the connections that it declared", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const orderId = await placed(client);
  const { account, keyId } = key;
  const change = { tier: 0, permissions: 3, expects: 0, isRevoked: true } as const;
  front.venue.done({ kind: CommandKind.changeKey, account, keyId, ...change });
  await untilClosed(orderId);
  assert.equal(reasonOf(orderId), CloseReason.disconnected);
});

test("COD-7 a key that may not trade any more loses the connections that it declared", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const orderId = await placed(client);
  const { account, keyId } = key;
  const restrict = (permissions: number, expects: number) => {
    const expiry = { expiresUs: 0, expectsExpiresUs: 0 };
    const kind = CommandKind.restrictKey;
    front.venue.done({ kind, account, keyId, permissions, expects, ...expiry });
  };
  const { read, trade, tradeSpot } = KeyPermission;
  restrict(read | tradeSpot, read | trade);
  assert.ok(isOpen(orderId), "it may still place spot orders");
  restrict(read, read | tradeSpot);
  await untilClosed(orderId);
  const { code, reason } = await client.end();
  assert.deepEqual([code, /may not trade/.test(reason)], [1008, true]);
});

test("COD-1 a key without the right to place orders over the session declares nothing", async () => {
  const { account } = await front.newTrader();
  const { read, tradeSpot } = KeyPermission;
  for (const [permissions, path] of [
    [read, "ws-api/v3"],
    [read | tradeSpot, "ws-fapi/v1"],
  ] as const) {
    const key = await front.newKey(account, { permissions });
    const client = await open(path);
    const { status, error } = await call(client, "session.logon", declared, key);
    assert.deepEqual([status, error.code], [401, -2015]);
    assert.equal((await call(client, "session.logon", {}, key)).status, 200);
  }
  assert.equal(front.state.connections.countOf(account), 0);
});

test("COD-7 a key that may not be used from the connection's address any more loses it", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const orderId = await placed(client);
  const { account, keyId } = key;
  await front.keys.replaceRanges(keyId, [], ["203.0.113.7/32"]);
  const { read, trade } = KeyPermission;
  const kind = CommandKind.restrictKey;
  const terms = { permissions: read | trade, expects: read | trade, expiresUs: 0 };
  front.venue.done({ kind, account, keyId, ...terms, expectsExpiresUs: 0 });
  await untilClosed(orderId);
  assert.equal((await client.end()).code, 1008);
});

test("COD-9 a logon of another account shows what holds for that account", async () => {
  const [one, other] = [await front.newTrader(), await front.newTrader()];
  const client = await loggedOn(one);
  const plain = await call(client, "session.logon", {}, other);
  assert.equal(plain.result.cancelOnDisconnect, false);
  const again = await call(client, "session.logon", {}, one);
  assert.equal(again.result.cancelOnDisconnect, true);
});

test("COD-13 a logout waits for orders that are under way, and they stay", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const orderId = await placed(client);
  const replace = { ...terms, cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId: orderId };
  front.isHolding = true;
  const replaced = call(client, "order.cancelReplace", { ...replace, timestamp: Date.now() });
  const logout = call(client, "session.logout");
  while (front.held.length === 0) await sleep(5);
  front.release();
  const { newOrderResponse } = (await replaced).result;
  assert.equal((await logout).result.cancelOnDisconnect, false);
  client.close();
  await sleep(300);
  assert.ok(isOpen(newOrderResponse.orderId));
});

test("COD-4 a conditional order of the algo service is refused alike without a declaration", async () => {
  const key = await front.newTrader();
  const algo = { algoType: "CONDITIONAL", symbol: "BTCUSDT", side: "SELL", type: "STOP_MARKET" };
  const wanted = { ...algo, quantity: "0.010", triggerPrice: "40000", cancelOnDisconnect: true };
  const path = "/compat/fapi/v1/algoOrder";
  const { status, json } = await front.send("POST", path, wanted, { key });
  assert.deepEqual([status, json.code], [400, -1130]);
});

test("COD-8 one connection cancels for a limited number of accounts", async () => {
  const client = await open();
  for (let count = 0; count < accountsPerConnectionMax; count++) {
    const { status } = await call(client, "session.logon", declared, await front.newTrader());
    assert.equal(status, 200);
  }
  const { error } = await call(client, "session.logon", declared, await front.newTrader());
  assert.equal(error.code, -1034);
  assert.match(error.msg, /over this connection/);
});

test("COD-13 an order that follows the logon before its answer belongs to the connection", async () => {
  const key = await front.newTrader();
  const client = await open();
  front.isHolding = true;
  const logon = call(client, "session.logon", declared, key);
  const order = call(client, "order.place", { ...terms, timestamp: Date.now() });
  while (!front.held.some(({ kind }) => kind === CommandKind.openConnection)) await sleep(5);
  assert.ok(!front.held.some(({ kind }) => kind === CommandKind.placeOrder));
  front.isHolding = false;
  front.release();
  assert.equal((await logon).status, 200);
  const { orderId } = (await order).result;
  assert.ok(isOpen(orderId));
  client.close();
  await untilClosed(orderId);
});

test("COD-13 more requests than may wait for the answer to a logon close the connection", async () => {
  const client = await open();
  front.isHolding = true;
  void call(client, "session.logon", declared, await front.newTrader()).catch(() => undefined);
  while (!front.held.some(({ kind }) => kind === CommandKind.openConnection)) await sleep(5);
  for (let id = 0; id <= 256; id++) client.send({ id, method: "time" });
  assert.equal((await client.end()).code, 1008);
  front.isHolding = false;
  front.release();
});

test("COD-8 a declaration beyond the account's limit is refused, and the session is not logged on", async () => {
  const key = await front.newTrader();
  const { account, keyId } = key;
  for (let count = 0; count < connectionsPerAccountMax; count++)
    front.venue.done({ kind: CommandKind.openConnection, account, keyId });
  for (const path of ["ws-api/v3", "ws-fapi/v1"]) {
    const client = await open(path);
    const { status, error } = await call(client, "session.logon", declared, key);
    assert.deepEqual([status, error.code], [400, -1034]);
    assert.equal((await call(client, "session.status")).result.apiKey, null);
  }
});

test("COD-9 session.status shows what holds", async () => {
  const key = await front.newTrader();
  const client = await open();
  const shown = async () => {
    const { result } = (await call(client, "session.status")) as Frame;
    return [result.cancelOnDisconnect, result.heartbeatInterval];
  };
  assert.deepEqual(await shown(), [false, null]);
  await call(client, "session.logon", { ...declared, heartbeatInterval: 60_000 }, key);
  assert.deepEqual(await shown(), [true, 60_000]);
  await call(client, "session.logout");
  assert.deepEqual(await shown(), [false, 60_000]);
});

test("COD-11 a connection that counts as lost while its socket is open is closed with words", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const orderId = await placed(client);
  const { account } = key;
  const own = [...front.state.connections.all()].filter((one) => one.account === account);
  for (const { connectionId } of own)
    front.venue.done({
      kind: CommandKind.endConnection,
      account,
      connectionId,
      keepsOrders: false,
    });
  const { code, reason } = await client.end();
  assert.deepEqual(
    [code, reason],
    [1008, "this connection counted as lost: its orders are cancelled"],
  );
  assert.ok(!isOpen(orderId));
});

test("SPT-93 a list belongs to its connection as a whole, pending orders too, unless it asks to stay", async () => {
  const key = await front.newTrader();
  const client = await loggedOn(key);
  const list = {
    ...{ symbol: "CC-USDC", workingType: "LIMIT", workingSide: "BUY", workingTimeInForce: "GTC" },
    ...{ workingPrice: "0.1500", workingQuantity: "100", pendingSide: "SELL" },
    ...{ pendingQuantity: "100", pendingAboveType: "LIMIT_MAKER", pendingAbovePrice: "0.1600" },
    ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "0.1400" },
  };
  const place = async (more: Parameters = {}): Promise<number[]> => {
    const terms = { ...list, ...more, timestamp: Date.now(), recvWindow: 60_000 };
    const answer = await call(client, "orderList.place.otoco", terms);
    assert.equal(answer.status, 200, JSON.stringify(answer));
    return answer.result.orders.map(({ orderId }: { orderId: number }) => orderId);
  };
  const [bound, kept] = [await place(), await place({ cancelOnDisconnect: false })];
  client.close();
  await untilClosed(...bound);
  assert.deepEqual(
    bound.map(reasonOf),
    bound.map(() => CloseReason.disconnected),
  );
  assert.ok(kept.every(isOpen));
});
