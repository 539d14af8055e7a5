// Proves that each surface refuses perpetual orders below the minimum value with its own error.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { stateHash } from "../../src/engine/state-hash.ts";
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

test("FAP-42 an order below 5 USDC gets -1013 at the root and -4164 on compat, alone and in a batch", async () => {
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

test("FAP-14 on compat order/test refuses what the filters would refuse, and places nothing", async () => {
  const hash = stateHash(front.venue.state);
  const call = (order: object) =>
    front.send("POST", "/compat/fapi/v1/order/test", { ...small, ...order }, { key });
  const tooSmall = await call({ quantity: "33.333" });
  assert.deepEqual([tooSmall.status, tooSmall.json.code], [400, -4164]);
  assert.equal(tooSmall.json.hint.minNotional, "5.000000");
  const tooLarge = await call({ quantity: "99999999999" });
  const placed = { ...small, quantity: "99999999999" };
  const refused = await front.send("POST", "/compat/fapi/v1/order", placed, { key });
  assert.deepEqual([tooLarge.status, tooLarge.json], [refused.status, refused.json]);
  const stop = { type: "STOP_MARKET", stopPrice: "0.10", price: "", timeInForce: "" };
  assert.equal((await call({ ...stop, quantity: "40" })).json.code, -4164);
  const trailing = { type: "TRAILING_STOP_MARKET", callbackRate: "1", activationPrice: "0.20" };
  const followed = { ...trailing, side: "SELL", price: "", timeInForce: "" };
  assert.equal((await call({ ...followed, quantity: "24" })).json.code, -4164);
  assert.deepEqual((await call({ ...followed, quantity: "25" })).json, {});
  const good = await call({ quantity: "33.334" });
  assert.deepEqual([good.status, good.json], [200, {}]);
  assert.equal(stateHash(front.venue.state), hash);
});
