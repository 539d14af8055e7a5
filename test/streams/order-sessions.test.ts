// Proves that trading over a WebSocket order session is the same as over HTTP: requests are signed once at logon or one
// by one, and pass the same checks, limits and routes.

import assert from "node:assert/strict";
import { sign as signBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { KeyType } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { newEd25519Key } from "../support/ed25519-key.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { call } from "./session-client.ts";
import { StreamClient } from "./stream-client.ts";

let front: FrontFixture;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({
    isLive: true,
    connectionsPerAddressMax: 100,
  });
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

async function open(path = "ws-api/v3", at = front): Promise<StreamClient> {
  const client = await StreamClient.open(`${at.base.replace("http", "ws")}/compat/${path}`);
  clients.push(client);
  return client;
}

const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
const terms = { ...order, quantity: "100.0", price: "0.1500" };

/** Creates an Ed25519 key of a new account. */
async function ed25519Key(): Promise<TestKey> {
  const { publicKey, privateKey } = newEd25519Key();
  const account = front.venue.fund(10n ** 12n);
  const key = await front.newKey(account, {
    keyType: KeyType.ed25519,
    publicKey,
    sealedSecret: null,
  });
  const sign = (text: string) => signBytes(null, Buffer.from(text), privateKey).toString("base64");
  return { ...key, sign };
}

for (const [name, keyOf] of [
  ["HMAC", () => front.newTrader()],
  ["Ed25519", ed25519Key],
] as const) {
  test(`STR-26 after one session.logon with ${name} orders need no signature`, async () => {
    const key = await keyOf();
    const client = await open();
    const early = await call(client, "order.place", { ...terms, timestamp: Date.now() });
    assert.deepEqual([early.status, early.error.code], [400, -2014]);
    const logon = await call(client, "session.logon", {}, key);
    assert.deepEqual([logon.status, logon.result.apiKey], [200, key.value]);
    const timestamp = Date.now();
    const timed = { timestamp, recvWindow: 60_000 };
    const placed = await call(client, "order.place", {
      ...terms,
      newClientOrderId: "a:b/c",
      ...timed,
    });
    assert.deepEqual([placed.status, placed.result.status], [200, "NEW"], JSON.stringify(placed));
    const named = { symbol: "CC-USDC", origClientOrderId: "a:b/c", ...timed };
    const status = await call(client, "order.status", named);
    assert.equal(status.result.orderId, placed.result.orderId);
    const open1 = await call(client, "openOrders.status", timed);
    assert.equal(open1.result.length, 1);
    const cancelled = await call(client, "order.cancel", named);
    assert.equal(cancelled.result.status, "CANCELED");
    const unknown = await call(client, "order.cancel", named);
    assert.deepEqual([unknown.status, unknown.error.code], [422, -2011]);
    const untimed = await call(client, "openOrders.status");
    assert.deepEqual([untimed.status, untimed.error.code], [400, -1102]);
    const late = await call(client, "openOrders.status", { timestamp: timestamp - 60_000 });
    assert.equal(late.error.code, -1021);
    await call(client, "session.logout");
    const after = await call(client, "openOrders.status", { timestamp });
    assert.equal(after.error.code, -2014);
  });
}

test("STR-27 each signed request is executed for the account it names, and a wrong signature opens nothing", async () => {
  const key = await front.newTrader();
  const client = await open();
  const placed = await call(client, "order.place", { ...terms, newClientOrderId: "x/y:z" }, key);
  assert.equal(placed.status, 200, JSON.stringify(placed));
  const forged = await call(client, "order.place", terms, { ...key, sign: () => "ab".repeat(32) });
  assert.deepEqual([forged.status, forged.error.code], [401, -1022]);
  const futures = await open("ws-fapi/v1");
  const perp = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const other = await call(
    futures,
    "order.place",
    { ...perp, quantity: "0.010", price: "50000" },
    key,
  );
  assert.deepEqual([other.status, other.result.status], [200, "NEW"], JSON.stringify(other));
  const depth = await call(client, "depth", { symbol: "CC-USDC", limit: 5 });
  assert.equal(depth.status, 200);
  assert.deepEqual((await call(client, "ping")).result, {});
});

const row = (
  type: string,
  interval: string,
  intervalNum: number,
  limit: number,
  count: number,
) => ({
  rateLimitType: type,
  interval,
  intervalNum,
  limit,
  count,
});

test("STR-33 an answer lists each limit that its request counts against, with its maximum", async () => {
  let key = await front.newTrader();
  const client = await open();
  await inOneWindow(async () => {
    // If a window ends meanwhile, the next attempt must not find orders of this one in the minute.
    key = await front.newTrader();
    const placed = await call(client, "order.place", terms, key);
    const refused = await call(client, "order.place", { ...terms, price: "0.00001" }, key);
    const read = await call(client, "openOrders.status", {}, key);
    const anyone = await call(client, "time");
    return () => {
      const used = placed.rateLimits.at(-1).count;
      assert.deepEqual(placed.rateLimits, [
        row("ORDERS", "SECOND", 10, 50, 1),
        row("ORDERS", "MINUTE", 1, 200, 1),
        row("REQUEST_WEIGHT", "MINUTE", 1, 1200, used),
      ]);
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.rateLimits[0], row("ORDERS", "SECOND", 10, 50, 2));
      assert.deepEqual(read.rateLimits, [
        row("REQUEST_WEIGHT", "MINUTE", 1, 1200, refused.rateLimits.at(-1).count + 40),
      ]);
      const [weight, ...others] = anyone.rateLimits;
      assert.deepEqual([weight.limit, others], [6000, []]);
    };
  });
  const forged = await call(client, "order.place", terms, { ...key, sign: () => "ab".repeat(32) });
  assert.deepEqual([forged.status, forged.rateLimits.length], [401, 1]);
  assert.equal(forged.rateLimits[0].limit, 6000);
});

test("STR-33 STR-52 rateLimits are left out if the request or the address says so", async () => {
  const key = await front.newTrader();
  const client = await open();
  const hidden = await call(client, "order.place", { ...terms, returnRateLimits: false }, key);
  assert.deepEqual([hidden.status, Object.keys(hidden)], [200, ["id", "status", "result"]]);
  const refused = await call(
    client,
    "order.cancel",
    { symbol: "CC-USDC", returnRateLimits: "false" },
    key,
  );
  assert.deepEqual([refused.status, Object.keys(refused)], [400, ["id", "status", "error"]]);
  for (const returnRateLimits of [
    "no",
    1,
    [],
    [{ toString: 1 }],
    [{ toString: null, valueOf: 1 }],
  ]) {
    const wrong = await call(client, "time", { returnRateLimits });
    assert.deepEqual([wrong.status, wrong.error.code], [400, -1100]);
    assert.match(wrong.error.msg, /returnRateLimits/);
  }
  const quiet = await open("ws-api/v3?returnRateLimits=false");
  const status = await call(quiet, "session.status");
  assert.deepEqual([status.result.returnRateLimits, status.rateLimits], [false, undefined]);
  quiet.socket.send("nonsense");
  const told = await quiet.next(({ error }) => error !== undefined);
  assert.deepEqual(Object.keys(told), ["id", "status", "error"]);
  const shown = await call(quiet, "time", { returnRateLimits: true });
  assert.equal(shown.rateLimits[0].limit, 6000);
});

test("STR-34 STR-53 STR-56 after session.logon, user data is subscribed and unsubscribed without parameters or a key", async () => {
  const key = await front.newTrader();
  const other = await front.newTrader();
  const client = await open();
  const early = await call(client, "userDataStream.subscribe");
  assert.deepEqual([early.status, early.error.code], [400, -2014]);
  await call(client, "session.logon", {}, key);
  const own = await call(client, "userDataStream.subscribe");
  assert.deepEqual([own.status, own.result.subscriptionId], [200, 0], JSON.stringify(own));
  const signed = await call(client, "userDataStream.subscribe.signature", {}, other);
  assert.equal(signed.result.subscriptionId, 1);
  const all = await call(client, "session.subscriptions");
  assert.deepEqual(all.result, [{ subscriptionId: 0 }, { subscriptionId: 1 }]);
  const late = await call(client, "userDataStream.subscribe", { timestamp: Date.now() - 60_000 });
  assert.equal(late.error.code, -1021, "A given timestamp must be checked");
  await call(client, "session.logout");
  const left = await call(client, "session.subscriptions");
  assert.deepEqual(
    left.result,
    [{ subscriptionId: 1 }],
    "A logout must end the subscriptions of the logon",
  );
  const ended = await call(client, "userDataStream.unsubscribe", { subscriptionId: 1 });
  assert.deepEqual([ended.status, ended.result], [200, {}], JSON.stringify(ended));
  assert.deepEqual((await call(client, "session.subscriptions")).result, []);
  const ends = client.frames.filter(({ event }) => event?.e === "eventStreamTerminated");
  const endedIds = ends.map(({ subscriptionId }) => subscriptionId);
  assert.deepEqual(endedIds, [0, 1], "The client must be told the end of each subscription");
  const wrong = await call(client, "userDataStream.unsubscribe", { subscriptionId: "x" });
  assert.equal(wrong.error.code, -1100);
});

test("STR-26 methods may name the version of the interface", async () => {
  const client = await open();
  const depth = await call(client, "v3/depth", { symbol: "CC-USDC" });
  assert.equal(depth.status, 200, JSON.stringify(depth));
  const futures = await open("ws-fapi/v1");
  assert.equal((await call(futures, "v1/ticker.price", { symbol: "BTCUSDT" })).status, 200);
});

const stop = { symbol: "ETHUSDT", side: "SELL", algoType: "CONDITIONAL", type: "STOP_MARKET" };

test("STR-40 conditional orders are placed and cancelled over a session of perpetuals", async () => {
  const key = await front.newTrader();
  const client = await open("ws-fapi/v1");
  const named = { clientAlgoId: "stop-1" };
  const request = { ...stop, ...named, quantity: "0.010", triggerPrice: "2000.00" };
  const placed = await call(client, "algoOrder.place", request, key);
  assert.deepEqual(
    [placed.status, placed.result.algoStatus, placed.result.clientAlgoId],
    [200, "NEW", "stop-1"],
    JSON.stringify(placed),
  );
  assert.deepEqual(
    placed.rateLimits[0],
    row("ORDERS", "SECOND", 10, 50, placed.rateLimits[0].count),
  );
  const cancelled = await call(client, "algoOrder.cancel", named, key);
  assert.deepEqual([cancelled.status, cancelled.result.algoId], [200, placed.result.algoId]);
  const again = await call(client, "algoOrder.cancel", named, key);
  assert.notEqual(again.status, 200);
});

test("STR-40 a spot session answers requests for ticker windows and order lists", async () => {
  const key = await front.newTrader();
  const client = await open();
  for (const method of ["ticker", "ticker.tradingDay"]) {
    const { status, result } = await call(client, method, { symbol: "CC-USDC" });
    assert.deepEqual([status, result.symbol], [200, "CC-USDC"], method);
  }
  for (const method of ["openOrderLists.status", "allOrderLists"]) {
    assert.deepEqual((await call(client, method, {}, key)).result, [], method);
  }
  const list = {
    ...{ symbol: "CC-USDC", side: "BUY", quantity: "200", listClientOrderId: "oco-1" },
    ...{ aboveType: "STOP_LOSS", aboveStopPrice: "0.3000" },
    ...{ belowType: "LIMIT_MAKER", belowPrice: "0.0600" },
  };
  const placed = await call(client, "orderList.place.oco", list, key);
  assert.deepEqual([placed.status, placed.result.contingencyType], [200, "OCO"]);
  const named = { origClientOrderId: "oco-1" };
  const { orderListId } = (await call(client, "orderList.status", named, key)).result;
  assert.equal(orderListId, placed.result.orderListId);
  const listed = await call(client, "openOrderLists.status", {}, key);
  assert.deepEqual(
    listed.result.map(({ orderListId: id }: { orderListId: number }) => id),
    [orderListId],
  );
  const cancel = { symbol: "CC-USDC", orderListId };
  const cancelled = await call(client, "orderList.cancel", cancel, key);
  assert.deepEqual([cancelled.status, cancelled.result.listOrderStatus], [200, "ALL_DONE"]);
  assert.equal(cancelled.result.orderReports.length, 2);
});

test("STR-26 a session ends with its key", async () => {
  const key = await front.newTrader();
  const client = await open();
  await call(client, "session.logon", {}, key);
  const { account, keyId } = key;
  const change = { tier: 0, permissions: 3, expects: 0, isRevoked: true } as const;
  front.venue.done({ kind: CommandKind.changeKey, account, keyId, ...change });
  const refused = await call(client, "openOrders.status", { timestamp: Date.now() });
  assert.deepEqual([refused.status, refused.error.code], [401, -2015]);
});

test("STR-28 a session sends user data in the same sequence as listen keys", async () => {
  const key = await front.newTrader();
  const client = await open();
  const { result } = await call(client, "userDataStream.subscribe.signature", {}, key);
  assert.equal(result.subscriptionId, 0);
  assert.ok(result.seq >= 0);
  await call(client, "order.place", terms, key);
  const { event } = await client.next(({ subscriptionId }) => subscriptionId === 0);
  assert.deepEqual([event.e, event.x, event.seq], ["executionReport", "NEW", result.seq + 1]);
  const again = await open();
  const resumed = await call(
    again,
    "userDataStream.subscribe.signature",
    { resume: result.seq },
    key,
  );
  assert.equal(resumed.result.seq, result.seq + 1);
  assert.equal((await again.next((frame) => frame.event)).event.seq, result.seq + 1);
  await call(again, "userDataStream.unsubscribe");
  const from = again.frames.length;
  await call(client, "order.place", terms, key);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(again.frames.length, from);
});

test("STR-29 bad requests are answered with their id, and the limits are the same as over HTTP", async () => {
  const key = await front.newTrader();
  const client = await open();
  for (const [frame, id] of [
    ["nonsense", null],
    ['{"id":7,"method":5}', 7],
    ['{"id":"x","method":"order.place","params":[]}', "x"],
    ['{"id":8,"method":"order.place","params":{"symbol":{"a":1}}}', 8],
  ] as const) {
    const from = client.frames.length;
    client.socket.send(frame);
    const answer = await client.next(({ error }) => error !== undefined, from);
    assert.deepEqual([answer.id, answer.status, answer.error.code], [id, 400, -1100]);
  }
  const unknown = await call(client, "no.such.method");
  assert.deepEqual([unknown.status, unknown.error.code], [404, -5000]);
  await call(client, "session.logon", {}, key);
  await inOneWindow(async () => {
    const timed = { ...terms, timestamp: Date.now(), recvWindow: 60_000 };
    const placed = await Promise.all(
      Array.from({ length: 51 }, () => call(client, "order.place", timed)),
    );
    const overHttp = await front.send("POST", "/api/v3/order", terms, { key });
    return () => {
      assert.equal(placed.filter(({ status }) => status === 200).length, 50);
      assert.deepEqual(placed.map(({ error }) => error?.code).filter(Boolean), [-1003]);
      assert.equal(overHttp.json.code, -1003);
    };
  });
});

/**
 * Runs `work` within one window of 10 s, because limits are counted by such windows. Repeats it if a window ended
 * meanwhile.
 */
async function inOneWindow(work: () => Promise<() => void>): Promise<void> {
  const windowNow = () => Math.floor(front.nowUs() / 10_000_000);
  for (;;) {
    // From the beginning of a window, where the venue's time stands still until the real one has caught up.
    front.advance(10_000 - (Math.floor(front.nowUs() / 1000) % 10_000));
    const window = windowNow();
    const check = await work();
    if (windowNow() === window) {
      check();
      return;
    }
  }
}

test("STR-29 a request past its deadline is answered with an unknown outcome", async (t) => {
  const hasty = await FrontFixture.open({ isLive: true, deadlineMs: 200 });
  t.after(() => hasty.close());
  const key = await hasty.newTrader();
  const client = await open("ws-api/v3", hasty);
  hasty.isHolding = true;
  const late = await call(client, "order.place", terms, key);
  assert.deepEqual([late.status, late.error.code], [408, -1007]);
  hasty.release();
});
