// The smallest value of orders of perpetuals in the words of each surface.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
});
after(() => front.close());

const small = { symbol: "CCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC", price: "0.15" };
const atRoot = { code: -1013, msg: "Filter failure: NOTIONAL" };
const onCompat = {
  code: -4164,
  msg: "Order's notional must be no smaller than 5 (unless you choose reduce only).",
};

test("FAP-42 an order below 5 USDC is -1013 at the root and -4164 on compat, alone and in a batch", async () => {
  const order = { ...small, quantity: "33.333" };
  const root = await front.send("POST", "/fapi/v1/order", order, { key });
  assert.deepEqual([root.status, root.json], [400, atRoot]);
  const compat = await front.send("POST", "/compat/fapi/v1/order", order, { key });
  const { hint, ...body } = compat.json as { hint: { minNotional: string } };
  assert.deepEqual([compat.status, body], [400, onCompat]);
  assert.equal(hint.minNotional, "5.000000");
  const batch = { batchOrders: JSON.stringify([order]) };
  const [first] = (await front.send("POST", "/compat/fapi/v1/batchOrders", batch, { key })).json;
  assert.equal(first.code, -4164);
  const whole = await front.send(
    "POST",
    "/fapi/v1/order",
    { ...small, quantity: "33.334" },
    { key },
  );
  assert.equal(whole.status, 200);
});
