// Proves for clients of the perpetual surface that a batch handles each element by itself and answers all of them in
// the order sent.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const symbol = "BTCUSDT";
const limit = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTC" };

async function newTrader(): Promise<TestKey> {
  front.advance(60_000);
  return front.newTrader();
}

function batch(key: TestKey, list: unknown, method = "POST") {
  const text = typeof list === "string" ? list : JSON.stringify(list);
  return front.send(method, "/fapi/v1/batchOrders", { batchOrders: text }, { key });
}

test("FAP-31 a batch answers an order or a refusal for each element, in the order sent", async () => {
  const key = await newTrader();
  const answer = await batch(key, [
    { ...limit, price: "50000", quantity: "0.1", newClientOrderId: "b-1" },
    { ...limit, price: 50_001, quantity: 0.2, reduceOnly: false, newClientOrderId: "b-2" },
    { ...limit, price: "50000.001", quantity: "0.1" },
    { ...limit, symbol: "NOPE", price: "50000", quantity: "0.1" },
    { ...limit, price: "50000", quantity: "0.1", newClientOrderId: "b-1" },
  ]);
  assert.equal(answer.status, 200);
  assert.deepEqual(
    answer.json.map((one: Record<string, unknown>) => one["clientOrderId"] ?? one["code"]),
    ["b-1", "b-2", -1111, -1100, -4116],
  );
  assert.deepEqual(
    [answer.json[1].status, answer.json[1].price, answer.json[1].origQty],
    ["NEW", "50001.00", "0.200"],
  );
  assert.equal(answer.headers.get("x-mbx-order-count-10s"), "5");
  const open = await front.send("GET", "/fapi/v1/openOrders", { symbol }, { key });
  assert.equal(open.json.length, 2);
});

test("FAP-31 anything but a list of at most five orders is refused whole and sends nothing", async () => {
  const key = await newTrader();
  const { seq } = front.state;
  const one = { ...limit, price: "50000", quantity: "0.1" };
  for (const [list, code] of [
    [Array(6).fill(one), -4082],
    [[], -1135],
    ["[", -1135],
    ["null", -1135],
    ['{"symbol":"BTCUSDT"}', -1135],
    [[one, 7], -1135],
    [[one, { ...one, price: ["50000"] }], -1135],
    ['[{"__proto__":{"symbol":"BTCUSDT"}}]', -1135],
  ] as const) {
    const { status, json } = await batch(key, list);
    assert.deepEqual([status, json.code], [400, code], JSON.stringify(list));
  }
  const none = await front.send("POST", "/fapi/v1/batchOrders", {}, { key });
  assert.deepEqual([none.status, none.json.code], [400, -1102]);
  assert.equal(front.state.seq, seq);
});

test("FAP-31 LIM-6 CNF-16 a batch that would exceed the order limit is refused whole", async () => {
  const key = await newTrader();
  const five = Array(5).fill({ ...limit, price: "50000", quantity: "0.001" });
  for (let times = 0; times < 10; times++) assert.equal((await batch(key, five)).status, 200);
  const over = await batch(key, five);
  assert.deepEqual([over.status, over.json.code], [429, -1003]);
});

test("FAP-31 CNF-12 an unencoded list in a form body is read unchanged", async () => {
  const key = await newTrader();
  const list = JSON.stringify([{ ...limit, price: "50000", quantity: "0.1" }]);
  const text = `batchOrders=${list}&timestamp=${Math.floor(front.nowUs() / 1000)}`;
  const answer = await front.fetch("/fapi/v1/batchOrders", {
    method: "POST",
    headers: { "X-MBX-APIKEY": key.value, "content-type": "application/x-www-form-urlencoded" },
    body: `${text}&signature=${key.sign(text)}`,
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json[0].status, "NEW");
});

test("FAP-32 CNF-12 a batch of cancels accepts ids of either kind, in either notation", async () => {
  const key = await newTrader();
  const placed = await batch(
    key,
    ["a", "b", "c", "d"].map((newClientOrderId) => ({
      ...limit,
      price: "50000",
      quantity: "0.1",
      newClientOrderId,
    })),
  );
  const ids = placed.json.map(({ orderId }: { orderId: number }) => orderId);
  const cancel = (parameters: Record<string, string>) =>
    front.send("DELETE", "/fapi/v1/batchOrders", { symbol, ...parameters }, { key });
  const numbers = await cancel({ orderIdList: `[${ids[0]},999999]` });
  assert.deepEqual(
    numbers.json.map((one: Record<string, unknown>) => one["status"] ?? one["code"]),
    ["CANCELED", -2011],
  );
  const small = await cancel({ orderidlist: `["${ids[1]}"]` });
  assert.equal(small.json[0].clientOrderId, "b");
  const names = await cancel({ origClientOrderIdList: '["c"]' });
  assert.equal(names.json[0].orderId, ids[2]);
  const smallNames = await cancel({ origclientorderidlist: '["d","d"]' });
  assert.deepEqual(
    smallNames.json.map((one: Record<string, unknown>) => one["status"] ?? one["code"]),
    ["CANCELED", -2011],
  );
  for (const [parameters, code] of [
    [{}, -1102],
    [{ orderIdList: "[1.5]" }, -1100],
    [{ orderIdList: '["x"]' }, -1100],
    [{ orderIdList: "[[1]]" }, -1135],
    [{ orderIdList: JSON.stringify(Array(11).fill(1)) }, -4082],
    [{ origClientOrderIdList: '["no spaces"]' }, -4015],
  ] as const) {
    const { status, json } = await cancel(parameters);
    assert.deepEqual([status, json.code], [400, code], JSON.stringify(parameters));
  }
});
