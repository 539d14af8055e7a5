// Proves for makers that they can set, read, trigger, reset and remove market-maker protection on both Binance-style
// surfaces, over HTTP and in order sessions.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KeyPermission } from "../../src/core/accounts.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

type Parameters = Record<string, string | number>;

const symbols = '["BTCUSDT"]';
const terms = { symbols, windowTimeInMilliseconds: 1000, qtyLimit: "0.3" };
const limit = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC" };

async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  return front.newTrader();
}

async function answer(key: TestKey, method: string, path: string, params: Parameters = {}) {
  const { status, json, text } = await front.send(method, path, params, { key });
  assert.equal(status, 200, text);
  return json;
}

test("MMP-1 MMP-8 mmpSet sets a group, and mmp shows it with what it has counted, on both surfaces alike", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  const set = await answer(maker, "POST", "/fapi/v1/mmpSet", { ...terms, quoteLimit: "50000" });
  const fresh = {
    group: 1,
    symbols: ["BTCUSDT"],
    windowTimeInMilliseconds: 1000,
    frozenTimeInMilliseconds: 0,
    qtyLimit: "0.300",
    quoteLimit: "50000.000000",
    countLimit: 1000,
    executedQty: "0.000",
    executedQuote: "0.000000",
    executedCount: 0,
    isTriggered: false,
    triggeredTime: null,
  };
  assert.deepEqual(Object.keys(set), Object.keys(fresh));
  assert.deepEqual(
    { ...set, quoteLimit: null, executedQuote: null },
    {
      ...fresh,
      quoteLimit: null,
      executedQuote: null,
    },
  );
  await answer(maker, "POST", "/fapi/v1/order", {
    ...limit,
    side: "BUY",
    price: "50000",
    quantity: "1",
  });
  await answer(taker, "POST", "/fapi/v1/order", {
    ...limit,
    side: "SELL",
    price: "50000",
    quantity: "0.1",
  });
  const [counted] = await answer(maker, "GET", "/api/v3/mmp");
  assert.deepEqual([counted.executedQty, counted.executedCount], ["0.100", 1]);
  assert.equal(Number(counted.executedQuote), 5000);
  front.advance(1001);
  const [later] = await answer(maker, "GET", "/fapi/v1/mmp");
  assert.equal(later.executedCount, 0, "the fill has left the window");
});

test("MMP-4 MMP-6 MMP-8 a triggered group refuses orders with a message of its own until mmpReset", async () => {
  const [maker, taker] = [await newTrader(), await newTrader()];
  await answer(maker, "POST", "/fapi/v1/mmpSet", terms);
  const bid = { ...limit, side: "BUY", price: "50100", quantity: "1" };
  await answer(maker, "POST", "/fapi/v1/order", { ...bid, newClientOrderId: "quote" });
  await answer(taker, "POST", "/fapi/v1/order", { ...bid, side: "SELL", quantity: "0.4" });
  const quote = { symbol: "BTCUSDT", origClientOrderId: "quote" };
  const { status, executedQty } = await answer(maker, "GET", "/fapi/v1/order", quote);
  assert.deepEqual([status, executedQty], ["CANCELED", "0.400"]);
  const refused = await front.send("POST", "/fapi/v1/order", bid, { key: maker });
  assert.deepEqual([refused.status, refused.json.code], [422, -2010]);
  assert.match(refused.json.msg, /^Market maker protection has triggered/);
  const [group] = await answer(maker, "GET", "/fapi/v1/mmp");
  assert.deepEqual([group.isTriggered, group.executedQty], [true, "0.400"]);
  assert.equal(typeof group.triggeredTime, "number");
  const changed = await front.send("POST", "/fapi/v1/mmpSet", terms, { key: maker });
  assert.equal(changed.json.code, -2010);
  const reset = await answer(maker, "POST", "/fapi/v1/mmpReset");
  assert.deepEqual([reset.isTriggered, reset.executedQty], [false, "0.000"]);
  await answer(maker, "POST", "/fapi/v1/order", bid);
  assert.deepEqual(await answer(maker, "DELETE", "/fapi/v1/massCancel", { group: 1 }), {
    canceled: 1,
  });
  assert.deepEqual(await answer(maker, "DELETE", "/fapi/v1/mmp", { group: 1 }), {});
  assert.deepEqual(await answer(maker, "GET", "/fapi/v1/mmp"), []);
});

test("MMP-1 MMP-2 what a group cannot have is refused by name, and changes nothing", async () => {
  const key = await newTrader();
  const pair = '["BTCUSDT","ETHUSDT"]';
  for (const [params, code] of [
    [{ ...terms, symbols: "BTCUSDT" }, -1135],
    [{ ...terms, symbols: "[]" }, -1135],
    [{ ...terms, symbols: '["NOPE"]' }, -1100],
    [{ ...terms, symbols: pair }, -1100],
    [{ ...terms, group: 17 }, -1100],
    [{ ...terms, windowTimeInMilliseconds: 0 }, -1100],
    [{ ...terms, frozenTimeInMilliseconds: 5 }, -1100],
    [{ ...terms, countLimit: 1001 }, -1100],
    [{ ...terms, quoteLimit: "0.0000000000001" }, -1100],
    [{ ...terms, quoteLimit: "0" }, -1100],
    [{ ...terms, qtyLimit: "0.000" }, -1100],
    [{ ...terms, deltaLimit: "1" }, -1103],
    [{ symbols }, -1102],
  ] as const) {
    const { status, json } = await front.send("POST", "/fapi/v1/mmpSet", params, { key });
    assert.deepEqual([status, json.code], [400, code], JSON.stringify(params));
  }
  assert.deepEqual(await answer(key, "GET", "/fapi/v1/mmp"), []);
  for (const [method, path] of [
    ["POST", "/api/v3/mmpReset"],
    ["DELETE", "/api/v3/mmp"],
    ["DELETE", "/api/v3/massCancel"],
  ] as const) {
    const { json } = await front.send(method, path, { group: 3 }, { key });
    assert.equal(json.code, -1100, path);
  }
});

test("MMP-1 a removal must name its group, and quantities of several base assets are not added", async () => {
  const key = await newTrader();
  const { qtyLimit: _, ...unlimited } = terms;
  const mixed = { ...unlimited, symbols: '["CC-USDC","BTCUSDT"]', countLimit: 5 };
  const set = await answer(key, "POST", "/api/v3/mmpSet", mixed);
  assert.deepEqual([set.group, set.executedQty, set.countLimit], [1, null, 5]);
  const { json } = await front.send("DELETE", "/api/v3/mmp", {}, { key });
  assert.equal(json.code, -1102);
  assert.equal((await answer(key, "GET", "/api/v3/mmp")).length, 1);
});

test("MMP-9 a key needs the right to trade in all markets of a group to change it or to cancel its orders", async () => {
  const key = await newTrader();
  const { read, tradeSpot } = KeyPermission;
  const spotOnly = await front.newKey(key.account, { permissions: read | tradeSpot });
  await answer(key, "POST", "/fapi/v1/mmpSet", terms);
  const order = { ...limit, side: "BUY", quantity: "0.1", price: "50000" };
  await answer(key, "POST", "/fapi/v1/order", order);
  for (const [method, path, params] of [
    ["POST", "/api/v3/mmpSet", { ...terms, group: 2, symbols: '["ETHUSDT"]' }],
    ["POST", "/api/v3/mmpSet", { ...terms, qtyLimit: "1", symbols: '["CC-USDC"]' }],
    ["POST", "/api/v3/mmpReset", { group: 1 }],
    ["DELETE", "/api/v3/mmp", { group: 1 }],
    ["DELETE", "/api/v3/massCancel", { group: 1 }],
  ] as const) {
    const { status, json } = await front.send(method, path, params, { key: spotOnly });
    assert.deepEqual([status, json.code], [401, -2015], `${method} ${path}`);
  }
  const open = await answer(key, "GET", "/fapi/v1/openOrders");
  assert.equal(open.length, 1);
  const spotGroup = { ...terms, group: 3, symbols: '["CC-USDC"]' };
  await answer(spotOnly, "POST", "/api/v3/mmpSet", spotGroup);
  await answer(spotOnly, "DELETE", "/api/v3/mmp", { group: 3 });
});

test("MMP-8 order sessions have the same as mmp.set, mmp.status, mmp.reset and mmp.remove", async () => {
  const key = await newTrader();
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-fapi/v1`);
  let id = 0;
  const call = async (method: string, more: Parameters = {}) => {
    id++;
    const timestamp = Math.floor(front.nowUs() / 1000);
    const params: Parameters = { ...more, apiKey: key.value, timestamp };
    const text = Object.keys(params)
      .sort()
      .map((name) => `${name}=${encodeURIComponent(String(params[name]))}`)
      .join("&");
    client.send({ id, method, params: { ...params, signature: key.sign(text) } });
    const frame = await client.next((one) => one.id === id);
    assert.equal(frame.status, 200, JSON.stringify(frame));
    return frame.result;
  };
  try {
    const set = await call("mmp.set", { ...terms, group: 4 });
    assert.deepEqual([set.group, set.qtyLimit], [4, "0.300"]);
    assert.deepEqual(await call("mmp.status"), [set]);
    assert.deepEqual(await call("mmp.reset", { group: 4 }), set);
    assert.deepEqual(await call("mmp.remove", { group: 4 }), {});
  } finally {
    client.close();
  }
});
