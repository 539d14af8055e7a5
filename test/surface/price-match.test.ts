// Proves that an order or an amend of a perpetual can name a level of the book instead of a price.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

const order = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC", quantity: "0.01" };
const paths = ["/fapi/v1/order", "/compat/fapi/v1/order"] as const;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
  const maker = await front.newTrader();
  for (let level = 0; level < 6; level++)
    for (const [side, price] of [
      ["BUY", 59_000 - level],
      ["SELL", 61_000 + level],
    ] as const) {
      const terms = { ...order, side, price };
      assert.equal((await front.send("POST", paths[0], terms, { key: maker })).status, 200);
    }
});
after(() => front.close());

async function priced(terms: Record<string, string>, path = "/fapi/v1/order/test") {
  front.advance(60_000);
  const { status, json } = await front.send("POST", path, { ...order, ...terms }, { key });
  return status === 200 ? json.price : json.code;
}

test("FAP-65 priceMatch gives an order the price of a level of its own or of the other side", async () => {
  for (const path of paths) {
    const at = (side: string, priceMatch: string) =>
      priced({ side, priceMatch, quantity: "0.001" }, path);
    assert.equal(await at("BUY", "QUEUE"), "59000.00");
    assert.equal(await at("BUY", "QUEUE_5"), "58996.00");
    assert.equal(await at("SELL", "QUEUE"), "61000.00");
    assert.equal(await at("SELL", "QUEUE_5"), "61004.00");
    assert.equal(await at("SELL", "OPPONENT"), "59000.00");
    assert.equal(await at("BUY", "OPPONENT_5"), "61004.00");
  }
});

test("FAP-65 a matched order keeps its price, and an amend may match too", async () => {
  front.advance(60_000);
  const terms = { ...order, side: "BUY", priceMatch: "QUEUE_5" };
  const placed = await front.send("POST", paths[1], terms, { key });
  assert.deepEqual([placed.json.price, placed.json.priceMatch], ["58996.00", "NONE"]);
  const { orderId } = placed.json;
  const amend = { symbol: "BTCUSDT", side: "BUY", orderId, quantity: "0.02" };
  const moved = await front.send("PUT", paths[1], { ...amend, priceMatch: "QUEUE" }, { key });
  assert.equal(moved.json.price, "59000.00", moved.text);
  const batch = JSON.stringify([{ ...order, side: "SELL", priceMatch: "QUEUE" }]);
  const batched = await front.send(
    "POST",
    "/compat/fapi/v1/batchOrders",
    { batchOrders: batch },
    { key },
  );
  assert.equal(batched.json[0].price, "61000.00", batched.text);
});

test("FAP-66 a price match of another type, without a level or together with a price is refused", async () => {
  const test = "/compat/fapi/v1/order/test";
  const buying = { side: "BUY", priceMatch: "OPPONENT" };
  const { seq } = front.state;
  for (const [terms, code] of [
    [{ ...buying, type: "STOP", stopPrice: "62000" }, -5038],
    [{ ...buying, priceMatch: "OPPONENT_20" }, -5041],
    [{ ...buying, price: "60000" }, -1106],
    [{ ...buying, priceMatch: "OPPONENT_7" }, -1100],
    [{ ...buying, symbol: "ETHUSDT" }, -5041],
  ] as const)
    assert.equal(await priced(terms, test), code, JSON.stringify(terms));
  const amend = { symbol: "BTCUSDT", side: "BUY", orderId: 1, quantity: "0.02" };
  const both = { ...amend, price: "60000", priceMatch: "QUEUE" };
  assert.equal((await front.send("PUT", paths[0], both, { key })).json.code, -1106);
  assert.equal((await front.send("PUT", paths[0], amend, { key })).json.code, -1102);
  assert.equal(front.state.seq, seq, "A refused order must change nothing");
});
