// Proves for makers that one request cancels their orders by market, side and band of prices, over HTTP and in order
// sessions, and that no order limit keeps them from it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const limit = { type: "LIMIT", timeInForce: "GTC" };
const perp = { ...limit, symbol: "BTCUSDT", quantity: "0.1" };
const spot = { ...limit, symbol: "CC-USDC", quantity: "100" };

async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  return front.newTrader();
}

async function placed(key: TestKey, path: string, orders: readonly Record<string, string>[]) {
  for (const order of orders) {
    const { status, text } = await front.send("POST", path, order, { key });
    assert.equal(status, 200, text);
  }
}

async function openCount(key: TestKey, path: string): Promise<number> {
  const { json } = await front.send("GET", path, {}, { key });
  return json.length;
}

async function cancelled(key: TestKey, path: string, params: Record<string, string> = {}) {
  const { status, json, text } = await front.send("DELETE", path, params, { key });
  assert.equal(status, 200, text);
  return json.canceled;
}

test("QUO-20 QUO-21 massCancel cancels by market, side and band of prices, and leaves the other surface alone", async () => {
  const key = await newTrader();
  const bids = ["50000", "50100", "50200"].map((price) => ({ ...perp, side: "BUY", price }));
  await placed(key, "/fapi/v1/order", [...bids, { ...perp, side: "SELL", price: "60000" }]);
  await placed(key, "/fapi/v1/order", [{ ...perp, symbol: "ETHUSDT", side: "BUY", price: "2000" }]);
  await placed(key, "/api/v3/order", [{ ...spot, side: "BUY", price: "0.15" }]);
  const path = "/fapi/v1/massCancel";
  const band = { symbol: "BTCUSDT", minPrice: "50100", maxPrice: "60000" };
  assert.equal(await cancelled(key, path, { ...band, side: "BUY" }), 2);
  assert.equal(await cancelled(key, path, band), 1);
  assert.equal(await openCount(key, "/fapi/v1/openOrders"), 2);
  assert.equal(await cancelled(key, path), 2, "all perpetuals");
  assert.equal(await openCount(key, "/api/v3/openOrders"), 1);
  assert.equal(await cancelled(key, "/api/v3/massCancel", { side: "SELL" }), 0);
  assert.equal(await cancelled(key, "/api/v3/massCancel"), 1);
});

test("QUO-20 massCancel refuses what it does not understand, and cancels nothing then", async () => {
  const key = await newTrader();
  await placed(key, "/fapi/v1/order", [{ ...perp, side: "BUY", price: "50000" }]);
  for (const [params, code] of [
    [{ minPrice: "1" }, -1102],
    [{ symbol: "NOPE" }, -1100],
    [{ symbol: "CC-USDC" }, -1100],
    [{ symbol: "BTCUSDT", side: "BOTH" }, -1100],
    [{ symbol: "BTCUSDT", minPrice: "0" }, -4013],
    [{ symbol: "BTCUSDT", quantity: "1" }, -1103],
  ] as const) {
    const { status, json } = await front.send("DELETE", "/fapi/v1/massCancel", params, { key });
    assert.deepEqual([status, json.code], [400, code], JSON.stringify(params));
  }
  assert.equal(await openCount(key, "/fapi/v1/openOrders"), 1);
});

test("QUO-22 an account that has used up its order limit can still cancel one, many and all of its orders", async () => {
  const key = await newTrader();
  const order = { ...perp, side: "BUY", quantity: "0.001" };
  const prices = Array.from({ length: 50 }, (_, at) => `${50_000 + at}`);
  const orders = prices.map((price) => ({ ...order, price, newClientOrderId: `l-${price}` }));
  await placed(key, "/fapi/v1/order", orders);
  const over = await front.send("POST", "/fapi/v1/order", { ...order, price: "1" }, { key });
  assert.equal(over.status, 429);
  const { symbol } = order;
  const one = { symbol, origClientOrderId: "l-50000" };
  assert.equal((await front.send("DELETE", "/fapi/v1/order", one, { key })).status, 200);
  const many = { symbol, origClientOrderIdList: '["l-50001","l-50002"]' };
  assert.equal((await front.send("DELETE", "/fapi/v1/batchOrders", many, { key })).status, 200);
  assert.equal(await cancelled(key, "/fapi/v1/massCancel"), 47);
});

test("QUO-20 openOrders.massCancel does the same in an order session", async () => {
  const key = await newTrader();
  await placed(key, "/api/v3/order", [{ ...spot, side: "BUY", price: "0.15" }]);
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-api/v3`);
  try {
    const timestamp = Math.floor(front.nowUs() / 1000);
    const params = { apiKey: key.value, side: "BUY", timestamp };
    const signature = key.sign(`apiKey=${key.value}&side=BUY&timestamp=${timestamp}`);
    client.send({ id: 1, method: "openOrders.massCancel", params: { ...params, signature } });
    const answer = await client.next((frame) => frame.id === 1);
    assert.deepEqual(answer.result, { canceled: 1 });
  } finally {
    client.close();
  }
});
