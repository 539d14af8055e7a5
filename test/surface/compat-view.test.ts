// Proves that the compat view is the same venue under a prefix: the documented paths with the same keys, limits and
// state. Each surface's own tests cover what compat shows differently.

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

const order = {
  symbol: "CC-USDC",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "100",
  price: "0.2",
};

test("CMP-1 both views are one venue: an order placed through one is open, and cancelled, through the other", async () => {
  const placed = await front.send("POST", "/compat/api/v3/order", order, { key });
  assert.equal(placed.status, 200, placed.text);
  const { orderId } = placed.json;
  const open = await front.send("GET", "/api/v3/openOrders", { symbol: "CC-USDC" }, { key });
  assert.deepEqual(
    open.json.map((each: { orderId: number }) => each.orderId),
    [orderId],
  );
  const named = { symbol: "CC-USDC", orderId };
  const cancelled = await front.send("DELETE", "/api/v3/order", named, { key });
  assert.equal(cancelled.json.status, "CANCELED");
  const again = await front.send("DELETE", "/compat/api/v3/order", named, { key });
  assert.deepEqual([again.status, again.json.code], [422, -2011]);
});

test("CMP-2 requests of both views count against the same limits", async () => {
  const used = async (path: string) => {
    const answer = await front.send("GET", path, {}, { key });
    return Number(answer.headers.get("x-mbx-used-weight-1m"));
  };
  const before = await used("/api/v3/account");
  assert.equal(await used("/compat/api/v3/account"), before + 10);
  assert.equal(await used("/compat/fapi/v2/balance"), before + 15);
});

test("CMP-3 a refusal has exactly code and msg at the root, and may also have a hint on compat", async () => {
  const timestamp = Math.floor(front.nowUs() / 1000) - 60_000;
  const at = (path: string) => front.send("GET", path, { timestamp }, { key });
  const root = await at("/api/v3/account");
  assert.deepEqual(root.json, {
    code: -1021,
    msg: "Timestamp for this request is outside of the recvWindow.",
  });
  const compat = await at("/compat/api/v3/account");
  assert.equal(compat.status, 401);
  const serverTime = Math.floor(front.nowUs() / 1000);
  assert.deepEqual(compat.json, { ...root.json, hint: { serverTime } });
});

test("CMP-4 an unknown path or method is unknown under the compat prefix too", async () => {
  for (const path of ["/compat", "/compat/", "/compat/api/v3/nope", "/compat/compat/api/v3/ping"]) {
    const answer = await front.send("GET", path);
    assert.equal(answer.status, 404, path);
    assert.deepEqual(answer.json, { code: -5000, msg: `Path ${path}, Method GET is invalid` });
  }
  const wrong = await front.send("PUT", "/compat/api/v3/ping");
  assert.deepEqual([wrong.status, wrong.json.code], [405, -5000]);
  assert.equal((await front.send("GET", "/compat/api/v3/ping")).status, 200);
});

test("CMP-30 on compat only, the old path of recent trades answers as the new one", async () => {
  const requested = "trades?symbol=CC-USDC";
  const [old, now] = [
    await front.send("GET", `/compat/api/v1/${requested}`),
    await front.send("GET", `/compat/api/v3/${requested}`),
  ];
  assert.equal(old.status, 200);
  assert.deepEqual(old.json, now.json);
  assert.equal((await front.send("GET", `/api/v1/${requested}`)).status, 404);
});
