// Proves for clients written for Binance that the compat view distinguishes an unknown order in a query, a cancel and
// an amend, with Binance's codes and messages. The specification has one error for all three, which the root keeps.

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

const missing = { orderId: 999_999 };
const spot = { symbol: "CC-USDC", ...missing };
const fapi = { symbol: "BTCUSDT", ...missing };

const asRoot = { code: -2011, msg: "Order does not exist." };
const asQuery = { code: -2013, msg: "Order does not exist." };
const asCancel = { code: -2011, msg: "Unknown order sent." };
const asSpotAmend = { code: -2038, msg: "Unknown order sent." };

const replacement = {
  symbol: "CC-USDC",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "100",
  price: "0.2",
  cancelReplaceMode: "STOP_ON_FAILURE",
  cancelOrderId: 999_999,
};

test("CMP-10 CMP-32 ERR-7 an unknown order gets Binance's codes on compat and -2011 at the root", async () => {
  const rows = [
    ["GET", "/api/v3/order", spot, asQuery],
    ["DELETE", "/api/v3/order", spot, asCancel],
    ["DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, asCancel],
    ["PUT", "/api/v3/order/amend/keepPriority", { ...spot, newQty: "10" }, asSpotAmend],
    ["GET", "/fapi/v1/order", fapi, asQuery],
    ["GET", "/fapi/v1/openOrder", fapi, asQuery],
    ["DELETE", "/fapi/v1/order", fapi, asCancel],
    ["PUT", "/fapi/v1/order", { ...fapi, side: "BUY", quantity: "1", price: "60000" }, asQuery],
  ] as const;
  for (const [method, path, parameters, onCompat] of rows) {
    const root = await front.send(method, path, parameters, { key });
    assert.deepEqual([root.status, root.json], [422, asRoot], `${method} ${path}`);
    const compat = await front.send(method, `/compat${path}`, parameters, { key });
    assert.deepEqual([compat.status, compat.json], [422, onCompat], `${method} /compat${path}`);
  }
});

test("CMP-10 CMP-32 batches, cancelReplace and conditional orders have the same errors", async () => {
  const list = { symbol: "BTCUSDT", orderIdList: "[999999]" };
  const batch = (view: string) =>
    front.send("DELETE", `${view}/fapi/v1/batchOrders`, list, { key });
  assert.deepEqual((await batch("")).json, [asRoot]);
  assert.deepEqual((await batch("/compat")).json, [asCancel]);
  const change = JSON.stringify([{ ...fapi, side: "BUY", quantity: "1", price: "60000" }]);
  const changed = await front.send(
    "PUT",
    "/compat/fapi/v1/batchOrders",
    { batchOrders: change },
    { key },
  );
  assert.deepEqual(changed.json, [asQuery]);
  const replace = (view: string) =>
    front.send("POST", `${view}/api/v3/order/cancelReplace`, replacement, { key });
  assert.deepEqual((await replace("")).json.data.cancelResponse, asRoot);
  assert.deepEqual((await replace("/compat")).json.data.cancelResponse, asCancel);
  const algo = (method: string) =>
    front.send(method, "/compat/fapi/v1/algoOrder", { algoId: 999_999 }, { key });
  assert.deepEqual((await algo("GET")).json, asQuery);
  assert.deepEqual((await algo("DELETE")).json, asCancel);
});
