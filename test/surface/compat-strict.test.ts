// Proves that with COMPAT_STRICT the compat view refuses conditional orders of perpetuals on the old routes from which
// Binance has moved them. Everything else stays.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let strict: FrontFixture;
let plain: FrontFixture;
const stop = { symbol: "BTCUSDT", side: "SELL", type: "STOP_MARKET", quantity: "0.01" };
const limit = { ...stop, type: "LIMIT", timeInForce: "GTC", price: "60000" };
const moved = {
  code: -4120,
  msg: "Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.",
};

before(async () => {
  strict = await FrontFixture.open({ isStrict: true, isLive: true });
  plain = await FrontFixture.open();
});
after(() => {
  strict.close();
  plain.close();
});

type Terms = Record<string, string>;

async function post(front: FrontFixture, key: TestKey, path: string, terms: Terms) {
  const { status, json } = await front.send("POST", path, terms, { key });
  return { status, json };
}

test("CMP-21 with COMPAT_STRICT, conditional orders of perpetuals have one route under /compat", async () => {
  const key = await strict.newTrader();
  const terms = { ...stop, stopPrice: "50000" };
  for (const path of ["/compat/fapi/v1/order", "/compat/fapi/v1/order/test"]) {
    assert.deepEqual(await post(strict, key, path, terms), { status: 400, json: moved }, path);
  }
  const batch = JSON.stringify([terms, limit]);
  const { json } = await post(strict, key, "/compat/fapi/v1/batchOrders", { batchOrders: batch });
  assert.deepEqual([json[0], json[1].status], [moved, "NEW"]);
  const open = await strict.send("GET", "/compat/fapi/v1/openOrders", {}, { key });
  assert.equal(open.json.length, 1, "A refused order must not exist");
  assert.equal((await post(strict, key, "/compat/fapi/v1/order", limit)).status, 200);
  const algo = { ...stop, algoType: "CONDITIONAL", triggerPrice: "50000" };
  assert.equal((await post(strict, key, "/compat/fapi/v1/algoOrder", algo)).status, 200);
  assert.equal(
    (await post(strict, key, "/fapi/v1/order", terms)).status,
    200,
    "The root must still accept the order",
  );
});

test("CMP-21 with COMPAT_STRICT, a session of perpetuals is as strict", async () => {
  const key = await strict.newTrader();
  const client = await StreamClient.open(`${strict.base.replace("http", "ws")}/compat/ws-fapi/v1`);
  const params = { ...stop, stopPrice: "50000", apiKey: key.value, timestamp: Date.now() };
  const text = Object.entries(params)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
  client.send({ id: 1, method: "order.place", params: { ...params, signature: key.sign(text) } });
  const answer = await client.next(({ id }) => id === 1);
  assert.deepEqual([answer.status, answer.error], [400, moved]);
  client.close();
});

test("CMP-21 without COMPAT_STRICT, every route accepts conditional orders", async () => {
  const key = await plain.newTrader();
  const terms = { ...stop, stopPrice: "50000" };
  for (const path of ["/compat/fapi/v1/order", "/compat/fapi/v1/order/test", "/fapi/v1/order"]) {
    assert.equal((await post(plain, key, path, terms)).status, 200, path);
  }
});
